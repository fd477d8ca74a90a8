import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseFences } from '../../tools/doc-fences.ts';
import { ROOT } from '../names.ts';
import { writeChecksums } from './checksums.ts';

const BUNDLES = ['one.tgz', 'two', 'SHA256SUMS', 'SHA256SUMS.agent-run', 'SHA256SUMS.agent-review'];

let folder: string;
const write = (name: string) => writeFileSync(join(folder, name), name);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-release-page-'));
  for (const name of ['one.tgz', 'two']) write(name);
  await writeChecksums(folder);
  for (const name of [...BUNDLES.map((name) => `${name}.sigstore.json`), 'trusted_root.json']) write(name);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs what the page says of all files, and answers with the exit code. */
function compareAll(): number | null {
  const page = readFileSync(join(ROOT, 'docs/release.md'), 'utf8');
  const script = parseFences(page).find(({ text }) => text.includes('ls -A'))?.text ?? '';
  const env = { ...process.env, RELEASE: folder };
  return spawnSync('bash', ['-euo', 'pipefail', '-c', script], { env }).status;
}

test.skipIf(process.platform !== 'linux')(
  'the lines of the page accept a release of which nothing is missing or added',
  () => {
    expect(compareAll()).toBe(0);
  },
);

test.skipIf(process.platform !== 'linux').each([
  ['a missing file', () => rmSync(join(folder, 'two'))],
  ['a changed file', () => writeFileSync(join(folder, 'two'), 'other')],
  ['a file that is not listed', () => write('three.tgz')],
  ['a hidden file', () => write('.npmrc')],
  ['a bundle of no file', () => write('three.tgz.sigstore.json')],
])('the lines of the page refuse %s', (_what, change) => {
  change();
  expect(compareAll()).toBe(1);
});
