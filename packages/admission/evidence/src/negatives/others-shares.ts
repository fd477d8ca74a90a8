import { isListable, type ListedWord, listedWord } from './listed-word.ts';
import { Room } from './room.ts';
import type { OthersWithdrawal } from './standing-list.ts';

/** Bytes of canonical JSON that the withdrawals of one signer fill at most, who is no person. */
export const MAX_OTHERS_SHARE_BYTES = 16 * 1024;

/** So many such signers have a share: together as much as one person. */
export const MOST_OTHERS = 256;

/** So many of them by certificates of one issuer, so that nobody who has all that one issuer gives out fills all shares. */
export const MOST_OTHERS_OF_ISSUER = MOST_OTHERS / 2;

/** All their words stand together in the list. */
const OTHERS = '';

/**
 * Withdrawals by signers who are no people, each of whom has a share: those whose first withdrawal of a rejection that
 * stands came first to the store. So who has a share keeps it, and all of it, whoever comes later, and whatever times they
 * have signed for.
 */
export class OthersShares {
  readonly #shares: ReadonlyArray<readonly ListedWord[]>;

  constructor(withdrawals: readonly OthersWithdrawal[]) {
    const inOrder = withdrawals.toSorted((one, other) => one.arrival - other.arrival);
    const bySigner = Map.groupBy(inOrder, ({ word: { issuer, subject } }) => JSON.stringify([issuer, subject]));
    const ofIssuer = new Map<string, number>();
    const shares: Array<readonly ListedWord[]> = [];
    for (const words of bySigner.values()) {
      if (shares.length === MOST_OTHERS) break;
      const { issuer } = words[0]!.word;
      const count = ofIssuer.get(issuer) ?? 0;
      if (count === MOST_OTHERS_OF_ISSUER) continue;
      ofIssuer.set(issuer, count + 1);
      shares.push(words.flatMap(({ word }) => listed(word)));
    }
    this.#shares = shares;
  }

  /** What is listed where none of these shares has more than so many bytes. */
  within(mostBytes: number): ListedWord[] {
    return this.#shares.flatMap((words) => {
      const room = new Room(mostBytes);
      return words.filter((word) => room.takes(word));
    });
  }
}

function listed(word: OthersWithdrawal['word']): ListedWord[] {
  const one = listedWord('withdrawals', OTHERS, word, word.id);
  return isListable(one, word) ? [one] : [];
}
