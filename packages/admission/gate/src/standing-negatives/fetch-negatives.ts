import { type AskOptions, askPeer, eachAtOnce, isPassing } from '@colophon/peer';
import {
  type NegativesPages,
  negativesPageAddress,
  pagesOf,
  parseStandingNegatives,
  parseStatement,
  type StandingNegatives,
} from '@colophon/records';
import { parseBundle } from '@colophon/sigstore';

/** Largest signed list that is read, in bytes, without its pages: over twice as long as one may be. */
export const MOST_LIST_BYTES = 512 * 1024;
/** Of a list with all its pages. */
const WHOLE_LIST_MS = 60_000;
const RETRY: AskOptions['retry'] = { times: 1, firstPauseMs: 200, isPassing };
const GONE = 404;

/** A list as an address gave it, of which nothing is verified; or why it gave none. */
export type FetchedList = { readonly from: string } & (
  | {
      readonly bundle: Uint8Array;
      /** By the digest that they should have; those that the list names and that could be had. */
      readonly pages: NegativesPages;
    }
  /** With the list where only a page could not be had. */
  | { readonly error: unknown; readonly bundle?: Uint8Array }
);

export type FetchListOptions = {
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Of one request; 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Pages that are at hand: they are not asked for again. */
  readonly pages?: NegativesPages | undefined;
};

/**
 * Fetches a list of standing rejections and its pages. A page that is gone may have left the list a moment ago: then all is
 * asked for once more. Never throws: what goes wrong is in the answer.
 */
export async function fetchNegatives(
  from: string,
  { fetch, timeoutMs = 10_000, pages: atHand = new Map() }: FetchListOptions = {},
): Promise<FetchedList> {
  const asking = { fetch, timeoutMs, retry: RETRY, signal: AbortSignal.timeout(WHOLE_LIST_MS) };
  const known = new Map<string, Uint8Array | undefined>(atHand);
  let newest: Uint8Array | undefined;
  const note = (bundle: Uint8Array) => {
    newest = bundle;
  };
  const without = (error: unknown) => ({ from, error, ...(newest === undefined ? {} : { bundle: newest }) });
  try {
    const first = await fetchOnce(from, known, asking, note);
    return first ?? (await fetchOnce(from, known, asking, note)) ?? without(new Error('a page of it is gone'));
  } catch (error) {
    return without(error);
  }
}

/** Undefined where a page of it is gone. Pages are added to those that are known. */
async function fetchOnce(
  from: string,
  known: Map<string, Uint8Array | undefined>,
  asking: Omit<AskOptions, 'mostBytes'>,
  note: (bundle: Uint8Array) => void,
): Promise<FetchedList | undefined> {
  const bundle = await bodyAt(from, { ...asking, mostBytes: MOST_LIST_BYTES });
  if (bundle === undefined) throw new Error(`HTTP ${GONE}`);
  note(bundle);
  const named = pagesIn(bundle);
  const bytes = await eachAtOnce(named, async ({ digest, size }) => {
    const page =
      known.get(digest) ?? (await bodyAt(negativesPageAddress(from, digest), { ...asking, mostBytes: size }));
    known.set(digest, page);
    return page;
  });
  if (bytes.includes(undefined)) return undefined;
  return { from, bundle, pages: new Map(named.map(({ digest }) => [digest, known.get(digest) as Uint8Array])) };
}

/** Undefined where nothing is there. */
async function bodyAt(address: string, options: AskOptions): Promise<Uint8Array | undefined> {
  const answer = await askPeer(address, { headers: { accept: 'application/json' } }, options);
  if (answer.status === GONE) return undefined;
  if (!answer.isOk) throw new Error(`HTTP ${answer.status}`);
  return answer.body;
}

/** The pages that a list names by its own word; none of what is no list, as its reader says. */
function pagesIn(bundle: Uint8Array): StandingNegatives['pages'] {
  try {
    const { content } = parseBundle(bundle);
    const statement = content.$case === 'dsseEnvelope' ? parseStatement(content.dsseEnvelope.payload) : undefined;
    const list = statement?.ok ? parseStandingNegatives(statement.value.predicate) : undefined;
    return list?.ok ? pagesOf(list.value) : [];
  } catch {
    return [];
  }
}
