import type { CallerChange, NewLedgerRow, SqliteLedger } from '@colophon/store';
import type { Random } from '../ports/ports.ts';
import type { LedgerEvent } from './issuance-record-result.ts';
import { LEDGER_EVENTS } from './ledger-event-kind.ts';
import { newLeaf, SALT_BYTES } from './ledger-leaf.ts';

/**
 * Whether a payload is that of an event. Nothing else tells rows apart, so no claim of a token is ever called `event`,
 * and no event has an `iss`.
 */
export function isLedgerEvent(payload: unknown): payload is LedgerEvent {
  if (typeof payload !== 'object' || payload === null || 'iss' in payload || !('event' in payload)) return false;
  return (LEDGER_EVENTS as readonly unknown[]).includes(payload.event);
}

/** What an event says beside its own id and time. */
export type EventFacts = Omit<LedgerEvent, 'jti' | 'iat'>;

/** The row of an event. @param at seconds since the epoch */
export function eventRow(facts: EventFacts, at: number, random: Random): NewLedgerRow {
  const { event, ...said } = facts;
  const jti = random.uuid();
  const payload = JSON.stringify({ event, jti, iat: at, ...said } satisfies Unfilled<LedgerEvent>);
  const content = { jti, issued_at: at, salt: random.bytes(SALT_BYTES), payload, authorization: null };
  return { ...content, ...newLeaf(content) };
}

/**
 * Makes a change to keys or callers, and records it: both are on disk, or neither is.
 * Rejects as {@link SqliteLedger.append}.
 */
export async function recordChange(
  ledger: SqliteLedger,
  change: CallerChange,
  facts: EventFacts,
  { at, random }: { readonly at: number; readonly random: Random },
): Promise<void> {
  await ledger.append([{ row: eventRow(facts, at, random) }], change);
}

/** The same members, each of which may hold undefined: JSON leaves those out. */
type Unfilled<T> = { readonly [member in keyof T]: T[member] | undefined };
