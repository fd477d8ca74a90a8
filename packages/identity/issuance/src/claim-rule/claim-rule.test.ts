import { CLAIMS, SOURCED_CLAIMS, type TokenPurpose } from '@colophon/records';
import { expect, test } from 'vitest';
import { CLAIM_RULES } from './claim-rule.ts';

test.each(SOURCED_CLAIMS)('it is decided whom we believe about %s, wherever a request may carry it', (claim) => {
  const ruled = Object.entries(CLAIM_RULES).flatMap(([purpose, rules]) =>
    rules[claim] === undefined ? [] : [purpose],
  );
  const optionalFor: readonly TokenPurpose[] = CLAIMS[claim].optionalFor;
  expect(ruled).not.toEqual([]);
  expect(ruled).toEqual(expect.arrayContaining([...optionalFor]));
});
