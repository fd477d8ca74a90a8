import { expect, test } from 'vitest';
import { systemReason } from './system-reason.ts';

test.each([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'you have no permission (EACCES)'],
  ['EMFILE', 'EMFILE'],
  [undefined, 'unknown'],
])('%s: %s', (code, reason) => {
  expect(systemReason(Object.assign(new Error('text'), { code }))).toBe(reason);
});
