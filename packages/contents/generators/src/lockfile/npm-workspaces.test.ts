import { expect, test } from 'vitest';
import { workspaceTest } from './npm-workspaces.ts';

test.each([
  [['packages/*'], 'packages/a', true],
  [['packages/*'], 'packages/a/b', false],
  [['packages/*'], 'ext', false],
  [['./packages/*/'], 'packages/a', true],
  [{ packages: ['apps/web'] }, 'apps/web', true],
  [['packages/**'], 'packages/a/b', true],
  [['**/lib'], 'a/b/lib', true],
  [['packages/a-*-b'], 'packages/a-x-b', true],
  [['packages/a-*-b'], 'packages/a-b', false],
  [['*'], '../x', false],
  [['{a,b}/*'], 'a/c', true],
  [['!packages/a'], 'packages/a', false],
  [undefined, 'packages/a', false],
])('of workspaces %j, %s is one: %s', (workspaces, location, isOne) => {
  expect(workspaceTest(workspaces)(location)).toBe(isOne);
});

test('a pattern of many stars takes no time', () => {
  expect(workspaceTest([`${'*a'.repeat(5000)}b`])('a'.repeat(10_000))).toBe(false);
});
