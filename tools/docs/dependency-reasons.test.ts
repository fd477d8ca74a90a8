import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { declaredDependencies, dependencyProblems, REASONS_PAGE, withUsers } from './dependency-reasons.ts';

function repository(page: string, version = '1.2.3'): string {
  const root = mkdtempSync(join(tmpdir(), 'dependencies-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  write('package.json', JSON.stringify({ devDependencies: { two: '2.0.0' } }));
  write(
    'packages/base/a/package.json',
    JSON.stringify({ name: '@colophon/a', dependencies: { one: '1.2.3', '@colophon/b': '0.1.0' } }),
  );
  write('packages/base/b/package.json', JSON.stringify({ name: '@colophon/b', dependencies: { one: version } }));
  write(REASONS_PAGE, page);
  return root;
}

const ONE = '| `one` | a, b | parses |\n';
const TWO = '| `two` | the repository | tests |\n';

test('a dependency is known with everyone who declares it; our own packages are none', () => {
  expect(declaredDependencies(repository(''))).toEqual([
    { name: 'one', usedBy: ['a', 'b'], versions: ['1.2.3', '1.2.3'] },
    { name: 'two', usedBy: ['the repository'], versions: ['2.0.0'] },
  ]);
});

test('a row for each dependency is no problem', () => {
  expect(dependencyProblems(repository(ONE + TWO))).toEqual([]);
});

test('the users can be written again, and the reasons stay', () => {
  const root = repository('');
  const page = `| \`one\` | c | parses |\n${TWO}| \`three\` | a | was used |\n`;
  expect(withUsers(page, declaredDependencies(root))).toBe(`${ONE + TWO}| \`three\` | a | was used |\n`);
});

test.each([
  ['a row is missing', ONE, '1.2.3', /no row for two/],
  ['a row is left over', `${ONE + TWO}| \`three\` | a | was used |\n`, '1.2.3', /three is no dependency/],
  ['the users changed', `| \`one\` | a | parses |\n${TWO}`, '1.2.3', /one is used by a, b/],
  ['a reason is missing', `| \`one\` | a, b | |\n${TWO}`, '1.2.3', /one has no reason/],
  ['a version is a range', ONE + TWO, '^1.2.3', /one has no exact version/],
  ['versions differ', ONE + TWO, '1.2.4', /one is declared in several versions/],
])('it is noticed when %s', (_, page, version, expected) => {
  expect(dependencyProblems(repository(page, version)).join('\n')).toMatch(expected);
});
