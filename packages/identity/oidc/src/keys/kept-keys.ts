import { type TokenFault, TokenRefused } from '../token/token-refused.ts';
import type { KeySource } from '../token/verify-token.ts';
import type { KeySet } from './key-set.ts';

/** How long a key set is used without asking again; a revoked key is refused after that. */
export const KEY_SET_LIFETIME_MS = 5 * 60 * 1000;

/** An unknown `kid` asks the issuer again, but not more often than this. */
export const KEY_SET_COOLDOWN_MS = 10_000;

/** Told of each question to an issuer: what was wrong with the answer, undefined where nothing was. */
export type OnKeysAsked = (fault: TokenFault | undefined) => void;

/** What is kept of one issuer: its last key set, when it was asked for, and the question that is under way. */
type Kept = { set?: KeySet; fetchedAt: number; askedAt: number; pending?: Promise<KeySet> };

/**
 * Keys that are kept for a while. All who need the same issuer's keys at once share one question; nobody waits for
 * another issuer's. A set that is too old is not used, also where there is no newer one.
 *
 * @param ask for an issuer's key set; it ends by itself. @throws TokenRefused
 */
export function keepKeys(
  ask: (issuer: string) => Promise<KeySet>,
  clock: { now(): Date },
  onAsked: OnKeysAsked = () => {},
): KeySource {
  const kept = new Map<string, Kept>();

  async function findIn<Found>(issuer: string, find: (set: KeySet) => Found | undefined): Promise<Found | undefined> {
    const entry: Kept = kept.get(issuer) ?? { askedAt: Number.NEGATIVE_INFINITY, fetchedAt: Number.NEGATIVE_INFINITY };
    kept.set(issuer, entry);
    const now = clock.now().getTime();
    const fresh = isWithin(KEY_SET_LIFETIME_MS, entry.fetchedAt, now) ? entry.set : undefined;
    const known = fresh && find(fresh);
    if (known !== undefined) return known;
    // Somebody who invents key ids must not be able to make us hammer the issuer.
    if (entry.pending === undefined && isWithin(KEY_SET_COOLDOWN_MS, entry.askedAt, now)) {
      // Whether there is such a key is known only where the issuer answered last time.
      if (fresh !== undefined && entry.fetchedAt === entry.askedAt) return undefined;
      throw new TokenRefused('issuer_unreachable', 'the issuer could not be reached a moment ago');
    }
    entry.pending ??= askAt(entry, issuer, now);
    return find(await entry.pending);
  }

  async function askAt(entry: Kept, issuer: string, now: number): Promise<KeySet> {
    entry.askedAt = now;
    try {
      const set = await ask(issuer);
      Object.assign(entry, { set, fetchedAt: now });
      onAsked(undefined);
      return set;
    } catch (error) {
      onAsked(error instanceof TokenRefused ? error.fault : 'issuer_unreachable');
      throw error;
    } finally {
      delete entry.pending;
    }
  }

  return {
    findKey: (issuer, kid) => findIn(issuer, ({ byId }) => byId.get(kid)),
    findOnlyKey: (issuer) => findIn(issuer, ({ only }) => only),
  };
}

/** Not where the clock went back behind it: how long ago that was is not known any more. */
function isWithin(lifetimeMs: number, since: number, now: number): boolean {
  return now >= since && now - since < lifetimeMs;
}
