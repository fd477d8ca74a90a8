import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareVersions } from '@colophon/notation';
import { describe, expect, test } from 'vitest';
import { isMissing, run } from './programs.ts';
import { type Pair, TYPES, versionPairs } from './version-pairs.ts';

/** Where osv-scalibr orders otherwise than the ecosystem's own tool; the README of packages/base/notation lists the same. */
type Difference = { readonly why: string; readonly concerns: (left: string, right: string) => boolean };

const either =
  (shape: RegExp): Difference['concerns'] =>
  (left, right) =>
    shape.test(left) || shape.test(right);
const countNumbers = (version: string): number => (/^[0-9.]*[0-9]/.exec(version)?.[0] ?? '').split('.').length;

const DIFFERENCES: Readonly<Record<string, readonly Difference[]>> = {
  apk: [
    { why: 'a missing number is zero', concerns: (left, right) => countNumbers(left) !== countNumbers(right) },
    { why: 'a missing revision is zero', concerns: (left, right) => left.includes('-r') !== right.includes('-r') },
    { why: 'hashes are not compared', concerns: either(/~/) },
  ],
  composer: [
    { why: 'upper case counts', concerns: either(/[A-Z]/) },
    { why: 'an empty part counts', concerns: either(/[._-]{2}|[._-]$/) },
  ],
  gem: [
    { why: 'a hyphen does not begin a prerelease', concerns: either(/-/) },
    { why: '`00` is not zero', concerns: either(/\.0[0-9]|(?<![0-9])00/) },
  ],
  maven: [
    { why: 'a qualifier after a dot is not as one after a hyphen', concerns: either(/\.[a-z]/i) },
    { why: 'a version may not begin with letters', concerns: either(/^[a-z]/i) },
    { why: 'zeros and empty parts before a hyphen count', concerns: either(/[.-]0+-|\.\.|--|-\.|\.-/) },
  ],
  npm: [{ why: 'an identifier `-1` is a number', concerns: either(/[.-]-[0-9]/) }],
  pub: [{ why: 'build metadata is text', concerns: either(/\+/) }],
  rpm: [{ why: 'the release begins at the first hyphen', concerns: either(/-.*-/) }],
};

/** osv-scalibr follows PHP's `version_compare`; what Composer completes and leaves out before it asks that is done here. */
function inFourNumbers(version: string): string {
  const [, numbers = '', rest = ''] = /^v?([0-9]+(?:\.[0-9]+)*)(.*)$/i.exec(version.replace(/\+.*/, '')) ?? [];
  const written = numbers.split('.');
  return [...written, '0', '0', '0'].slice(0, Math.max(4, written.length)).join('.') + rest;
}

type Compared = Pair & { readonly ours: number; readonly theirs: string };

/** What both decide: the program's answer is a line for each pair. */
function compared(pairs: readonly Pair[], stdout: string): Compared[] {
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(pairs.length);
  return pairs.flatMap((pair, index) => {
    const ours = compareVersions(pair.type, pair.left, pair.right);
    const theirs = lines[index] as string;
    return ours === undefined || theirs === 'error' ? [] : [{ ...pair, ours, theirs }];
  });
}

const isDifferent = ({ ours, theirs }: Compared): boolean => String(ours) !== theirs;
const inputOf = (pairs: readonly Pair[]): string =>
  pairs.map(({ type, left, right }) => `${type}\t${left}\t${right}\n`).join('');

describe.skipIf(isMissing('version-order'))('osv-scalibr', () => {
  test.each(TYPES)('orders the versions of %s as we do, but for what is listed', async (type) => {
    const generated = versionPairs(type, 3000);
    const pairs =
      type === 'composer'
        ? generated.map((pair) => ({ type, left: inFourNumbers(pair.left), right: inFourNumbers(pair.right) }))
        : generated;
    const { code, stdout, stderr } = await run('version-order', [], { input: inputOf(pairs) });
    expect(code, stderr).toBe(0);
    const both = compared(pairs, stdout);
    const different = both.filter(isDifferent);
    const known = DIFFERENCES[type] ?? [];
    const isKnown = ({ left, right }: Pair): boolean => known.some(({ concerns }) => concerns(left, right));
    expect(different.filter((pair) => !isKnown(pair))).toEqual([]);
    const isSeen = ({ concerns }: Difference): boolean => different.some(({ left, right }) => concerns(left, right));
    expect(known.filter((difference) => !isSeen(difference))).toEqual([]);
    expect(both.length).toBeGreaterThan(1000);
    expect(different.length).toBeLessThan(both.length / 20);
  });
});

describe.skipIf(isMissing('dpkg'))('dpkg', () => {
  test('orders the versions of deb as we do', async () => {
    const pairs = versionPairs('deb', 400);
    const ask = `while IFS=$'\\t' read -r _ left right; do
      answer=error
      for order in lt:-1 eq:0 gt:1; do
        if dpkg --compare-versions "$left" "\${order%:*}" "$right" 2>/dev/null; then answer=\${order#*:} && break; fi
      done
      echo "$answer"
    done`;
    const { code, stdout, stderr } = await run('bash', ['-c', ask], { input: inputOf(pairs) });
    expect(code, stderr).toBe(0);
    const both = compared(pairs, stdout);
    expect(both.filter(isDifferent)).toEqual([]);
    expect(both.length).toBeGreaterThan(300);
  });
});

describe.skipIf(isMissing('rpm'))('rpm', () => {
  test('orders the versions of rpm as we do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-rpm-'));
    try {
      const pairs = versionPairs('rpm', 5000);
      const file = join(folder, 'pairs.tsv');
      writeFileSync(file, inputOf(pairs));
      const script = `for line in io.lines("${file}") do
        local _, left, right = line:match("([^\\t]*)\\t([^\\t]*)\\t(.*)")
        print(rpm.vercmp(left, right) .. "\\n")
      end`;
      const { code, stdout, stderr } = await run('rpm', ['--eval', `%{lua:${script}}`]);
      expect(code, stderr).toBe(0);
      const both = compared(pairs, stdout);
      expect(both.filter(isDifferent)).toEqual([]);
      expect(both.length).toBeGreaterThan(4000);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
