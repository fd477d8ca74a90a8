import type { OverflowingReviewer, StandingRejection } from '@colophon/records';
import { isListable, type ListedWord, listedWord } from './listed-word.ts';
import { Room } from './room.ts';
import type { SharedWord, StandingWords } from './standing-list.ts';

/** Bytes of canonical JSON that the words of one person fill at most: as much as a whole list had in version 1. */
export const MAX_SHARE_BYTES = 4 * 1024 * 1024;

type Share = {
  /** As many as fit, oldest first, each with the mark that stands in its place where there is less room. */
  readonly rejections: ReadonlyArray<{ readonly listed: ListedWord; readonly mark: ListedWord }>;
  readonly withdrawals: readonly ListedWord[];
  /** Of those that do not fit. */
  readonly marks: readonly ListedWord[];
};

/**
 * The words of people in a list, each measured once: of every share its oldest rejections, then its oldest withdrawals. In place of
 * rejections that do not fit there is one mark for every identity that signed one. So a share that is over stays as it is
 * whatever is added to it, but for marks of further identities.
 */
export class Shares {
  readonly #shares: readonly Share[];

  constructor({ rejections, withdrawals }: Pick<StandingWords, 'rejections' | 'withdrawals'>) {
    const rejected = Map.groupBy(rejections, ({ share }) => share);
    const withdrawn = Map.groupBy(withdrawals, ({ share }) => share);
    const names = new Set([...rejected.keys(), ...withdrawn.keys()]);
    this.#shares = [...names].map((name) => shareOf(name, rejected.get(name) ?? [], withdrawn.get(name) ?? []));
  }

  /** What is listed where no share has more than so many bytes, beside its marks; at most {@link MAX_SHARE_BYTES}. */
  within(mostBytes: number): ListedWord[] {
    return this.#shares.flatMap(({ rejections, withdrawals, marks }) => {
      const room = new Room(mostBytes);
      const words: ListedWord[] = [];
      const left = new Map(marks.map((mark) => [mark.text, mark]));
      for (const { listed, mark } of rejections) {
        if (room.takes(listed)) words.push(listed);
        else left.set(mark.text, mark);
      }
      return [...words, ...withdrawals.filter((word) => room.takes(word)), ...left.values()];
    });
  }
}

function shareOf(
  name: string,
  rejections: ReadonlyArray<SharedWord<StandingRejection>>,
  withdrawals: StandingWords['withdrawals'],
): Share {
  const room = new Room(MAX_SHARE_BYTES);
  const fitting: Array<Share['rejections'][number]> = [];
  const marks = new Map<string, ListedWord>();
  for (const word of oldestFirst(rejections)) {
    const { person, issuer, subject, certified } = word;
    const mark = listedWord('overflows', name, {
      person,
      issuer,
      subject,
      overflow: true,
      ...(certified === undefined ? {} : { certified }),
    } satisfies OverflowingReviewer);
    const listed = room.isFull ? undefined : listedWord('rejections', name, word, word.content);
    // What no reader would take is in no list, and is not forgotten.
    if (listed !== undefined && isListable(listed, word) && room.takes(listed)) fitting.push({ listed, mark });
    else marks.set(mark.text, mark);
  }
  const withdrawn = oldestFirst(withdrawals).flatMap((word) => {
    const listed = listedWord('withdrawals', name, word, word.id);
    return isListable(listed, word) && room.takes(listed) ? [listed] : [];
  });
  return { rejections: fitting, withdrawals: withdrawn, marks: [...marks.values()] };
}

function oldestFirst<T extends { readonly time: string }>(words: ReadonlyArray<SharedWord<T>>): readonly T[] {
  const timed = words.map(({ word }) => ({ word, at: Date.parse(word.time) }));
  return timed.sort((one, other) => one.at - other.at).map(({ word }) => word);
}
