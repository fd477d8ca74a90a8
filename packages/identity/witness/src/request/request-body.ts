import type { ByteAllowance } from '../body/byte-allowance.ts';
import type { BodySink } from '../body/decoded-body.ts';
import { parsed, textBody, UNREAD } from '../body/json-body.ts';
import { isPartOfDocument } from '../body/part-of-document.ts';

/** A request broke off before there was a document: whatever reads it has none either. */
export const PART = Symbol('part');

/**
 * A sink that keeps the body of a request, and gives what it holds to `done`, once: a document, UNREAD, or of a request
 * that broke off before the end of its document PART. A document counts although its body goes on: servers that read one JSON
 * value work at once. Before that, `soFar` is what it holds as if it had broken off.
 */
export function requestBody(allowance: ByteAllowance, done: (body: unknown) => void): BodySink & { soFar(): unknown } {
  const sink = textBody(allowance, (text, isWhole) => done(bodyIn(text, isWhole)));
  return { ...sink, soFar: () => bodyIn(sink.soFar(), false) };
}

function bodyIn(text: string | undefined, isWhole: boolean): unknown {
  if (text === undefined) return UNREAD;
  return !isWhole && isPartOfDocument(text) ? PART : parsed(text);
}
