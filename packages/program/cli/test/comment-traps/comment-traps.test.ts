import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from '../command-line.ts';
import { type CommentTrap, LISTED_TRAPS } from './listed-traps.ts';
import { PARSED_TRAPS } from './parsed-traps.ts';

const BY_AGENT = 'work\n\nColophon-Agent: code-writer@2.4.1\n';

/** A repository of some eighty files, each of which git is asked about. */
const TIMEOUT_MS = 120_000;

const textOf = ({ before, line, after }: CommentTrap) => before + line.repeat(9) + after;

/** Commits every file as people wrote it, then with the agent's lines, and lets `--fix` have them. */
async function fixed(traps: readonly CommentTrap[], message = BY_AGENT) {
  const { folder, commit } = gitRepository(onTestFinished);
  commit('base', Object.fromEntries(traps.map((one) => [one.path, one.before + one.after])));
  commit(message, Object.fromEntries(traps.map((one) => [one.path, textOf(one)])));
  const env = { HOME: folder, PATH: process.env['PATH'] };
  const fix = async () => {
    const ran = await runLine(['sbom', 'comments', '--repository', folder, '--fix', '--output', 'json'], env);
    const { findings } = documentOf(ran) as { findings: Array<Record<string, unknown>> };
    return { exitCode: ran.exitCode, findings };
  };
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  return { ...(await fix()), fix, read };
}

test('every trap in a language without a parser is listed, and its file stays as it is', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { exitCode, findings, read } = await fixed(LISTED_TRAPS);
  expect(exitCode).toBe(20);
  const changed = LISTED_TRAPS.filter((one) => read(one.path) !== textOf(one));
  expect(changed.map(({ path, trap }) => `${path}: ${trap}`)).toEqual([]);
  const listed = new Set(findings.map(({ file }) => file));
  expect(LISTED_TRAPS.filter(({ path }) => !listed.has(path)).map(({ path }) => path)).toEqual([]);
});

const isOurs = (line: string) => line.includes('colophon:');

test('every trap in a language with a parser has its comment where the program stays the same, or nowhere', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { findings, fix, read } = await fixed(PARSED_TRAPS);
  const outcomes = PARSED_TRAPS.map((one) => {
    const lines = read(one.path).split('\n');
    const at = lines.findIndex(isOurs);
    // Whatever was written: all else is as it was.
    expect(lines.filter((line) => !isOurs(line)).join('\n'), one.path).toBe(textOf(one));
    const [finding] = findings.filter(({ file }) => file === one.path);
    return { path: one.path, trap: one.trap, outcome: at < 0 ? finding?.['not_fixable_code'] : at + 1 };
  });
  expect(outcomes).toEqual(PARSED_TRAPS.map(({ path, trap, outcome }) => ({ path, trap, outcome })));
  // Twice is once: what was written is found, what was not is told again.
  const again = await fix();
  const open = PARSED_TRAPS.filter(({ outcome }) => typeof outcome === 'string');
  expect(again.findings.map(({ file, fixed }) => [file, fixed])).toEqual(
    open.map(({ path }) => [path, false]).sort(([a], [b]) => (`${a}` < `${b}` ? -1 : 1)),
  );
});
