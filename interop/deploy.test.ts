import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isMissing, run } from './programs.ts';
import { UNIT } from './systemd-unit.ts';

const MANIFESTS = readFileSync(join(import.meta.dirname, '../deploy/kubernetes/colophon.yaml'), 'utf8');
const PAGE = readFileSync(join(import.meta.dirname, '../docs/container.md'), 'utf8');

describe.skipIf(isMissing('systemd-analyze'))('the systemd unit', () => {
  test('is one that systemd takes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const unit = join(folder, 'colophon.service');
    // systemd looks whether the program is there.
    writeFileSync(unit, readFileSync(UNIT, 'utf8').replace('/usr/local/bin/colophon', process.execPath));
    const { code, stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', unit]);
    expect([code, `${stdout}${stderr}`]).toEqual([0, '']);
  });

  test('is exposed as little as the page says', async () => {
    const { code, stdout } = await run('systemd-analyze', ['security', '--offline=true', '--threshold=15', UNIT]);
    expect(code, stdout).toBe(0);
    const [, score] = /Overall exposure level for colophon\.service: ([\d.]+)/.exec(stdout) ?? [];
    expect(PAGE).toContain(`exposure ${score}`);
  });
});

describe.skipIf(isMissing('kubernetes-check'))('the Kubernetes manifests', () => {
  const check = (input: string) => run('kubernetes-check', [], { input });

  test('have fields that Kubernetes knows, and a pod of the restricted standard', async () => {
    expect(await check(MANIFESTS)).toMatchObject({ code: 0, stdout: '' });
  });

  test.each([
    ['readOnlyRootFilesystem', 'readonlyRootFilesystem', 'unknown field'],
    ['drop: [ALL]', 'drop: [NET_RAW]', 'unrestricted capabilities'],
    ['runAsNonRoot: true', 'runAsNonRoot: false', 'runAsNonRoot'],
  ])('with %s as %s they are refused', async (right, wrong, reason) => {
    expect(MANIFESTS).toContain(right);
    const { code, stdout } = await check(MANIFESTS.replace(right, wrong));
    expect(code).toBe(1);
    expect(stdout).toContain(reason);
  });

  test('the sidecar has a read-only root file system and no token of a service account', () => {
    expect(MANIFESTS.match(/readOnlyRootFilesystem: true|securityContext: \*restricted/g)).toHaveLength(2);
    expect(MANIFESTS).toContain('automountServiceAccountToken: false');
  });
});
