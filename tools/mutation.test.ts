import { expect, test } from 'vitest';
import { untriedFiles } from './mutation.ts';

const report = {
  files: {
    'a.ts': { mutants: [{ status: 'Survived' }, { status: 'Killed' }] },
    'b.ts': { mutants: [{ status: 'Ignored' }, { status: 'NoCoverage' }] },
    'c.ts': { mutants: [{ status: 'Timeout' }] },
    'd.ts': { mutants: [] },
  },
};

test('a file whose mutants died was tried', () => {
  expect(untriedFiles(['a.ts', 'c.ts'], report)).toEqual([]);
});

test.each(['b.ts', 'd.ts', 'renamed.ts'])('%s was not', (path) => {
  expect(untriedFiles(['a.ts', path], report)).toEqual([`${path}: no mutant of it was killed, so nothing was tried`]);
});
