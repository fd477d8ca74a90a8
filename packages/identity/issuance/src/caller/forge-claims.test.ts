import { expect, it } from 'vitest';
import { forgeOf } from './forge-claims.ts';

it.each([
  ['https://token.actions.githubusercontent.com', 'github'],
  ['https://gitlab.com', 'gitlab'],
  ['https://gitlab.com/', 'gitlab'],
  ['https://gitlab.com/other', undefined],
  ['https://gitlab.com.evil.example', undefined],
])('the address %s is of the forge %s', (issuer, forge) => {
  expect(forgeOf(issuer)).toBe(forge);
});
