import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

test('a temporary folder is new, empty, its owner’s, and goes with all it holds', () => {
  const undo: (() => void)[] = [];
  const folder = temporaryFolder((step) => undo.push(step));
  expect(readdirSync(folder)).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(temporaryFolder(onTestFinished)).not.toBe(folder);
  writeFileSync(join(folder, 'file'), 'x');
  for (const step of undo) step();
  expect(existsSync(folder)).toBe(false);
});
