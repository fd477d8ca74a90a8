import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { wholeProgram } from '../../packages/program/cli/test/command-line.ts';
import { runnable } from '../../packages/program/cli/test/help-examples.ts';
import { escaped } from './man-page.ts';
import { manPages } from './man-pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const pages = await manPages(ROOT);
const folder = mkdtempSync(join(tmpdir(), 'colophon-man-'));
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
afterAll(() => rmSync(folder, { recursive: true }));
const files = [...pages.keys()].map((name) => join(folder, name));
const lacks = (program: string) => spawnSync(program, ['--version']).error !== undefined;

test('the program and every command has a page with its flags and examples', async () => {
  const program = await wholeProgram();
  for (const path of runnable(program)) {
    const page = pages.get(`colophon-${path.replaceAll(' ', '-')}.1`) as string;
    expect(page).toContain('.SH EXAMPLES');
    expect(page).toContain('\\-\\-help');
  }
  expect(pages.get('colophon-sbom-validate.1')).toContain(escaped('--fail-on <severity>'));
});

test('the page of the program has commands, exit codes, variables and files', () => {
  const page = pages.get('colophon.1') as string;
  for (const words of ['colophon\\-sbom(1)', '\\fB21\\fR', '\\fBCOLOPHON_HOME\\fR', 'reviewer\\-secret']) {
    expect(page).toContain(words);
  }
  expect(page).not.toMatch(/\]\(|`/);
});

test.skipIf(lacks('mandoc'))('mandoc finds nothing to warn of', () => {
  const { stdout, status } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', ...files], { encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

test.skipIf(lacks('groff'))('groff finds nothing to warn of', () => {
  const { stdout, stderr, status } = spawnSync('groff', ['-man', '-ww', '-Tutf8', ...files], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout).toMatch(/colophon.*sbom/);
});
