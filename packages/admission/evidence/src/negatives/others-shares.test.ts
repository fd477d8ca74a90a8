import type { StandingWithdrawal } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_OTHERS_SHARE_BYTES, MOST_OTHERS_OF_ISSUER, OthersShares } from './others-shares.ts';
import type { OthersWithdrawal } from './standing-list.ts';

const hex = (n: number) => n.toString(16).padStart(64, '0');
let next = 0;

function withdrawal(issuer: string, subject: string, more: Partial<StandingWithdrawal> = {}): OthersWithdrawal {
  const arrival = ++next;
  const word = { rejection: hex(1), time: '2026-11-22T10:00:00Z', reason: 'left', ...more };
  return { arrival, word: { id: hex(arrival), issuer, subject, ...word } };
}
const idsOf = (words: readonly OthersWithdrawal[], bytes = MAX_OTHERS_SHARE_BYTES) =>
  new OthersShares(words).within(bytes).map(({ text }) => JSON.parse(text).id as string);
const ids = (words: readonly OthersWithdrawal[]) => words.map(({ word }) => word.id);
const flood = (count: number, issuer = 'https://forge.example', more?: Partial<StandingWithdrawal>) =>
  Array.from({ length: count }, (_, n) => withdrawal(issuer, `stranger ${n}`, more));

describe('signers who are no people', () => {
  test('have a share each, in the order in which they came', () => {
    const words = [withdrawal('https://a', 'one'), withdrawal('https://b', 'two'), withdrawal('https://a', 'one')];
    expect(idsOf([...words].reverse())).toEqual(ids([words[0]!, words[2]!, words[1]!]));
  });

  test('of one issuer have at most half of all shares', () => {
    const words = flood(MOST_OTHERS_OF_ISSUER + 1);
    const late = withdrawal('https://ci.example', 'release');
    expect(idsOf([...words, late])).toEqual(ids([...words.slice(0, -1), late]));
  });

  test('are no more than there are shares', () => {
    const words = [
      ...flood(MOST_OTHERS_OF_ISSUER, 'https://a'),
      ...flood(MOST_OTHERS_OF_ISSUER - 1, 'https://b'),
      withdrawal('https://c', 'last'),
    ];
    expect(idsOf([...words, withdrawal('https://d', 'too late')])).toEqual(ids(words));
  });

  test('keep the first of their words where a share is over, and no smaller one after it', () => {
    const long = (n: number) => withdrawal('https://a', 'one', { reason: 'x'.repeat(n) });
    const words = [long(1), long(900), long(2)];
    const most = new OthersShares([words[0]!, words[2]!]).within(1e6).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(idsOf(words, most)).toEqual(ids(words.slice(0, 1)));
    expect(idsOf(words, 0)).toEqual([]);
  });

  test('have none of their words listed that no page can hold', () => {
    const words = [withdrawal('https://a', 'x'.repeat(2_049)), withdrawal('https://a', 'one')];
    expect(idsOf(words)).toEqual(ids(words.slice(1)));
  });

  test('who have a share keep it and all that is in it, and the room that is left, whoever comes later', () => {
    const signer = fc.record({ issuer: fc.constantFrom('https://a', 'https://b', 'https://c'), subject: fc.nat(200) });
    const strangers = fc.array(signer, { maxLength: 400 });
    fc.assert(
      fc.property(strangers, strangers, fc.constantFrom('a', 'b', 'c', 'd'), (before, later, issuer) => {
        // What strangers sign may say that it is older.
        const words = (all: typeof before, time: string) =>
          all.map(({ issuer, subject }) => withdrawal(issuer, `${subject}`, { time }));
        const first = words(before, '2026-11-22T10:00:00Z');
        const ours = withdrawal(`https://${issuer}`, 'our release');
        const known = idsOf([...first, ours]);
        const flooding = words(later, '2026-11-21T10:00:00Z');
        const again = withdrawal(`https://${issuer}`, 'our release', { rejection: hex(2) });
        const after = new Set(idsOf([...flooding, again, ours, ...first]));
        expect(known.filter((id) => !after.has(id))).toEqual([]);
        expect(after.has(again.word.id)).toBe(known.includes(ours.word.id));
      }),
      { numRuns: 50 },
    );
  });
});
