import { formatInstant } from '@colophon/notation';
import { KeyError } from '../key-error/key-error.ts';
import { instantOf, type RingEntry } from './ring-entry.ts';

/** What a rotation waits for. */
export type RingTiming = {
  /** The longest time for which a reader may keep the key set. */
  readonly cacheSeconds: number;
  /** The longest life of a token. */
  readonly tokenSeconds: number;
};

/** The issuer's own: its documents may be kept for 300 s, and its tokens live for 600 s (contract §8). */
export const RING_TIMING: RingTiming = { cacheSeconds: 300, tokenSeconds: 600 };

/** A key is in the key set this much after the state names it, at the latest: a running server looks every second. */
const PICKUP_SECONDS = 5;

/** How far the clocks of those who verify may be behind. */
const SKEW_SECONDS = 60;

export type RingKeyState = 'next' | 'signing' | 'retiring' | 'retired' | 'revoked';

/** Which key signs at a time, and which are in the key set then, in the order of the ring. */
export type KeysAt = { readonly signing: RingEntry; readonly published: readonly RingEntry[] };

/**
 * The one rule of a ring: of the keys whose time to sign has come, the last one signs. Where a clock shows a time before
 * the first of them, because it went back after a revocation, the first one does: there is no other.
 * @param now milliseconds since 1970
 */
export function keysAt(entries: readonly RingEntry[], now: number): KeysAt {
  const live = entries.filter(
    ({ revoked_at, published_until }) =>
      revoked_at === undefined && now < instantOf(published_until, Number.POSITIVE_INFINITY),
  );
  const begins = (time: string | undefined) => instantOf(time, Number.NEGATIVE_INFINITY);
  const signing = live.findLast(({ signs_from }) => begins(signs_from) <= now) ?? live[0]!;
  return { signing, published: live.filter((entry) => entry === signing || begins(entry.published_at) <= now) };
}

/** What a key is at a time. */
export function stateOfKey(entries: readonly RingEntry[], entry: RingEntry, now: number): RingKeyState {
  if (entry.revoked_at !== undefined) return 'revoked';
  const { signing, published } = keysAt(entries, now);
  if (entry === signing) return 'signing';
  if (entries.indexOf(entry) > entries.indexOf(signing)) return 'next';
  return published.includes(entry) ? 'retiring' : 'retired';
}

/** Every time at which something changes, ascending. */
export function ringTimes(entries: readonly RingEntry[]): readonly number[] {
  const times = entries.flatMap(({ published_at, signs_from, published_until }) => [
    instantOf(published_at, Number.NEGATIVE_INFINITY),
    instantOf(signs_from, Number.NEGATIVE_INFINITY),
    instantOf(published_until, Number.POSITIVE_INFINITY),
  ]);
  return [...new Set(times)].filter(Number.isFinite).sort((a, b) => a - b);
}

/** @throws KeyError `key.rotation_under_way` where a key is in the set, or is to be, that does not sign yet. */
export function requireNoRotation(entries: readonly RingEntry[], now: number): void {
  const next = entries.find((entry) => stateOfKey(entries, entry, now) === 'next');
  if (next === undefined) return;
  throw new KeyError('key.rotation_under_way', `the key ${next.kid} is to sign from ${next.signs_from} on`);
}

/**
 * The ring with a next key: published now, signing a cache life later. The one that signs now leaves the key set when
 * no token of it can be valid any more.
 */
export function withNextKey(
  entries: readonly RingEntry[],
  key: Pick<RingEntry, 'file' | 'kid'>,
  { now, timing }: { readonly now: number; readonly timing: RingTiming },
): readonly RingEntry[] {
  const { signing } = keysAt(entries, now);
  const publishedAt = wholeSecond(now, Math.ceil);
  const signsFrom = publishedAt + (timing.cacheSeconds + PICKUP_SECONDS) * 1000;
  const until = signsFrom + retiringMs(timing);
  const next = { ...key, published_at: formatInstant(publishedAt), signs_from: formatInstant(signsFrom) };
  return [
    ...entries.map((entry) => (entry === signing ? { ...entry, published_until: formatInstant(until) } : entry)),
    next,
  ];
}

/**
 * The ring as an issuer with this timing has to see it: somebody who rotated it may have counted with shorter lives of
 * tokens. Such an end is put off; none is brought forward.
 */
export function withEndsPutOff(entries: readonly RingEntry[], timing: RingTiming): readonly RingEntry[] {
  return entries.map((entry, index) => {
    const { published_until } = entry;
    const next = entries.slice(index + 1).find(hasSigned);
    if (published_until === undefined || next === undefined) return entry;
    const needed = instantOf(next.signs_from, 0) + retiringMs(timing);
    return instantOf(published_until, 0) >= needed ? entry : { ...entry, published_until: formatInstant(needed) };
  });
}

/** Or is to: one that was revoked before its time never does. */
function hasSigned({ signs_from, revoked_at }: RingEntry): boolean {
  return instantOf(signs_from, Number.NEGATIVE_INFINITY) < instantOf(revoked_at, Number.POSITIVE_INFINITY);
}

function retiringMs({ cacheSeconds, tokenSeconds }: RingTiming): number {
  return (tokenSeconds + cacheSeconds + SKEW_SECONDS) * 1000;
}

/** Whether a ring without this key has none left that was to sign now or later. */
export function isLastKey(entries: readonly RingEntry[], kid: string, now: number): boolean {
  return entries.every((entry) => entry.kid === kid || !['signing', 'next'].includes(stateOfKey(entries, entry, now)));
}

/**
 * The ring without a key. If it was the one that signs, the next one signs at once: the one that is published for that
 * already, else `successor`.
 */
export function withoutKey(
  entries: readonly RingEntry[],
  kid: string,
  now: number,
  successor?: Pick<RingEntry, 'file' | 'kid'>,
): readonly RingEntry[] {
  const { signing } = keysAt(entries, now);
  const rest = entries.filter((entry) => entry.kid !== kid && entry.revoked_at === undefined);
  const next = successor ?? rest.find((entry) => entries.indexOf(entry) > entries.indexOf(signing));
  const revokedAt = wholeSecond(now, Math.floor);
  // No key signs before the one above it, whatever this machine's clock shows.
  const others = rest.filter((entry) => entry !== next);
  const from = Math.max(revokedAt, ...others.map(({ signs_from }) => instantOf(signs_from, revokedAt)));
  const all: readonly RingEntry[] = successor === undefined ? entries : [...entries, successor];
  return all.map((entry) => {
    if (entry.kid === kid) return { ...entry, revoked_at: formatInstant(revokedAt) };
    if (entry === next && signing.kid === kid) return startedBy(entry, from);
    // The one that was to end goes on where nobody comes after it.
    return entry === signing && next === undefined ? withoutEnd(entry) : entry;
  });
}

/** The same key, signing and published from this time on at the latest. */
function startedBy(entry: RingEntry, from: number): RingEntry {
  const atTheLatest = (time: string | undefined) => formatInstant(Math.min(from, instantOf(time, from)));
  return { ...entry, published_at: atTheLatest(entry.published_at), signs_from: atTheLatest(entry.signs_from) };
}

function withoutEnd({ published_until: _, ...entry }: RingEntry): RingEntry {
  return entry;
}

function wholeSecond(instant: number, round: (number: number) => number): number {
  return round(instant / 1000) * 1000;
}
