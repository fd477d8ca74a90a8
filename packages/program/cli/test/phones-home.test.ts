import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { grypeOutput, shopSbom } from './shop-scans.ts';

const PROGRAM = join(import.meta.dirname, '../bin/colophon.js');
const RECORDER = join(import.meta.dirname, 'record-connections.ts');
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;

const COMPONENT = { name: 'left-pad', version: '1.3.0' };

/** Runs a program with the recorder, and tells what it connected to and looked up. */
function contacted(
  node: readonly string[],
  cwd: string,
): { readonly status: number | null; readonly targets: string[] } {
  const file = join(cwd, 'connections');
  const { status, stderr } = spawnSync(process.execPath, ['--import', RECORDER, ...node], {
    cwd,
    encoding: 'utf8',
    // So that a Node process that the program starts is watched too.
    env: { PATH: process.env['PATH'], HOME: cwd, CONNECTIONS: file, NODE_OPTIONS: `--import ${RECORDER}` },
    timeout: 60_000,
  });
  expect(stderr).not.toContain('cli.internal');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return { status, targets: lines.map((line) => line.slice(line.indexOf(' ') + 1)) };
}

test.each([
  ['connect', `require('node:net').connect(1, '127.0.0.1').on('error', () => {})`, '127.0.0.1'],
  ['fetch', `fetch('http://127.0.0.1:65000/').catch(() => {})`, '127.0.0.1'],
  ['lookup', `require('node:dns').lookup('localhost', () => {})`, 'localhost'],
  [
    'dgram',
    `require('node:dgram').createSocket('udp4').send('x', 9, '127.0.0.1', function () { this.close() })`,
    '127.0.0.1',
  ],
])('the recorder sees a %s', (_name, script, target) => {
  expect(contacted(['-e', script], temporaryFolder(onTestFinished)).targets).toContain(target);
});

test.each([
  [0, ''],
  [0, '--version'],
  [0, '--help'],
  [0, 'completion bash'],
  [0, 'sbom validate shop.cdx.json'],
  [20, 'sbom licenses shop.cdx.json --allow MIT'],
  [0, 'sbom similarity one.js one.js'],
  [0, 'scan import grype.json'],
  [0, 'hash prompt one.js'],
  [11, 'env'],
])('exit %i, and nobody is contacted: colophon %s', (exit, line) => {
  const cwd = temporaryFolder(onTestFinished);
  writeFileSync(join(cwd, 'shop.cdx.json'), JSON.stringify(shopSbom({ day: '2026-01-05', components: [COMPONENT] })));
  writeFileSync(
    join(cwd, 'grype.json'),
    JSON.stringify(grypeOutput({ day: '2026-01-05', found: [{ ...COMPONENT, cve: 'CVE-2026-1' }] })),
  );
  writeFileSync(join(cwd, 'one.js'), 'export const half = (n) => n / 2;\n');
  expect(contacted([PROGRAM, ...line.split(' ').filter(Boolean)], cwd)).toEqual({ status: exit, targets: [] });
});

test('the demo contacts this machine alone', () => {
  const { status, targets } = contacted([PROGRAM, 'demo'], temporaryFolder(onTestFinished));
  expect(status).toBe(0);
  expect(targets.length).toBeGreaterThan(10);
  expect(targets.filter((target) => !LOOPBACK.test(target))).toEqual([]);
});
