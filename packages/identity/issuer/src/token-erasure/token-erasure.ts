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

/** The database of a frozen ledger. */
export type FrozenFile = {
  /** Undefined for a copy of which no row says that it is a ledger: a restore that was killed left it. */
  readonly origin: string | undefined;
  readonly db: Database;
};

export type ErasureOptions = {
  /** Why: kept in the ledger for ever, so it names nobody. */
  readonly reason: string;
  /** The account of the operating system. */
  readonly erasedBy: string;
  /** Every ledger that was frozen. */
  readonly frozen?: readonly FrozenFile[];
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
 *
 * Into a frozen ledger no row is written: the event stands in the one that is written, first, and names the other. All files are
 * written anew, since the rows of a frozen ledger were in the other file before.
 * @throws ErasureError; StoreError
 */
export async function eraseToken(db: Database, jti: string, options: ErasureOptions): Promise<ErasedToken> {
  const { reason, erasedBy, frozen = [], clock = systemClock, random = createSystemRandom() } = options;
  if (!isReason(reason))
    throw new ErasureError('erasure.reason_invalid', `a reason is one line of 1 to ${MAX_REASON_LENGTH} characters`);
  const ledger = new SqliteLedger(db);
  const copies = frozen.map((one) => ({ origin: one.origin, ledger: new SqliteLedger(one.db), db: one.db }));
  const holder = await holderOf(
    [{ origin: undefined, ledger }, ...copies.filter(({ origin }) => origin !== undefined)],
    jti,
  );
  if (holder === undefined) throw new ErasureError('erasure.token_not_found', 'no row of the ledger has this jti');
  const { found, origin } = holder;
  const left = await copiesOf(copies, jti);
  const isResumed = found.row.payload === null || (origin !== undefined && ledger.erasureEventOf(jti) !== undefined);
  if (!isResumed) {
    await erase(ledger, found, { reason, erasedBy, origin, at: Math.floor(clock.now() / 1000), random });
  } else if (left.length === 0 && ![ledger, ...copies.map((copy) => copy.ledger)].some(isUnfinished)) {
    throw erasedAlready(found);
  }
  await finish(async () => {
    const event = left.length === 0 ? undefined : (ledger.erasureEventOf(jti) ?? found.erasure?.payload);
    for (const copy of left) await copy.ledger.eraseFrozen(jti, contentOf(copy.found), event as string);
    // Before the frozen files: while one of these is marked, the same call begins here again.
    if (left.length > 0 || copies.some((copy) => isUnfinished(copy.ledger))) db.rewrite();
    await ledger.finishErasures();
    for (const copy of copies) await copy.ledger.finishErasures();
  });
  const { erased } = provenRecord((await holder.ledger.find(jti))!);
  return { jti, leaf_index: found.row.seq, erased: erased!, is_resumed: isResumed };
}

type Holder = { readonly origin: string | undefined; readonly ledger: SqliteLedger };

async function holderOf(
  ledgers: readonly Holder[],
  jti: string,
): Promise<(Holder & { found: FoundToken }) | undefined> {
  for (const one of ledgers) {
    const found = await one.ledger.find(jti);
    if (found !== undefined) return { ...one, found };
  }
  return undefined;
}

/** Those that still hold what is to be erased. */
async function copiesOf<T extends Holder>(copies: readonly T[], jti: string): Promise<(T & { found: FoundToken })[]> {
  const held: (T & { found: FoundToken })[] = [];
  for (const copy of copies) {
    const found = await copy.ledger.find(jti);
    if (found !== undefined && found.row.payload !== null) held.push({ ...copy, found });
  }
  return held;
}

function isUnfinished(ledger: SqliteLedger): boolean {
  return ledger.hasUnfinishedErasures();
}

type ErasureFacts = {
  readonly reason: string;
  readonly erasedBy: string;
  /** Of the frozen ledger that has the row. */
  readonly origin: string | undefined;
  readonly at: number;
  readonly random: Random;
};

async function erase(
  ledger: SqliteLedger,
  found: FoundToken,
  { reason, erasedBy, origin, at, random }: ErasureFacts,
): Promise<void> {
  const { jti, seq, leaf_hash } = found.row;
  const { claims, event } = provenRecord(found);
  if (event !== null) throw new ErasureError('erasure.is_event', `the row is an event, ${event.event}: events stay`);
  // The leaf of a frozen row that has none stands in the event, and nothing else will ever prove it.
  if (found.covered === undefined && origin === undefined)
    throw new ErasureError('erasure.not_sequenced', 'no checkpoint covers this row yet: nothing would prove its leaf');
  const repeated = repeatedClaim(reason, { ...claims });
  if (repeated !== undefined)
    throw new ErasureError('erasure.reason_repeats_payload', `the reason, which stays, contains the row’s ${repeated}`);
  const facts = {
    event: 'token.erased',
    erased_jti: jti,
    erased_leaf_index: seq,
    erased_leaf_hash: hex(leaf_hash),
    ...(origin === undefined ? {} : { erased_ledger: origin }),
    reason,
    erased_by: erasedBy,
  } as const;
  const row = eventRow(facts, at, random);
  try {
    if (origin === undefined) await ledger.erase({ jti, contentHash: contentOf(found), event: row });
    else await ledger.recordErasure(jti, row);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store.conflict') throw error;
    throw new ErasureError('erasure.erased_already', 'another command has just erased this row', { cause: error });
  }
}

function contentOf({ row: { salt, payload, authorization } }: FoundToken): Buffer {
  return Buffer.from(contentHash(salt!, payload!, authorization), 'hex');
}

async function finish(work: () => Promise<void>): Promise<void> {
  try {
    await work();
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
