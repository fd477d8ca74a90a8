import { type ParseResult, withReplacedText } from '@colophon/json';
import { outlineJson } from './json-outline.ts';
import { refuse } from './scan-issue.ts';
import { hasTextBefore, kindOfText } from './text-kind.ts';

/** An output of 100,000 findings has some 100 to 300 MB; a JavaScript string ends at about 512 MiB. */
export const MAX_OUTPUT_BYTES = 512 * 1000 * 1000;
/** Far more than any scanner writes; deeper documents cost memory without end before anybody sees that they are none. */
export const MAX_OUTPUT_DEPTH = 1000;

/** Small ones may stand in memory that others use too, and nothing is won. */
const LEAST_FREED_BYTES = 1024 * 1024;

const UTF8_BOM = [0xef, 0xbb, 0xbf];

/**
 * The JSON value of a scanner's output. Documents that stand one after the other, as govulncheck writes them, become a
 * {@link JsonStream}. This is the engine's own JSON.parse and not the strict parser of records: that one takes some
 * three times as long, and which of two equal members counts is no question of security in a list of findings. A byte
 * order mark in UTF-8 is passed over, because tools on Windows write one. What no text may hold is replaced
 * (`replacedText`): one odd name costs no other finding.
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
    const [message, expected] = notUtf8(document);
    return refuse('scan.not_utf8', message, { expected });
  }
  if (isBlank(text)) {
    const message =
      'The file is empty: it does not say that nothing was found, since a scanner that fails leaves this, too.';
    return refuse('scan.empty', message, { expected: 'the output of a scanner that ended well' });
  }
  const isFreed = isGivenAway && bytes.length >= LEAST_FREED_BYTES && bytes.byteLength === bytes.buffer.byteLength;
  if (isFreed) (bytes.buffer as ArrayBuffer).transfer(0);
  try {
    return { ok: true, value: withReplacedText(JSON.parse(text), text) };
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

const BEGIN = /^\s*[[{]/;

function parseStream(bytes: Uint8Array, text: string, ends: readonly number[], isCut: boolean): ParseResult<unknown> {
  const decoder = new TextDecoder();
  const rest = decoder.decode(bytes.subarray(ends.at(-1) ?? 0));
  if (isCut && BEGIN.test(text) && BEGIN.test(rest)) {
    const message = 'The document ends in the middle: the scanner was ended before it was done, or the copy was.';
    return refuse('scan.truncated', message, { expected: 'the whole output' });
  }
  const values: unknown[] = [];
  try {
    let from = 0;
    for (const end of ends) {
      const one = decoder.decode(bytes.subarray(from, end));
      values.push(withReplacedText(JSON.parse(one), one));
      from = end;
    }
  } catch {
    // No documents either.
    values.length = 0;
  }
  if (values.length > 1 && isBlank(rest)) return { ok: true, value: new JsonStream(values) };
  if (values.length > 0 || hasTextBefore(text)) {
    const where = values.length > 0 ? 'Behind' : 'Before';
    const message = `${where} the JSON stands other text, such as a program's messages: the file is no JSON document.`;
    return refuse('scan.not_json', message, { expected: 'standard output alone, without 2>&1' });
  }
  const { words, expected } = kindOfText(text);
  return refuse('scan.not_json', `The file is no JSON document${words}.`, { expected });
}

function isBlank(text: string): boolean {
  return /^\s*$/.test(text.length > 1000 ? text.slice(0, 1000) : text) && text.trim() === '';
}

/** What the bytes are, and how to make something of them that can be read. */
function notUtf8(bytes: Uint8Array): readonly [message: string, expected: string] {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16) {
    const message = 'The file is UTF-16, as `>` in Windows PowerShell writes it.';
    return [message, 'UTF-8: let the scanner write its file itself, or use iconv -f UTF-16 -t UTF-8'];
  }
  if (first === 0x1f && second === 0x8b) return ['The file is compressed with gzip.', 'the file unpacked: gunzip'];
  if (first === 0x50 && second === 0x4b) return ['The file is a ZIP archive.', 'the file unpacked: unzip'];
  return ['The bytes are no UTF-8.', 'UTF-8'];
}
