import { type ByteAllowance, keptBytes } from './byte-allowance.ts';
import type { BodySink } from './decoded-body.ts';

/** Bytes of one JSON document that is read: the most that providers take as a request. */
export const MOST_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** Nothing was read: too large, cut off, in an unknown coding, or no JSON. */
export const UNREAD = Symbol('unread');

/** A sink that keeps a body, and gives the document in it to `done`, once; UNREAD where there is none. */
export function jsonBody(allowance: ByteAllowance, done: (document: unknown) => void): BodySink {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let kept = 0;
  let isOver = false;
  const finish = (document: unknown) => {
    if (isOver) return;
    isOver = true;
    allowance.release(kept);
    chunks.length = 0;
    done(document);
  };
  return {
    write(bytes) {
      if (isOver) return false;
      if (size + bytes.length > MOST_DOCUMENT_BYTES || !allowance.take(keptBytes(bytes))) {
        finish(UNREAD);
        return false;
      }
      size += bytes.length;
      kept += keptBytes(bytes);
      chunks.push(bytes);
      return true;
    },
    end(isWhole) {
      if (!isOver) finish(isWhole ? parsed(chunks) : UNREAD);
    },
    fail() {
      finish(UNREAD);
    },
  };
}

function parsed(chunks: readonly Uint8Array[]): unknown {
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return UNREAD;
  }
}
