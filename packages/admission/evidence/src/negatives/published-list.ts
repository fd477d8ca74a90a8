import { formatInstant } from '@colophon/notation';
import {
  createStandingNegativesStatement,
  LIST_RENEWAL_SECONDS,
  type PeopleIssuers,
  type StandingNegatives,
  type Statement,
} from '@colophon/records';
import type { Database, ReviewWordStore } from '@colophon/store';
import { EvidenceError } from '../evidence-error/evidence-error.ts';
import { pagesWithin } from './fitting-pages.ts';
import type { ListPage } from './list-page.ts';
import { OthersShares } from './others-shares.ts';
import { ServedPages } from './served-pages.ts';
import { Shares } from './share.ts';
import { standingWords } from './standing-list.ts';

/** How old a list may be that is handed out, in milliseconds. */
export const MAX_LIST_AGE_MS = LIST_RENEWAL_SECONDS * 1000;

/** Signs a statement as the evidence store; answers with a bundle that verifies. */
export type SignStatement = (statement: Statement) => Promise<Uint8Array>;

type Published = {
  readonly bundle: Uint8Array;
  readonly pages: readonly ListPage[];
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
  readonly #peopleIssuers: PeopleIssuers | undefined;
  readonly #pages = new ServedPages();
  #published: Published | undefined;
  #underWay: Promise<void> | undefined;

  constructor(options: {
    readonly db: Database;
    readonly words: ReviewWordStore;
    readonly sign: SignStatement;
    readonly predicateBase: string;
    readonly clock: { now(): number };
    /** As reviewerOf takes it. */
    readonly peopleIssuers?: PeopleIssuers | undefined;
  }) {
    this.#db = options.db;
    this.#words = options.words;
    this.#sign = options.sign;
    this.#predicateBase = options.predicateBase;
    this.#clock = options.clock;
    this.#peopleIssuers = options.peopleIssuers;
  }

  /**
   * The signed list with every word that was stored when it was asked for, at most {@link MAX_LIST_AGE_MS} old. However
   * many ask at once, one signature is made. What is signed are the digests of its pages.
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

  /**
   * The page of a digest, `sha256:<hex>`: of the list, or of one of a moment ago.
   * @throws EvidenceError as current, where it may be a page of a list that this process did not make yet
   */
  async page(digest: string): Promise<Uint8Array | undefined> {
    const known = this.#pages.get(digest);
    if (known !== undefined) return known;
    await this.current();
    return this.#pages.get(digest);
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
      words: standingWords(this.#words, this.#predicateBase, this.#peopleIssuers),
    }));
    const pages = pagesWithin(new Shares(words), new OthersShares(words.othersWithdrawals));
    const last = this.#published;
    if (last !== undefined && haveOneContent(last.pages, pages) && this.#isFresh(last)) {
      this.#published = { ...last, newest };
      return;
    }
    const sequence = await this.#db.write(() => this.#words.nextSequence());
    const named = pages.map(({ digest, bytes }) => ({ digest, size: bytes.length }));
    const list: StandingNegatives = { sequence, time: formatInstant(madeAt), pages: named };
    const bundle = await this.#signed(createStandingNegativesStatement(list, this.#predicateBase));
    this.#pages.replace(pages);
    this.#published = { bundle, pages, newest, madeAt };
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

function haveOneContent(one: readonly ListPage[], other: readonly ListPage[]): boolean {
  return one.length === other.length && one.every(({ digest }, place) => digest === other[place]?.digest);
}
