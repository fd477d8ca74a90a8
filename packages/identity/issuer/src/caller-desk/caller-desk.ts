import { type ApiKeyRow, CallerStore, type Database, SqliteLedger, StoreError } from '@colophon/store';
import { createApiKey } from '../api-key/api-key.ts';
import { CallerError } from '../caller-error/caller-error.ts';
import { recordChange } from '../ledger/ledger-event.ts';
import type { Clock, Random } from '../ports/ports.ts';
import { createSystemRandom, systemClock } from '../ports/system.ts';
import type { ApiKeyCreatedResult, RevokedResult, ShownApiKey, ShownCaller } from './caller-result.ts';
import { keyState } from './key-state.ts';

/** Days that a key lives where nothing else is asked for, and at most. */
export const DEFAULT_KEY_DAYS = 30;
export const DEFAULT_MAX_KEY_DAYS = 90;

const SECONDS_A_DAY = 86_400;
const SHORTEST_SECONDS = 60;

const CALLER_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Whether a text may be the name of a caller. */
export function isCallerName(text: string): boolean {
  return CALLER_NAME.test(text);
}

export type CallerDeskOptions = { readonly clock?: Clock; readonly random?: Random };

type Success<T> = Omit<T, 'ok'>;

/** Creates and revokes API keys, and revokes callers, each with its row in the ledger; also while a server runs on `db`. */
export class CallerDesk {
  readonly #ledger: SqliteLedger;
  readonly #clock: Clock;
  readonly #random: Random;

  /** @throws StoreError as {@link SqliteLedger} */
  constructor(db: Database, { clock = systemClock, random = createSystemRandom() }: CallerDeskOptions = {}) {
    this.#ledger = new SqliteLedger(db);
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * A new key, in the result alone: what is stored is its hash.
   * @throws CallerError `caller.name_invalid`, `caller.revoked`, `caller.expiry_invalid`; StoreError
   */
  async createKey(
    caller: string,
    { lifetimeSeconds = DEFAULT_KEY_DAYS * SECONDS_A_DAY, maxDays = DEFAULT_MAX_KEY_DAYS }: KeyLifetime = {},
  ): Promise<Success<ApiKeyCreatedResult>> {
    requireName(caller);
    const longest = maxDays * SECONDS_A_DAY;
    if (!Number.isSafeInteger(lifetimeSeconds) || lifetimeSeconds < SHORTEST_SECONDS || lifetimeSeconds > longest)
      throw new CallerError('caller.expiry_invalid', `a key lives from a minute to ${maxDays} days`);
    if (this.#ledger.callers.isRevoked(caller))
      throw new CallerError('caller.revoked', `${caller} was revoked, and gets no new key`);
    const { id: key_id, text, secretHash: secret_hash } = createApiKey((length) => this.#random.bytes(length));
    const at = this.#now();
    const key = { key_id, caller, secret_hash, created_at: at, expires_at: at + lifetimeSeconds };
    const facts = { event: 'api-key.created', caller, key_id, expires_at: key.expires_at } as const;
    await recordChange(this.#ledger, { kind: 'key-created', key }, facts, { at, random: this.#random });
    return { key_id, caller, created_at: time(at), expires_at: time(key.expires_at), key: text };
  }

  /** @throws CallerError `caller.key_not_found`, `caller.revoked_already`; StoreError */
  async revokeKey(keyId: string): Promise<Success<RevokedResult>> {
    const found = this.#ledger.callers.findKey(keyId);
    if (found === undefined) throw new CallerError('caller.key_not_found', 'no API key has this id');
    const { caller, key_id, expires_at } = found;
    const at = this.#now();
    const facts = { event: 'api-key.revoked', caller, key_id, expires_at } as const;
    const change = { kind: 'key-revoked', keyId, at } as const;
    await revoked(recordChange(this.#ledger, change, facts, { at, random: this.#random }), `key ${key_id}`);
    return { revoked: 'key', caller, key_id, revoked_at: time(at) };
  }

  /**
   * The caller's keys count for nothing from now on, and whatever else it proves itself with. It need not have a key.
   * @throws CallerError `caller.name_invalid`, `caller.revoked_already`; StoreError
   */
  async revokeCaller(caller: string): Promise<Success<RevokedResult>> {
    requireName(caller);
    const at = this.#now();
    const facts = { event: 'caller.revoked', caller } as const;
    const change = { kind: 'caller-revoked', caller, at } as const;
    await revoked(recordChange(this.#ledger, change, facts, { at, random: this.#random }), caller);
    return { revoked: 'caller', caller, revoked_at: time(at) };
  }

  #now(): number {
    return Math.floor(this.#clock.now() / 1000);
  }
}

/** Seconds, and the most days that the configuration allows. */
export type KeyLifetime = { readonly lifetimeSeconds?: number; readonly maxDays?: number };

/** Keys of every caller or of one, the oldest first. `db` may be opened read-only. @param now seconds since the epoch */
export function listKeys(db: Database, now: number, caller?: string): ShownApiKey[] {
  const store = new CallerStore(db);
  const revokedNames = new Set(store.revokedCallers().map((row) => row.caller));
  return store.keys(caller).map((key) => ({
    key_id: key.key_id,
    caller: key.caller,
    created_at: time(key.created_at),
    expires_at: time(key.expires_at),
    state: keyState(key, revokedNames.has(key.caller), now),
    revoked_at: timeOrNull(key.revoked_at),
    last_used_at: timeOrNull(key.last_used_at),
  }));
}

/**
 * Callers that have keys, were revoked, or are `configured`, by name. `db` may be opened read-only.
 * @param now seconds since the epoch
 */
export function listCallers(db: Database, now: number, configured: readonly string[] = []): ShownCaller[] {
  const store = new CallerStore(db);
  const revokedAt = new Map(store.revokedCallers().map((row) => [row.caller, row.revoked_at]));
  const keys = Map.groupBy(store.keys(), (key) => key.caller);
  const names = new Set([...configured, ...keys.keys(), ...revokedAt.keys()]);
  return [...names].sort().map((caller) => {
    const own: readonly ApiKeyRow[] = keys.get(caller) ?? [];
    const uses = own.flatMap(({ last_used_at }) => (last_used_at === null ? [] : [last_used_at]));
    return {
      caller,
      revoked_at: timeOrNull(revokedAt.get(caller) ?? null),
      key_count: own.length,
      active_key_count: own.filter((key) => keyState(key, revokedAt.has(caller), now) === 'active').length,
      last_used_at: timeOrNull(uses.length === 0 ? null : Math.max(...uses)),
    };
  });
}

/** @throws CallerError `caller.revoked_already` for what the ledger calls a conflict */
async function revoked(change: Promise<void>, what: string): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store.conflict') throw error;
    throw new CallerError('caller.revoked_already', `${what} was revoked before`, { cause: error });
  }
}

function requireName(caller: string): void {
  if (!isCallerName(caller)) throw new CallerError('caller.name_invalid', 'this is not the name of a caller');
}

function time(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

function timeOrNull(seconds: number | null): string | null {
  return seconds === null ? null : time(seconds);
}
