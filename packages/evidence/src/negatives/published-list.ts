import { canonicalJson, type JsonValue } from '@colophon/json';
import { formatInstant } from '@colophon/notation';
import {
  createStandingNegativesStatement,
  LIST_RENEWAL_SECONDS,
  MAX_STANDING_NEGATIVES_BYTES,
  MOST_STANDING_NEGATIVES,
  type StandingNegatives,
  type Statement,
} from '@colophon/records';
import type { Database, ReviewWordStore } from '@colophon/store';
import { EvidenceError } from '../evidence-error/evidence-error.ts';
import { type StandingWords, standingWords } from './standing-list.ts';

/** How old a list may be that is handed out, in milliseconds. */
export const MAX_LIST_AGE_MS = LIST_RENEWAL_SECONDS * 1000;

/** Signs a statement as the evidence store; answers with a bundle that verifies. */
export type SignStatement = (statement: Statement) => Promise<Uint8Array>;

type Published = {
  readonly bundle: Uint8Array;
  /** Canonical JSON of what stands in it. */
  readonly content: string;
  /** The newest word that was looked at. */
  readonly newest: number;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
};

/** The list of standing negatives as one evidence store publishes it. */
export class PublishedList {
  readonly #db: Database;
  readonly #words: ReviewWordStore;
  readonly #sign: SignStatement;
  readonly #predicateBase: string;
  readonly #clock: { now(): number };
  #published: Published | undefined;
  #underWay: Promise<void> | undefined;

  constructor(options: {
    readonly db: Database;
    readonly words: ReviewWordStore;
    readonly sign: SignStatement;
    readonly predicateBase: string;
    readonly clock: { now(): number };
  }) {
    this.#db = options.db;
    this.#words = options.words;
    this.#sign = options.sign;
    this.#predicateBase = options.predicateBase;
    this.#clock = options.clock;
  }

  /**
   * The signed list with every word that was stored when it was asked for, at most {@link MAX_LIST_AGE_MS} old. However
   * many ask at once, one signature is made.
   * @throws EvidenceError `evidence.negatives_too_many`, `evidence.negatives_unsigned`; never an older list instead
   */
  async current(): Promise<Uint8Array> {
    const wanted = this.#db.read(() => this.#words.newest());
    for (;;) {
      const published = this.#published;
      if (published !== undefined && published.newest >= wanted && this.#isFresh(published)) return published.bundle;
      this.#underWay ??= this.#renew().finally(() => {
        this.#underWay = undefined;
      });
      await this.#underWay;
    }
  }

  #isFresh({ madeAt }: Published): boolean {
    const age = this.#clock.now() - madeAt;
    return age >= 0 && age < MAX_LIST_AGE_MS;
  }

  async #renew(): Promise<void> {
    // The time comes first: whatever was stored by then is in the list.
    const madeAt = this.#clock.now();
    const { newest, words } = this.#db.snapshot(() => ({
      newest: this.#words.newest(),
      words: standingWords(this.#words, this.#predicateBase),
    }));
    const content = contentOf(words);
    const last = this.#published;
    if (last?.content === content && this.#isFresh(last)) {
      this.#published = { ...last, newest };
      return;
    }
    const sequence = await this.#db.write(() => this.#words.nextSequence());
    const list: StandingNegatives = { sequence, time: formatInstant(madeAt), ...words };
    const bundle = await this.#signed(createStandingNegativesStatement(list, this.#predicateBase));
    this.#published = { bundle, content, newest, madeAt };
  }

  async #signed(statement: Statement): Promise<Uint8Array> {
    try {
      return await this.#sign(statement);
    } catch (cause) {
      const message = 'The list of standing negatives cannot be signed now.';
      throw new EvidenceError('evidence.negatives_unsigned', message, { cause });
    }
  }
}

/** A list is whole or it is not made: one without its last rejections would admit what they refuse. */
function contentOf(words: StandingWords): string {
  const content = Buffer.from(canonicalJson(words as unknown as JsonValue)).toString();
  const most = Math.max(words.rejections.length, words.withdrawals.length);
  if (most <= MOST_STANDING_NEGATIVES && Buffer.byteLength(content) <= MAX_STANDING_NEGATIVES_BYTES) return content;
  const message = 'More rejections stand than one list may hold.';
  throw new EvidenceError('evidence.negatives_too_many', message);
}
