import { canonicalJson, type JsonValue, type ParseResult, parseStrictJson } from '@colophon/json';
import { parseInstant } from '@colophon/notation';
import type { XStatic } from 'typebox/schema';
import { digestOf } from '../digest/digest.ts';
import { checkRecord } from '../record-schema/record-check.ts';
import { NEGATIVES_SOURCE, type StandingNegatives } from './standing-negatives.ts';
import {
  MAX_NEGATIVES_PAGE_BYTES,
  MAX_STANDING_NEGATIVES_BYTES,
  negativesPageSchema,
} from './standing-negatives-schema.ts';

/** What stands in one page of the list, or in all of them together. */
export type NegativesPage = XStatic<typeof negativesPageSchema>;

/** A verified rejection; `images` and `commits` are all that it names. */
export type StandingRejection = NegativesPage['rejections'][number];

/** A verified withdrawal; whether its signer may withdraw is for a policy to say. */
export type StandingWithdrawal = NegativesPage['withdrawals'][number];

/** An identity with more rejections than the list holds of it: of what, nobody can tell. */
export type OverflowingReviewer = NegativesPage['overflows'][number];

/** The whole list: what was signed, and what stands in its pages, oldest first. */
export type ListedNegatives = Pick<StandingNegatives, 'sequence' | 'time'> & NegativesPage;

/** Bytes of the pages of a list, by their digest. */
export type NegativesPages = ReadonlyMap<string, Uint8Array>;

/** Why the pages of a list are not the list. No part of such a list counts. */
export class NegativesPageError extends Error {
  override readonly name = 'NegativesPageError';
}

const DEPTH = 8;

/**
 * Reads a page out of its bytes.
 *
 * @returns the page as it is, or every issue at once (up to 100), with codes `standing_negatives.*` and those of
 *   parseStrictJson.
 */
export function parseNegativesPage(bytes: Uint8Array): ParseResult<NegativesPage> {
  const json = parseStrictJson(bytes, { maxBytes: MAX_NEGATIVES_PAGE_BYTES, maxDepth: DEPTH });
  if (!json.ok) return json;
  const issues = negativesPageIssues(json.value);
  return issues.length === 0 ? { ok: true, value: json.value as unknown as NegativesPage } : { ok: false, issues };
}

/** Everything that is wrong with a page, up to 100 issues, with codes `standing_negatives.*`. */
export function negativesPageIssues(value: unknown): ReturnType<typeof checkRecord> {
  return checkRecord('standing_negatives', negativesPageSchema, value, NEGATIVES_SOURCE);
}

/** The bytes of a page: canonical JSON (RFC 8785). */
export function encodeNegativesPage(page: NegativesPage): Uint8Array {
  return canonicalJson(page as unknown as JsonValue);
}

/** Where a page of the list at an address is. A list names no addresses: its pages are under its own. */
export function negativesPageAddress(list: string, digest: string): string {
  const query = list.indexOf('?');
  const path = query === -1 ? list : list.slice(0, query);
  const page = `${path.replace(/\/+$/, '')}/pages/${digest.slice('sha256:'.length)}`;
  return query === -1 ? page : page + list.slice(query);
}

/**
 * Which pages a list has, before any of them is asked for.
 * @throws NegativesPageError for a page that is named twice, and for more bytes than a list may have
 */
export function pagesOf({ pages }: StandingNegatives): StandingNegatives['pages'] {
  if (new Set(pages.map(({ digest }) => digest)).size < pages.length) {
    throw new NegativesPageError('the list names a page twice');
  }
  const bytes = pages.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= MAX_STANDING_NEGATIVES_BYTES) return pages;
  throw new NegativesPageError(`the pages of the list have ${bytes} bytes, over ${MAX_STANDING_NEGATIVES_BYTES}`);
}

/** Pages that were read before: bytes that somebody still holds have the same digest and content. */
const readBefore = new WeakMap<Uint8Array, { readonly digest: string; readonly page: NegativesPage }>();

/**
 * The whole list, out of what was signed and the bytes of its pages. Whose signature it is, is for its reader to ask.
 * @param pages whoever gave them: each has to have the digest and the size that were signed
 * @throws NegativesPageError where one is missing, is another, or is malformed: then nothing of the list is known
 */
export function joinNegativesPages(list: StandingNegatives, pages: NegativesPages): ListedNegatives {
  const read = pagesOf(list).map((named, place) => pageIn(named, pages, `page ${place + 1} of ${list.pages.length}`));
  return {
    sequence: list.sequence,
    time: list.time,
    rejections: oldestFirst(read.flatMap(({ rejections }) => rejections)),
    withdrawals: oldestFirst(read.flatMap(({ withdrawals }) => withdrawals)),
    overflows: read.flatMap(({ overflows }) => overflows),
  };
}

function pageIn(
  { digest, size }: StandingNegatives['pages'][number],
  pages: NegativesPages,
  which: string,
): NegativesPage {
  const bytes = pages.get(digest);
  if (bytes === undefined) throw new NegativesPageError(`${which} is missing`);
  if (bytes.length !== size) throw new NegativesPageError(`${which} has ${bytes.length} bytes and not ${size}`);
  const known = readBefore.get(bytes) ?? read(bytes, which);
  if (known.digest !== digest) throw new NegativesPageError(`${which} has another digest`);
  readBefore.set(bytes, known);
  return known.page;
}

function read(bytes: Uint8Array, which: string): { readonly digest: string; readonly page: NegativesPage } {
  const digest = digestOf(bytes);
  const parsed = parseNegativesPage(bytes);
  if (parsed.ok) return { digest, page: parsed.value };
  const [first] = parsed.issues;
  throw new NegativesPageError(`${which} is malformed: ${[first?.path, first?.code].join(' ').trim()}`);
}

function oldestFirst<T extends { readonly time: string }>(words: readonly T[]): T[] {
  const timed = words.map((word) => [parseInstant(word.time) ?? 0, word] as const);
  return timed.sort(([one], [other]) => one - other).map(([, word]) => word);
}
