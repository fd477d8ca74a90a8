import type { ParseResult } from '@colophon/records';
import { outlineJson } from './json-outline.ts';
import { refuse } from './scan-issue.ts';
import { wordsForText } from './text-kind.ts';

/** An output of 100,000 findings has some 100 to 300 MB; a JavaScript string ends at about 512 MiB. */
export const MAX_OUTPUT_BYTES = 512 * 1000 * 1000;
/** Far more than any scanner writes; deeper documents cost memory without end before anybody sees that they are none. */
export const MAX_OUTPUT_DEPTH = 1000;

/** Small ones may stand in memory that others use too, and nothing is won. */
const LEAST_FREED_BYTES = 1024 * 1024;

const UTF8_BOM = [0xef, 0xbb, 0xbf];

/**
 * The JSON value of a scanner's output. Documents that stand one after the other, as govulncheck writes them, become a
 * {@link JsonStream}. This is the engine's own JSON.parse and not the strict parser of records: that one is five times
 * as slow, ten seconds for 150 MB, and which of two equal members counts is no question of security in a list of
 * findings. A byte order mark in UTF-8 is passed over, because tools on Windows write one.
 *
 * With `isGivenAway` the caller does not need the bytes any more: their memory is free before the document is made of
 * their text, a quarter of what an output of 200 MB takes.
 */
export function parseOutputDocument(
  bytes: Uint8Array,
  { isGivenAway = false }: { readonly isGivenAway?: boolean } = {},
): ParseResult<unknown> {
  if (bytes.length > MAX_OUTPUT_BYTES) {
    const message = `The file has ${bytes.length} bytes; at most ${MAX_OUTPUT_BYTES} are read.`;
    return refuse('scan.too_large', message, { expected: 'one output for each target' });
  }
  const document = UTF8_BOM.every((byte, index) => bytes[index] === byte) ? bytes.subarray(UTF8_BOM.length) : bytes;
  const outline = outlineJson(document, MAX_OUTPUT_DEPTH);
  if (outline.depth > MAX_OUTPUT_DEPTH) {
    return refuse('scan.too_deep', `More than ${MAX_OUTPUT_DEPTH} lists and objects stand inside each other.`);
  }
  let text: string;
  try {
    // Fatal: a byte that is replaced unseen would change a name or an id.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(document);
  } catch {
    return refuse('scan.not_utf8', notUtf8(document), { expected: 'UTF-8' });
  }
  if (isBlank(text)) {
    const message =
      'The file is empty: it does not say that nothing was found, since a scanner that fails leaves this, too.';
    return refuse('scan.empty', message, { expected: 'the output of a scanner that ended well' });
  }
  const isFreed = isGivenAway && bytes.length >= LEAST_FREED_BYTES && bytes.byteLength === bytes.buffer.byteLength;
  if (isFreed) (bytes.buffer as ArrayBuffer).transfer(0);
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return parseStream(isFreed ? new TextEncoder().encode(text) : document, text, outline.ends, outline.isCut);
  }
}

/** Several JSON documents one after the other. */
export class JsonStream {
  readonly values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

/** The documents of an output that has one or several; those in a list are the same. */
export function messagesOf(root: unknown): readonly unknown[] {
  return root instanceof JsonStream ? root.values : Array.isArray(root) ? root : [root];
}

function parseStream(bytes: Uint8Array, text: string, ends: readonly number[], isCut: boolean): ParseResult<unknown> {
  const beginsAsJson = /^\s*[[{]/.test(text);
  if (beginsAsJson && isCut) {
    const message = 'The document ends in the middle: the scanner was ended before it was done, or the copy was.';
    return refuse('scan.truncated', message, { expected: 'the whole output' });
  }
  const values: unknown[] = [];
  try {
    const decoder = new TextDecoder();
    let from = 0;
    for (const end of ends) {
      values.push(JSON.parse(decoder.decode(bytes.subarray(from, end))));
      from = end;
    }
    // What stands behind the last of them must be nothing.
    if (values.length > 1 && isBlank(decoder.decode(bytes.subarray(from)))) {
      return { ok: true, value: new JsonStream(values) };
    }
  } catch {
    // No documents either.
  }
  return refuse('scan.not_json', `The file is no JSON document${wordsForText(text)}.`, {
    expected: "the scanner's JSON output",
  });
}

function isBlank(text: string): boolean {
  return /^\s*$/.test(text.length > 1000 ? text.slice(0, 1000) : text) && text.trim() === '';
}

function notUtf8(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16)
    return 'The file is UTF-16, as `>` in Windows PowerShell writes it; let the scanner write its file itself.';
  if (first === 0x1f && second === 0x8b) return 'The file is compressed with gzip.';
  if (first === 0x50 && second === 0x4b) return 'The file is a ZIP archive.';
  return 'The bytes are no UTF-8.';
}
