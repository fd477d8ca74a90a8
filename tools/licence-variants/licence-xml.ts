import { alternativesOf } from './alternatives.ts';

/** A piece of a licence's text, with what may stand in its place. */
export type Piece = {
  readonly text: string;
  /** Inside of these elements, the outermost first: an index into {@link LicenceXml.places}. */
  readonly places: readonly number[];
};
export type LicenceXml = {
  readonly id: string;
  readonly pieces: readonly Piece[];
  /** What may stand at each place instead of what stands there; nothing, where it may be left out. */
  readonly places: ReadonlyArray<readonly string[]>;
};

const OPTIONAL = new Set(['optional', 'titleText', 'copyrightText', 'bullet']);
/** An element whose pattern is no short list of texts stands for anything. */
const ANYTHING = ['*'];

/** Reads a licence of the repository of the SPDX list: its text in pieces, and what may vary. */
export function readLicenceXml(xml: string): LicenceXml | undefined {
  const id = /<license\b[^>]*\blicenseId="([^"]+)"/.exec(xml)?.[1];
  const [, text] = /<text>([\s\S]*)<\/text>/.exec(xml) ?? [];
  if (id === undefined || text === undefined) return undefined;
  const pieces: Piece[] = [];
  const places: Array<readonly string[]> = [];
  const open: Array<{ readonly name: string; readonly place?: number }> = [];
  const enter = (name: string, alternatives?: readonly string[]) => {
    if (alternatives !== undefined) places.push(alternatives);
    open.push({ name, ...(alternatives === undefined ? {} : { place: places.length - 1 }) });
    // An empty element has a place too.
    if (alternatives !== undefined) pieces.push({ text: '', places: placesOf(open) });
  };
  for (const [, comment, closing, name = '', attributes = '', isEmpty, plain] of text.matchAll(
    /(<!--[\s\S]*?-->)|<(\/?)([a-zA-Z]+)([^>]*?)(\/?)>|([^<]+)/g,
  )) {
    if (comment !== undefined) continue;
    if (plain !== undefined) pieces.push({ text: decoded(plain), places: placesOf(open) });
    else if (closing === '/') open.splice(open.findLastIndex((one) => one.name === name));
    else {
      if (isBreak(name)) pieces.push({ text: '\n', places: placesOf(open) });
      const match = /\bmatch="([^"]*)"/.exec(attributes)?.[1];
      const alternatives = OPTIONAL.has(name)
        ? ['']
        : name === 'alt' && match !== undefined
          ? (alternativesOf(decoded(match)) ?? ANYTHING)
          : undefined;
      enter(name, alternatives);
      if (isEmpty === '/') open.pop();
    }
  }
  return { id, pieces, places };
}

function isBreak(name: string): boolean {
  return name === 'p' || name === 'br' || name === 'item' || name === 'list';
}

function placesOf(open: ReadonlyArray<{ readonly place?: number }>): number[] {
  return open.flatMap(({ place }) => (place === undefined ? [] : [place]));
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(lt|gt|amp|quot|apos));/gi, (_, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }[name as string]!;
  });
}
