import { type GlobParts, globParts, type ImageGlob, writtenOutGlob } from './image-glob.ts';

/**
 * Whether some image is covered by both globs: their repositories overlap, and so do tags and digests where both name one.
 */
export function globsOverlap(one: ImageGlob, other: ImageGlob): boolean {
  return partsOverlap(partsOf(one), partsOf(other));
}

/** Whether a glob names a tag, so that the same image by its digest alone is not covered. */
export function namesTag(glob: ImageGlob): boolean {
  return partsOf(glob).tag !== undefined;
}

/**
 * Whether a tag decides that an image of both repositories is covered by the other glob and not by this one. Two different
 * tags count as that, unless this one is `*`: whether one pattern holds all of another is not looked at.
 */
export function isLeftByTag(glob: ImageGlob, other: ImageGlob): boolean {
  const [{ tag, ...here }, { tag: otherTag, ...there }] = [partsOf(glob), partsOf(other)];
  if (tag === undefined || tag === otherTag || (tag === '*' && otherTag !== undefined)) return false;
  return partsOverlap(here, there);
}

/** Whether images of every registry are covered. */
export function coversEveryRegistry(glob: ImageGlob): boolean {
  const text = fullText(glob);
  return text.startsWith('**') || text.startsWith('*/');
}

function partsOverlap(a: GlobParts, b: GlobParts): boolean {
  const meet = (left: string | undefined, right: string | undefined) =>
    left === undefined || right === undefined || textsOverlap(left, right);
  return textsOverlap(a.repository, b.repository) && meet(a.tag, b.tag) && meet(a.digest, b.digest);
}

function fullText({ text }: ImageGlob): string {
  return writtenOutGlob(text) ?? text;
}

function partsOf(glob: ImageGlob): GlobParts {
  return globParts(fullText(glob));
}

/** A character, a star, or something that may be left out together with the tokens up to `to`. */
type Token = { readonly char: string } | { readonly star: '*' | '**' } | { readonly to: number };

function tokensOf(glob: string): Token[] {
  const tokens: Token[] = [];
  for (const part of glob.split(/(\/\*\*\/|\*\*|\*)/)) {
    if (part === '/**/') {
      tokens.push({ char: '/' }, { to: tokens.length + 4 }, { star: '**' }, { char: '/' });
    } else if (part === '**' || part === '*') tokens.push({ star: part });
    else tokens.push(...[...part].map((char) => ({ char })));
  }
  return tokens;
}

/** Both are walked at once: a place in each of them, and every such pair at most once. */
function textsOverlap(one: string, other: string): boolean {
  const [a, b] = [tokensOf(one), tokensOf(other)];
  const seen = new Set<number>();
  const open: Array<readonly [i: number, j: number]> = [[0, 0]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [i, j] = pair;
    if (i === a.length && j === b.length) return true;
    const id = i * (b.length + 1) + j;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...skips(a[i], i).map((next) => [next, j] as const));
    open.push(...skips(b[j], j).map((next) => [i, next] as const));
    if (canBe(a[i], b[j])) open.push([afterOne(a[i], i), afterOne(b[j], j)]);
  }
  return false;
}

/** Where one may go on without a character. */
function skips(token: Token | undefined, at: number): number[] {
  if (token === undefined || 'char' in token) return [];
  return 'to' in token ? [at + 1, token.to] : [at + 1];
}

/** Whether one character may be both. Two stars need not go on together: one of them ends first. */
function canBe(one: Token | undefined, other: Token | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if ('char' in one) return 'char' in other ? one.char === other.char : accepts(other, one.char);
  return 'char' in other && accepts(one, other.char);
}

function accepts(token: Token, char: string): boolean {
  return 'star' in token && (token.star === '**' || char !== '/');
}

function afterOne(token: Token | undefined, at: number): number {
  return token !== undefined && 'star' in token ? at : at + 1;
}
