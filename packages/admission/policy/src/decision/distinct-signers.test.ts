import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distinctSigners } from './distinct-signers.ts';

const meeting = (...rules: string[]) => rules.map((signers) => new Set(signers));

describe('distinctSigners', () => {
  it.each([
    ['no rule', [], []],
    ['one rule', ['a'], ['a']],
    ['a rule that nobody meets', ['', 'a'], [undefined, 'a']],
    ['one signer for two rules', ['a', 'a'], ['a', undefined]],
    ['the first rule open to both', ['ab', 'a'], ['b', 'a']],
    ['a chain of rules', ['ab', 'bc', 'a'], ['b', 'c', 'a']],
    ['two signers for three rules', ['ab', 'ab', 'ab'], ['b', 'a', undefined]],
  ])('%s', (_title, rules, expected) => {
    expect(distinctSigners(meeting(...rules))).toEqual(expected);
  });

  it('meets as many rules as any choice could, with no signer twice, in whatever order', () => {
    const signers = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd'), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(signers, { maxLength: 5 }), (rules) => {
        const sets = rules.map((one) => new Set(one));
        const chosen = distinctSigners(sets);
        const taken = chosen.filter((one) => one !== undefined);
        expect(new Set(taken).size).toBe(taken.length);
        for (const [index, one] of chosen.entries()) if (one !== undefined) expect(sets[index]!.has(one)).toBe(true);
        expect(taken.length).toBe(most(sets, new Set()));
        expect(distinctSigners(sets.toReversed()).filter((one) => one !== undefined)).toHaveLength(taken.length);
      }),
    );
  });
});

/** The most rules that can be met, by trying every choice. */
function most([first, ...rest]: ReadonlyArray<ReadonlySet<string>>, used: ReadonlySet<string>): number {
  if (first === undefined) return 0;
  const choices = [...first].filter((one) => !used.has(one)).map((one) => 1 + most(rest, new Set([...used, one])));
  return Math.max(most(rest, used), ...choices);
}
