import { expect, test } from 'vitest';
import { systemReason } from './system-reason.ts';

test.each([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'you have no permission (EACCES)'],
  ['ENAMETOOLONG', 'a name in it is too long'],
  ['EMFILE', 'EMFILE'],
  [undefined, 'unknown'],
])('%s: %s', (code, reason) => {
  expect(systemReason(Object.assign(new Error('text'), { code }))).toBe(reason);
});
