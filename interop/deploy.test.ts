import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { loadConfiguration } from '@colophon/server/configuration';
import { loadWitnessConfiguration } from '@colophon/server/witness';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { manifestProblems } from './kubernetes-manifest.ts';
import { isKubernetesMissing, type KubernetesServer, startKubernetes } from './kubernetes-server.ts';
import { isMissing, run } from './programs.ts';
import { UNIT } from './systemd-unit.ts';

const textOf = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const SIDECAR = textOf('deploy/kubernetes/colophon.yaml');
const SERVE = textOf('deploy/kubernetes/colophon-serve.yaml');
const WITNESSED = textOf('deploy/kubernetes/agent-with-witness.yaml');
const MANIFESTS = { 'colophon.yaml': SIDECAR, 'colophon-serve.yaml': SERVE, 'agent-with-witness.yaml': WITNESSED };
const SERVE_UNIT = join(import.meta.dirname, '../deploy/systemd/colophon-serve.service');
const WITNESS_UNIT = join(import.meta.dirname, '../deploy/systemd/colophon-witness.service');

describe.skipIf(isMissing('systemd-analyze')).each([
  ['up', UNIT, textOf('docs/container.md')],
  ['serve', SERVE_UNIT, textOf('docs/operate.md')],
  ['witness serve', WITNESS_UNIT, textOf('docs/isolated-witness.md')],
])('the systemd unit of %s', (_command, file, page) => {
  test('is one that systemd takes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const unit = join(folder, basename(file));
    // systemd looks whether the program is there.
    writeFileSync(unit, readFileSync(file, 'utf8').replace('/usr/local/bin/colophon', process.execPath));
    const { code, stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', unit]);
    expect([code, `${stdout}${stderr}`]).toEqual([0, '']);
  });

  test('is exposed as little as the page says', async () => {
    const { code, stdout } = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', file]);
    expect(code, stdout).toBe(0);
    const [, score] = /Overall exposure level for [\w.-]+\.service: ([\d.]+)/.exec(stdout) ?? [];
    expect(page).toContain(`exposure ${score}`);
  });
});

describe.skipIf(isKubernetesMissing())('an API server', () => {
  let folder: string;
  let kubernetes: KubernetesServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'colophon-kubernetes-'));
    kubernetes = await startKubernetes(folder);
    // Pod Security refuses a Pod, and only warns of a workload with such Pods.
    const labels = {
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/warn': 'restricted',
    };
    await kubernetes.createNamespace('restricted', labels);
  }, 90_000);
  afterAll(async () => {
    await kubernetes?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(Object.entries(MANIFESTS))('takes %s, and warns of nothing', async (_file, text) => {
    expect(await manifestProblems(kubernetes, text, 'restricted')).toEqual([]);
  });

  test.each([
    ['readOnlyRootFilesystem', 'readonlyRootFilesystem', /^400: .*unknown field ".*\.readonlyRootFilesystem"/],
    ['drop: [ALL]', 'drop: [NET_RAW]', /would violate PodSecurity .*: unrestricted capabilities/],
    ['runAsNonRoot: true', 'runAsNonRoot: false', /would violate PodSecurity .*: runAsNonRoot != true/],
  ])('takes none with %s as %s', async (right, wrong, reason) => {
    for (const text of Object.values(MANIFESTS)) {
      expect(text).toContain(right);
      const problems = await manifestProblems(kubernetes, text.replace(right, wrong), 'restricted');
      expect(problems).toEqual([expect.stringMatching(reason)]);
    }
  });
});

describe('the Kubernetes manifests', () => {
  test('the configuration in them is in order', () => {
    expect(loadConfiguration(configurationIn(SERVE)).live.callerList).toHaveLength(1);
    const { agentUser, callers, key } = loadWitnessConfiguration(configurationIn(WITNESSED));
    expect([agentUser, callers.length, key]).toEqual([undefined, 1, { env: 'WITNESS_KEY' }]);
  });

  test('the chart of the admission webhook configures what its manifest does', () => {
    const keysIn = (text: string) =>
      text
        .split('  admission.yaml: |\n')[1]
        ?.split('\n---')[0]
        ?.match(/^ {4}\w+(?=:)/gm);
    const wanted = keysIn(textOf('deploy/kubernetes/admission.yaml'));
    expect(wanted).toContain('    cluster');
    expect(keysIn(textOf('deploy/helm/colophon-admission/templates/configuration.yaml'))).toEqual(
      expect.arrayContaining(wanted ?? []),
    );
  });

  test('the agent’s container has no secret of the witness, and no folder of it', () => {
    const [, witness = '', agent = ''] = WITNESSED.split(/^ {8}- name: (?:witness|agent)$/m).map(
      (part) => part.split(/^ {6}\w/m)[0]!,
    );
    expect(witness).toContain('name: colophon-witness, key: key');
    expect(agent).toContain('name: colophon-run, key: secret');
    expect(agent).not.toMatch(/name: (?:colophon-witness|state|configuration)\b/);
  });

  test('the sidecar has a read-only root file system and no token of a service account', () => {
    expect(SIDECAR.match(/readOnlyRootFilesystem: true|securityContext: \*restricted/g)).toHaveLength(2);
    expect(SIDECAR).toContain('automountServiceAccountToken: false');
  });
});

/** The one configuration file of a ConfigMap, in a folder of its own. */
function configurationIn(manifest: string): string {
  const [, name = '', indented = ''] = /^ {2}(\w+\.yaml): \|\n((?: {4}.*\n)+)/m.exec(manifest) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'colophon-manifest-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), indented.replace(/^ {4}/gm, ''));
  return join(folder, name);
}
