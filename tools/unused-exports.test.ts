import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unusedExports } from './unused-exports.ts';

test('what a private package exports is used by another', () => {
  expect(unusedExports(join(import.meta.dirname, '..'))).toEqual([]);
});
