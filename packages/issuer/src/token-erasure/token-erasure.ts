import { type Database, type FoundToken, SqliteLedger, StoreError } from '@colophon/store';
import { hex } from '../ledger/issuance-record.ts';
import { eventRow } from '../ledger/ledger-event.ts';
import { contentHash } from '../ledger/ledger-leaf.ts';
import { type ProvenRecord, provenRecord } from '../ledger/ledger-proof.ts';
import type { Clock, Random } from '../ports/ports.ts';
import { createSystemRandom, systemClock } from '../ports/system.ts';
import { ErasureError } from './erasure-error.ts';

/** Characters of a reason. */
const MAX_REASON_LENGTH = 500;
/** A shorter value of a claim says nothing of anybody, and is part of many words. */
const MIN_REPEATED_LENGTH = 5;

export type ErasureOptions = {
  /** Why: kept in the ledger for ever, so it names nobody. */
  readonly reason: string;
  /** The account of the operating system. */
  readonly erasedBy: string;
  readonly clock?: Clock;
  readonly random?: Random;
};

/** A row that is erased, and where what it held is not. */
export type ErasedToken = {
  readonly jti: string;
  readonly leaf_index: number;
  readonly erased: NonNullable<ProvenRecord['erased']>;
  /** Whether an earlier command had erased the row, and this one removed the copies that it had left. */
  readonly is_resumed: boolean;
};

/**
 * Erases what a row of the ledger holds of people: payload, salt and authorization. The leaf stays, and an event records it, in the same
 * transaction. Then the file is written anew, so that no old copy is left in it or in its write-ahead log; if that was
 * interrupted, the same call goes on with it. Also while a server runs on the file.
 * @throws ErasureError; StoreError
 */
export async function eraseToken(db: Database, jti: string, options: ErasureOptions): Promise<ErasedToken> {
  const { reason, erasedBy, clock = systemClock, random = createSystemRandom() } = options;
  if (!isReason(reason))
    throw new ErasureError('erasure.reason_invalid', `a reason is one line of 1 to ${MAX_REASON_LENGTH} characters`);
  const ledger = new SqliteLedger(db);
  const found = await ledger.find(jti);
  if (found === undefined) throw new ErasureError('erasure.token_not_found', 'no row of the ledger has this jti');
  const isResumed = found.row.payload === null;
  if (isResumed) {
    if (!ledger.hasUnfinishedErasures()) throw erasedAlready(found);
  } else {
    await erase(ledger, found, { reason, erasedBy, at: Math.floor(clock.now() / 1000), random });
  }
  await finish(ledger);
  const { erased } = provenRecord((await ledger.find(jti))!);
  return { jti, leaf_index: found.row.seq, erased: erased!, is_resumed: isResumed };
}

async function erase(
  ledger: SqliteLedger,
  found: FoundToken,
  { reason, erasedBy, at, random }: { reason: string; erasedBy: string; at: number; random: Random },
): Promise<void> {
  const { jti, seq, salt, leaf_hash, payload, authorization } = found.row;
  const { claims, event } = provenRecord(found);
  if (event !== null) throw new ErasureError('erasure.is_event', `the row is an event, ${event.event}: events stay`);
  if (found.covered === undefined)
    throw new ErasureError('erasure.not_sequenced', 'no checkpoint covers this row yet: nothing would prove its leaf');
  const repeated = repeatedClaim(reason, { ...claims });
  if (repeated !== undefined)
    throw new ErasureError('erasure.reason_repeats_payload', `the reason, which stays, contains the row’s ${repeated}`);
  const facts = {
    event: 'token.erased',
    erased_jti: jti,
    erased_leaf_index: seq,
    erased_leaf_hash: hex(leaf_hash),
    reason,
    erased_by: erasedBy,
  } as const;
  const content = Buffer.from(contentHash(salt!, payload!, authorization), 'hex');
  try {
    await ledger.erase({ jti, contentHash: content, event: eventRow(facts, at, random) });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store.conflict') throw error;
    throw new ErasureError('erasure.erased_already', 'another command has just erased this row', { cause: error });
  }
}

async function finish(ledger: SqliteLedger): Promise<void> {
  try {
    await ledger.finishErasures();
  } catch (cause) {
    const message = 'the row is erased; old copies may still be in the file: give the same command again';
    throw new ErasureError('erasure.unfinished', message, { cause });
  }
}

function erasedAlready(found: FoundToken): ErasureError {
  const { erased } = provenRecord(found);
  const how = erased === null ? '' : ` at ${erased.at}: ${erased.reason}`;
  return new ErasureError('erasure.erased_already', `this row was erased${how}`);
}

function isReason(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_REASON_LENGTH && !/\p{C}|\p{Zl}|\p{Zp}/u.test(text);
}

/** The first claim whose value the reason contains, without regard to case; ids and addresses of machines may stand there. */
function repeatedClaim(reason: string, claims: { readonly [claim: string]: unknown }): string | undefined {
  const said = reason.toLowerCase();
  const { iss, aud, jti, ...rest } = claims;
  return Object.entries(rest).find(
    ([, value]) =>
      typeof value === 'string' && value.length >= MIN_REPEATED_LENGTH && said.includes(value.toLowerCase()),
  )?.[0];
}
