import { type ByteAllowance, keptBytes } from './byte-allowance.ts';
import type { BodySink } from './decoded-body.ts';
import { repeatsMember } from './repeated-members.ts';

/** Bytes of one JSON document that is read: the most that providers take as a request. */
export const MOST_DOCUMENT_BYTES = 32 * 1024 * 1024;

/**
 * Lists and objects of one document that is read, whatever stands in its texts too. Each takes far more memory than its
 * two bytes, and all of them are made at once while nobody else is served: a million takes about a second, and 32 MiB could have
 * eleven. What agents send has some thousands.
 */
export const MOST_VALUES = 1_000_000;

/** Nothing was read: too large, cut off, in an unknown coding, or no JSON. */
export const UNREAD = Symbol('unread');

/** A sink that keeps a body, and gives the document in it to `done`, once; UNREAD where there is none. */
export function jsonBody(allowance: ByteAllowance, done: (document: unknown) => void): BodySink {
  return textBody(allowance, (text, isWhole) => done(text !== undefined && isWhole ? parsed(text) : UNREAD));
}

/**
 * A sink that keeps a body, and gives its text to `done`, once; undefined where it is larger or has more values than is
 * read, where there is no room for it, or in a coding that is not known. Before that, what has come of it.
 */
export function textBody(
  allowance: ByteAllowance,
  done: (text: string | undefined, isWhole: boolean) => void,
): BodySink & { soFar(): string | undefined } {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let kept = 0;
  let values = 0;
  let isOver = false;
  const textSoFar = () => Buffer.concat(chunks).toString();
  const finish = (isRead: boolean, isWhole: boolean) => {
    if (isOver) return;
    isOver = true;
    allowance.release(kept);
    const text = isRead ? textSoFar() : undefined;
    chunks.length = 0;
    done(text, isWhole);
  };
  return {
    write(bytes) {
      if (isOver) return false;
      values += valuesIn(bytes);
      const isTooMuch = size + bytes.length > MOST_DOCUMENT_BYTES || values > MOST_VALUES;
      if (isTooMuch || !allowance.take(keptBytes(bytes))) {
        finish(false, false);
        return false;
      }
      size += bytes.length;
      kept += keptBytes(bytes);
      chunks.push(bytes);
      return true;
    },
    end: (isWhole) => finish(true, isWhole),
    fail: () => finish(false, false),
    soFar: () => (isOver ? undefined : textSoFar()),
  };
}

/** What a text of JSON holds; UNREAD where it is none, or names a member twice. */
export function parsed(text: string): unknown {
  try {
    const document: unknown = JSON.parse(text);
    return repeatsMember(text) ? UNREAD : document;
  } catch {
    return UNREAD;
  }
}

const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;

/** How many lists and objects begin here at most. */
export function valuesIn(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === OPENING_BRACE || byte === OPENING_BRACKET) count += 1;
  return count;
}
