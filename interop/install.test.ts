import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildExecutables, executableFile } from '../release/executable/build-executable.ts';
import { MANIFEST, NAMES } from '../release/names.ts';
import { buildProgram, PROGRAM_FOLDER } from '../release/program/build-program.ts';
import { followPage } from './install-page.ts';
import { isMissing, isNotRoot, run } from './programs.ts';

describe.skipIf(isNotRoot() || isMissing('/usr/sbin/ip', '/usr/bin/unshare'))('from the files of a release', () => {
  const tarball = `${NAMES.program}-${MANIFEST.version}.tgz`;
  let scratch: string;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'colophon-install-'));
    await buildProgram();
    await buildExecutables(['linux-x64']);
    const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', scratch, PROGRAM_FOLDER]);
    expect(packed.code, packed.stderr).toBe(0);
  }, 180_000);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  test.each([
    ['npm', tarball],
    ['tarball', tarball],
    ['executable', executableFile('linux-x64')],
  ])('docs/install/%s.md leads to a verified signature', async (page, file) => {
    const folder = join(scratch, page);
    mkdirSync(folder);
    copyFileSync(resolve(scratch, file), join(folder, basename(file)));
    // As a download leaves it.
    chmodSync(join(folder, basename(file)), 0o644);
    const { code, stdout, stderr } = await followPage(`install/${page}.md`, folder);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toMatch(/^verified app\.txt: signed by agent:code-writer /m);
    expect(stdout).toContain('artifact.mismatch');
  });
});
