import { parsePointer } from '../strict-json/json-pointer.ts';

/** Line and column, from 1; columns are counted in UTF-16 code units, as editors and SARIF do. */
type TextPlace = { readonly line: number; readonly column: number };

/** The names on the way to the values that are wanted. */
type Wanted = { readonly below: Map<string, Wanted>; isLeaf?: boolean; at?: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no string of JSON may hold them as they are
const STRING_END = /["\\\u0000-\u001f]/g;

/**
 * Finds where values stand in the text of a JSON document: one pass that keeps nothing but the places asked for, and
 * stops when it has them all. With `toTheEnd` the text may be anything: of a name that an object has twice the later
 * one counts, and `brokenAt` says from where on the text is no JSON.
 * @param pointers JSON Pointers, exact; one that leads to nothing has no place.
 */
export function placesOf(
  text: string,
  pointers: Iterable<string>,
  { toTheEnd = false }: { readonly toTheEnd?: boolean } = {},
): { readonly places: ReadonlyMap<string, TextPlace>; readonly brokenAt?: TextPlace } {
  const root: Wanted = { below: new Map() };
  const leaves = new Map<string, Wanted>();
  for (const pointer of pointers) {
    let wanted = root;
    for (const name of parsePointer(pointer) ?? []) {
      const below = wanted.below.get(name) ?? { below: new Map() };
      wanted.below.set(name, below);
      wanted = below;
    }
    wanted.isLeaf = true;
    leaves.set(pointer, wanted);
  }
  const broken = new JsonPlaces(text, toTheEnd ? Number.POSITIVE_INFINITY : leaves.size).find(root);
  const offsets = [...leaves].flatMap(([pointer, { at }]) => (at === undefined ? [] : [{ pointer, at }]));
  const counted = linesOf(text, [...offsets.map(({ at }) => at), ...(broken === undefined ? [] : [broken])]);
  const places = new Map(offsets.map(({ pointer, at }) => [pointer, counted.get(at) as TextPlace]));
  return { places, ...(broken === undefined ? {} : { brokenAt: counted.get(broken) as TextPlace }) };
}

/** The text is no JSON from here on. */
class Broken extends Error {}

/** Everything that was wanted is found. */
class Found extends Error {}

class JsonPlaces {
  private readonly text: string;
  /** Places that are still to be found. */
  private left: number;
  private readonly isParsed: boolean;
  private at = 0;

  constructor(text: string, wanted: number) {
    this.text = text;
    this.left = wanted;
    this.isParsed = Number.isFinite(wanted);
  }

  /** Notes every place that is wanted; returns where the text stops being JSON, if it does. */
  find(wanted: Wanted): number | undefined {
    try {
      this.value(wanted);
      this.skipSpace();
      return this.at < this.text.length ? this.at : undefined;
    } catch (error) {
      if (error instanceof Broken) return this.at;
      if (error instanceof Found) return undefined;
      throw error;
    }
  }

  private value(wanted: Wanted | undefined): void {
    this.skipSpace();
    if (wanted?.isLeaf) {
      if (wanted.at === undefined) this.left -= 1;
      wanted.at = this.at;
      if (this.left === 0) throw new Found();
    }
    if (wanted === undefined || wanted.below.size === 0) this.skipValue();
    else if (this.text[this.at] === '{') this.object(wanted);
    else if (this.text[this.at] === '[') this.array(wanted);
    else this.skipValue();
  }

  private object({ below }: Wanted): void {
    this.at += 1;
    this.skipSpace();
    if (this.take('}')) return;
    do {
      this.skipSpace();
      const start = this.at;
      this.string();
      const raw = this.text.slice(start, this.at);
      // A name that does not decode was refused by the parser, which says so itself.
      const name = raw.includes('\\') ? decoded(raw) : raw.slice(1, -1);
      this.skipSpace();
      this.expect(':');
      this.value(below.get(name));
      this.skipSpace();
    } while (this.take(','));
    this.expect('}');
  }

  private array({ below }: Wanted): void {
    this.at += 1;
    this.skipSpace();
    if (this.take(']')) return;
    let index = 0;
    do {
      this.value(below.get(String(index++)));
      this.skipSpace();
    } while (this.take(','));
    this.expect(']');
  }

  /**
   * Passes over one object or list by its brackets alone. That does for text that a parser has read; where it has not,
   * every character is looked at.
   */
  private skipContainer(): void {
    const { text } = this;
    let depth = 0;
    for (let { at } = this; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        at = closingQuote(text, at + 1);
        if (at < 0) break;
      } else if (code === 0x7b || code === 0x5b) depth += 1;
      else if (code === 0x7d || code === 0x5d) {
        depth -= 1;
        if (depth === 0) {
          this.at = at + 1;
          return;
        }
      }
    }
    this.at = text.length;
  }

  /** Passes over one value whatever its depth, without the stack. */
  private skipValue(): void {
    if (this.isParsed && (this.text[this.at] === '{' || this.text[this.at] === '[')) {
      this.skipContainer();
      return;
    }
    const open: string[] = [];
    for (;;) {
      this.skipSpace();
      const character = this.text[this.at];
      if (character === '{' || character === '[') {
        this.at += 1;
        this.skipSpace();
        const close = character === '{' ? '}' : ']';
        if (!this.take(close)) {
          open.push(close);
          if (close === '}') this.name();
          continue;
        }
      } else if (character === '"') this.string();
      else this.literal();
      for (;;) {
        const close = open.at(-1);
        if (close === undefined) return;
        this.skipSpace();
        if (this.take(',')) {
          if (close === '}') this.name();
          break;
        }
        this.expect(close);
        open.pop();
      }
    }
  }

  private name(): void {
    this.skipSpace();
    this.string();
    this.skipSpace();
    this.expect(':');
  }

  private string(): void {
    const { text } = this;
    if (text.charCodeAt(this.at) !== QUOTE) throw new Broken();
    let at = this.at + 1;
    for (;;) {
      STRING_END.lastIndex = at;
      const end = STRING_END.exec(text)?.index;
      if (end === undefined) {
        this.at = text.length;
        throw new Broken();
      }
      const code = text.charCodeAt(end);
      if (code === QUOTE) {
        this.at = end + 1;
        return;
      }
      if (code !== BACKSLASH || !isEscape(text, end + 1)) {
        this.at = end;
        throw new Broken();
      }
      at = end + 2;
    }
  }

  private literal(): void {
    LITERAL.lastIndex = this.at;
    const found = LITERAL.exec(this.text)?.[0];
    if (found === undefined) throw new Broken();
    this.at += found.length;
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private expect(character: string): void {
    if (!this.take(character)) throw new Broken();
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }
}

/** The quote that ends a text, which the engine finds faster than a look at every character; -1 where none does. */
function closingQuote(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}

function isEscape(text: string, at: number): boolean {
  return text[at] === 'u' ? /^[0-9A-Fa-f]{4}$/.test(text.slice(at + 1, at + 5)) : '"\\/bfnrt'.includes(text[at] || '-');
}

function decoded(raw: string): string {
  try {
    return JSON.parse(raw) as string;
  } catch {
    return raw;
  }
}

/** Lines and columns of some offsets, by one pass over the line ends before the last of them. */
function linesOf(text: string, offsets: readonly number[]): ReadonlyMap<number, TextPlace> {
  const places = new Map<number, TextPlace>();
  let line = 1;
  let lineStart = 0;
  // Looked for once each: a document may be one line of megabytes.
  let end = text.indexOf('\n');
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    while (end >= 0 && end < offset) {
      line += 1;
      lineStart = end + 1;
      end = text.indexOf('\n', lineStart);
    }
    places.set(offset, { line, column: offset - lineStart + 1 });
  }
  return places;
}
