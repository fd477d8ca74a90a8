import { fingerprintOf } from '../fingerprint/fingerprint.ts';
import { LANGUAGES } from '../language/language.ts';
import type { Source } from '../source/source.ts';
import { type Span, unitsOf } from '../unit/unit.ts';
import { ByteReader, UnreadableBytes } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

/** A file of a package that others are compared with. */
export type IndexedFile = {
  /** As whoever made the index named it: a package URL, or a folder. */
  readonly package: string;
  /** Inside the package. */
  readonly path: string;
  readonly source: Source;
};

/** An index as it was read, or why it could not be. */
export type IndexReading =
  | { readonly ok: true; readonly files: readonly IndexedFile[] }
  | { readonly ok: false; readonly reason: string };

/** Of the format. A reader of another version refuses. */
export const INDEX_VERSION = 1;
/** More files, and packages, are in no index: each takes some kilobytes of memory when it is read, even an empty one. */
export const MOST_INDEXED_FILES = 400_000;
/** All grammars together have some thousand types of nodes. */
const MOST_SYMBOLS = 65_536;
const UNPARSED_STEPS = 10_000;

/** Files as bytes: no text of theirs, and of names and literals only hashes. The same files give the same bytes. */
export function encodeIndex(files: readonly IndexedFile[]): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writer.number(INDEX_VERSION);
  const packages = [...new Set(files.map((file) => file.package))];
  const symbols = [...new Set(files.flatMap(({ source }) => [...new Set(source.symbols)]))].sort((a, b) => a - b);
  writer.number(packages.length);
  for (const name of packages) writer.text(name);
  writer.ascending(symbols);
  const numberOfPackage = new Map(packages.map((name, number) => [name, number]));
  const numberOfSymbol = new Map(symbols.map((symbol, number) => [symbol, number]));
  writer.number(files.length);
  for (const file of files) {
    writer.number(numberOfPackage.get(file.package)!);
    writer.text(file.path);
    writeSource(writer, file.source, numberOfSymbol);
  }
  return writer.bytes();
}

function writeSource(writer: ByteWriter, source: Source, numberOfSymbol: ReadonlyMap<number, number>): void {
  writer.number(LANGUAGES.indexOf(source.language));
  writer.number(Math.round(source.unparsed * UNPARSED_STEPS));
  writer.number(source.symbols.length);
  for (const symbol of source.symbols) writer.number(numberOfSymbol.get(symbol)!);
  const values = Uint32Array.from(new Set(source.values)).sort();
  writer.ascending(values);
  const numberOfValue = new Map(Array.from(values, (value, number) => [value, number]));
  for (const value of source.values) writer.number(numberOfValue.get(value)!);
  let line = 0;
  for (const next of source.lines) {
    writer.number(next - line);
    line = next;
  }
  const ranges = source.units.spans.filter((span, index) => isFunction(span, index));
  writer.number(ranges.length);
  for (const { start, end } of ranges) {
    writer.number(start);
    writer.number(end - start);
  }
  writer.ascending(source.vocabulary);
  const words = new Set(source.vocabulary);
  const comments = source.vocabularyWithComments;
  writer.number(comments === undefined ? 0 : 1);
  if (comments !== undefined) writer.ascending(comments.filter((word) => !words.has(word)));
}

/** Neither the file itself nor what is outside of its functions. */
function isFunction({ unit }: Span, index: number): boolean {
  return index > 0 && unit > 1;
}

/** The files of {@link encodeIndex}. Bytes that somebody made up are refused, and take no more room than their length. */
export function decodeIndex(bytes: Uint8Array): IndexReading {
  try {
    return { ok: true, files: readFiles(new ByteReader(bytes)) };
  } catch (error) {
    if (error instanceof UnreadableBytes) return { ok: false, reason: error.message };
    throw error;
  }
}

function readFiles(reader: ByteReader): IndexedFile[] {
  const version = reader.number();
  if (version !== INDEX_VERSION) throw new UnreadableBytes(`its version is ${version}, and ${INDEX_VERSION} is read`);
  const packages = Array.from({ length: reader.count(MOST_INDEXED_FILES) }, () => reader.text());
  const symbols = reader.ascending(MOST_SYMBOLS);
  const files = Array.from({ length: reader.count(MOST_INDEXED_FILES) }, (): IndexedFile => {
    const number = reader.number(packages.length - 1);
    return { package: packages[number]!, path: reader.text(), source: readSourceOf(reader, symbols) };
  });
  if (!reader.isAtEnd) throw new UnreadableBytes('something follows its end');
  return files;
}

function readSourceOf(reader: ByteReader, symbolOf: Uint32Array): Source {
  const language = LANGUAGES[reader.number(LANGUAGES.length - 1)]!;
  const unparsed = reader.number(UNPARSED_STEPS) / UNPARSED_STEPS;
  const symbols = new Uint32Array(reader.count());
  for (let at = 0; at < symbols.length; at += 1) symbols[at] = symbolOf[reader.number(symbolOf.length - 1)]!;
  const known = reader.ascending();
  const values = new Uint32Array(symbols.length);
  for (let at = 0; at < values.length; at += 1) values[at] = known[reader.number(known.length - 1)]!;
  const lines = new Uint32Array(symbols.length);
  let line = 0;
  for (let at = 0; at < lines.length; at += 1) {
    line += reader.number(0xffff_ffff - line);
    lines[at] = line;
  }
  const units = unitsOf(symbols.length, readRanges(reader, symbols.length));
  const vocabulary = reader.ascending();
  const hasComments = reader.number(1) === 1;
  return {
    symbols,
    values,
    lines,
    units,
    vocabulary,
    vocabularyWithComments: hasComments ? union(vocabulary, reader.ascending()) : undefined,
    fingerprint: fingerprintOf(symbols),
    language,
    unparsed,
  };
}

/** Functions lie inside each other or beside each other; anything else would be compared without end. */
function readRanges(reader: ByteReader, tokens: number): Array<{ start: number; end: number }> {
  const open: number[] = [];
  let last = 0;
  return Array.from({ length: reader.count() }, () => {
    const start = reader.number(tokens);
    const end = start + reader.number(tokens - start);
    if (start < last || end === start) throw new UnreadableBytes('its functions are in no order');
    while (open.length > 0 && open.at(-1)! <= start) open.pop();
    if (open.length > MOST_NESTED || (open.at(-1) ?? tokens) < end) throw new UnreadableBytes('its functions overlap');
    open.push(end);
    last = start;
    return { start, end };
  });
}

const MOST_NESTED = 8;

function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  const all = new Uint32Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all.sort();
}
