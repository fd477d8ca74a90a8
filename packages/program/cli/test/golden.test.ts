import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CONFIGURATION_EXAMPLE } from '@colophon/server/configuration';
import { type ApiServer, cleanupAt, startApiServer } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';
import { withoutVolatile } from './volatile.ts';

// What scripts rely on. `npm test -- -u` writes the files anew; the difference is to be read before it is committed.
const cleanup = cleanupAt(afterAll);
let here: Installation;
let image: string;
let unreviewed: string;
/** A cluster with the webhook configurations, and one without. */
let cluster: ApiServer;
let bareCluster: ApiServer;

beforeAll(async () => {
  here = await install(cleanup);
  const report = here.file('report.txt', 'what the agent wrote\n');
  const run = here.file('agent-run.json', AGENT_RUN);
  const marked = { type: 'library', name: 'x', 'bom-ref': 'x', 'x-ai-generated': { agent: 'y' } };
  const file = { type: 'file', name: 'src/a.ts', 'bom-ref': 'f' };
  const citations = [{ timestamp: '2026-11-21T10:00:00Z', pointers: ['/version'], attributedTo: 'x' }];
  const components = [marked, file];
  here.file('bom.json', { bomFormat: 'CycloneDX', specVersion: '1.7', version: 1, components, citations });
  here.file('policy.yaml', policyText(here.url, here.registry));
  cpSync(CASES, join(here.folder, 'cases'), { recursive: true });
  const at = (name: string) => join(here.folder, name);
  await here.document('sign-blob', '--bundle', at('report.json'), ...CONTEXT, report);
  await here.document(
    'attest-blob',
    '--type',
    'agent-run',
    '--predicate',
    run,
    '--bundle',
    at('run.json'),
    ...CONTEXT,
    report,
  );
  image = await here.push('webshop');
  await here.document('sign', ...CONTEXT, image);
  const review = ['--reviewer', 'alice@example.com', '--commit-sha', COMMIT, '--duration', '48'];
  await here.document('review', 'approve', image, ...review);
  unreviewed = await here.push('webshop-unreviewed');
  await here.document('sign', ...CONTEXT, unreviewed);
  cluster = await startApiServer(cleanup);
  bareCluster = await startApiServer(cleanup);
  for (const kind of ['validating', 'mutating']) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/colophon-admission`;
    cluster.put(path, { webhooks: [{ name: 'admission.example', clientConfig: {} }] });
  }
});
/** All that a mark by word alone needs. */
const DECLARED = [
  ...['--declare', 'agent=code-writer', '--declare', 'model=m', '--declare', `prompt=sha256:${'0'.repeat(64)}`],
  ...['--declare', 'generated_at=2026-11-20T10:00:00Z'],
  ...['--declare', 'reviewed_by=dana@example.com', '--declare', 'reviewed_at=2026-11-20T11:00:00Z'],
];

const byAlice = () => [
  ...['--certificate-identity', 'reviewer:alice@example.com'],
  ...['--certificate-oidc-issuer', here.url],
];

/** Of the key that was created before. */
const keyId = () => {
  const db = new DatabaseSync(join(here.dataDir, 'colophon.db'), { readOnly: true });
  const row = db.prepare('SELECT key_id FROM api_key').get();
  db.close();
  return String(row?.['key_id']);
};

/** Of the first token, which was exchanged. */
function firstJti(): string {
  const db = new DatabaseSync(join(here.dataDir, 'colophon.db'), { readOnly: true });
  const row = db.prepare('SELECT jti FROM ledger_entry ORDER BY seq').get();
  db.close();
  return String(row?.['jti']);
}

/** The key that the line before it made. */
function nextKid(): string {
  const state = readFileSync(join(here.dataDir, 'keys', 'issuer-rs256.ring.json'), 'utf8');
  return JSON.parse(state).keys[1].kid;
}

/** What is admitted, what is refused, and what nobody knows. */
const manifests = () => `apiVersion: v1
kind: Pod
metadata: { name: reviewed, namespace: shop }
spec:
  containers: [{ name: web, image: "${image}" }]
  initContainers: [{ name: setup, image: "${unreviewed}" }]
---
apiVersion: v1
kind: Service
metadata: { name: web }
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: { generateName: rolled- }
spec: { template: { spec: { containers: [{ name: web, image: "${image}" }] } } }
`;

const CASES = join(import.meta.dirname, '../../../../docs/admission-cases');

const LINES: Array<[name: string, exitCode: number, line: (path: (name: string) => string) => string[]]> = [
  ['verify-blob', 0, (path) => ['verify-blob', '--bundle', path('report.json'), ...here.pinned, path('report.txt')]],
  [
    'verify-blob-attestation',
    0,
    (path) => [
      'verify-blob-attestation',
      '--type',
      'agent-run',
      '--bundle',
      path('run.json'),
      ...here.pinned,
      path('report.txt'),
    ],
  ],
  [
    'verify-blob.refused',
    12,
    (path) => ['verify-blob', '--bundle', path('report.json'), ...here.pinned, path('policy.yaml')],
  ],
  ['verify', 0, () => ['verify', ...here.pinned, image]],
  ['verify-attestation', 0, () => ['verify-attestation', '--type', 'agent-review', ...byAlice(), image]],
  ['admit', 0, (path) => ['admit', image, '--policy', path('policy.yaml')]],
  ['admit.refused', 20, (path) => ['admit', unreviewed, '--policy', path('policy.yaml')]],
  ['admission-certificates', 0, () => ['admission', 'certificates', '--server', cluster.url]],
  ['admission-certificates.again', 0, () => ['admission', 'certificates', '--server', cluster.url]],
  ['admission-certificates.refused', 11, () => ['admission', 'certificates', '--server', bareCluster.url]],
  [
    'admit-filename',
    20,
    (path) => ['admit', '-f', here.file('pods.yaml', manifests()), '--policy', path('policy.yaml')],
  ],
  ['admission-lint', 0, (path) => ['admission', 'lint', path('policy.yaml')]],
  ['admission-test', 0, (path) => ['admission', 'test', path('cases')]],
  [
    'admission-generate',
    0,
    (path) => [
      ...['admission', 'generate', '--policy', path('policy.yaml'), '--to', 'policy-controller'],
      ...['--out', path('generated')],
    ],
  ],
  ['explain', 0, (path) => ['explain', image, '--policy', path('policy.yaml')]],
  ['explain.file', 0, (path) => ['explain', path('report.txt')]],
  ['explain.refused', 20, (path) => ['explain', unreviewed, '--policy', path('policy.yaml')]],
  ['pack', 0, (path) => ['pack', image, '--policy', path('policy.yaml'), '--out', path('image.pack.json')]],
  ['verify-offline', 0, (path) => ['verify', '--offline', path('image.pack.json'), '--policy', path('policy.yaml')]],
  ['verify-offline.refused', 13, (path) => ['verify', '--offline', path('image.pack.json')]],
  ['log-search', 0, (path) => ['log', 'search', '--artifact', path('report.txt')]],
  ['log-get', 0, () => ['log', 'get', '--log-index', '0']],
  ['log-verify', 0, () => ['log', 'verify']],
  ['query', 0, () => ['query', 'runs where review.duration < 60s']],
  ['query.refused', 1, () => ['query', 'runs where agnet = a']],
  ['config-check', 0, () => ['config', 'check', here.file('colophon.yaml', CONFIGURATION_EXAMPLE)]],
  ['config-check.refused', 1, () => ['config', 'check', here.file('broken.yaml', 'issuer: x\nlisten: {}\n')]],
  ['keys-list', 0, () => ['keys', 'list']],
  ['keys-rotate', 0, () => ['keys', 'rotate']],
  ['keys-revoke', 0, () => ['keys', 'revoke', nextKid()]],
  ['keys-list.revoked', 0, () => ['keys', 'list']],
  ['ledger-verify', 0, () => ['ledger', 'verify']],
  ['ledger-export', 0, () => ['ledger', 'export']],
  ['ledger-reconcile', 0, () => ['ledger', 'reconcile']],
  ['ledger-erase', 0, () => ['ledger', 'erase', firstJti(), '--reason', 'ticket 4711']],
  ['callers-key-create', 0, () => ['callers', 'key', 'create', 'release-bot']],
  ['callers-key-create.refused', 1, () => ['callers', 'key', 'create', 'release-bot', '--expires-in', '91d']],
  ['callers-revoke', 0, () => ['callers', 'revoke', 'other-bot']],
  ['callers-revoke.refused', 10, () => ['callers', 'revoke', 'other-bot']],
  ['callers-list', 0, () => ['callers', 'list']],
  ['callers-key-list', 0, () => ['callers', 'key', 'list']],
  ['callers-key-revoke', 0, () => ['callers', 'key', 'revoke', keyId()]],
  [
    'sbom-attribute',
    0,
    (path) => [
      ...['sbom', 'attribute', path('bom.json'), '--bundle', path('run.json'), ...here.pinned],
      ...['--component', 'f', ...DECLARED, '--out', path('attributed.json')],
    ],
  ],
  [
    'sbom-convert',
    0,
    (path) => ['sbom', 'convert', path('bom.json'), '--spec-version', '1.6', '--out', path('converted.json')],
  ],
  ['env', 0, () => ['env']],
  ['health', 0, () => ['health']],
  ['hash-prompt', 0, (path) => ['hash', 'prompt', path('report.txt')]],
  ['hash-policy', 0, (path) => ['hash', 'policy', path('policy.yaml'), path('report.txt')]],
];

test.each(LINES)('colophon %s --output json is what it was', async (name, exitCode, line) => {
  const ran = await here.run(...line((file) => join(here.folder, file)), '--output', 'json');
  expect(ran.exitCode).toBe(exitCode);
  expect(ran.stderr).toBe('');
  const document = withoutVolatile(documentOf(ran), { folder: here.folder, port: new URL(here.url).port });
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.json`);
});

test('the golden files hold nothing of the machine that wrote them', () => {
  const golden = join(import.meta.dirname, 'golden');
  for (const name of readdirSync(golden)) {
    const text = readFileSync(join(golden, name), 'utf8');
    expect(text).not.toMatch(/\/tmp\/|\/home\/|\/root\/|localhost:\d/);
  }
});
