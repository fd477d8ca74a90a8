// Writes what a release keeps: `node packages/program/cli/test/frozen/write.ts`, by hand, once, before it is published. No test runs it.
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startServer } from '@colophon/server';
import { checkoutSbom, grypeOutput, KNOWN_EXPLOITED, osvScannerOutput } from '../../src/demo/checkout-service.ts';
import { pushImageOf } from '../../src/demo/scene.ts';
import { VERSION } from '../../src/program/version.ts';
import { runLine } from '../command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT } from '../installation.ts';
import { DANA_PRIVATE_KEY, DANA_PUBLIC_KEY } from '../openpgp-key.ts';
import { type ShopFinding, grypeOutput as shopGrype, shopSbom } from '../shop-scans.ts';
import { ISSUER, PORT, REGISTRY, RELEASES } from './releases.ts';

const place = join(RELEASES, VERSION);
if (existsSync(place)) throw new TypeError(`${place} is there: what a release wrote is never written again`);
// Records name the path that a file was read from.
const root = join(tmpdir(), `colophon-${VERSION}`);
mkdirSync(join(root, 'files'), { recursive: true });
const SCANNER_OUTPUTS = join(import.meta.dirname, '../../../../vulnerabilities/scanners/vectors/scanner-output');
// Names in records are those of the command line: relative to here.
process.chdir(join(root, 'files'));

const env = {
  HOME: root,
  COLOPHON_HOME: join(root, 'data'),
  XDG_CONFIG_HOME: join(root, 'config'),
  DOCKER_CONFIG: join(root, 'docker'),
};

async function run(...line: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runLine(line, env);
  if (exitCode !== 0) throw new Error(`colophon ${line.join(' ')}: ${exitCode}\n${stdout}\n${stderr}`);
  return stdout;
}

const text = (name: string, content: string) => {
  mkdirSync(dirname(name), { recursive: true });
  writeFileSync(name, content);
};
const json = (name: string, value: unknown) => text(name, `${JSON.stringify(value, null, 2)}\n`);
const read = (name: string) => JSON.parse(readFileSync(name, 'utf8'));
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+Z$/, 'Z');

const ALICE = ['--reviewer', 'alice@example.com'];
const BOB = ['--reviewer', 'bob@example.com'];
const AGENT = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', ISSUER];
const BY_ALICE = ['--certificate-identity', 'reviewer:alice@example.com', '--certificate-oidc-issuer', ISSUER];

const reviewerSecretFile = join(root, 'config', 'colophon', 'reviewer-secret');
const server = await startServer({ dataDir: env.COLOPHON_HOME, reviewerSecretFile, port: PORT });
try {
  await signFiles();
  await signImages();
  await attributeSboms();
  await keepScans();
  await keepRecords();
  await keepReport();
  await eraseRow();
  const negatives = await fetch(`${ISSUER}/negatives`);
  text('standing-negatives.sigstore.json', await negatives.text());
  await run('callers', 'key', 'create', 'release-bot', '--expires-in', '90d');
  await run('log', 'verify');
  await run('ledger', 'verify');
} finally {
  await server.close();
}
for (const name of ['colophon.db', 'remediation.db']) intoOneFile(join(env.COLOPHON_HOME, name));
json('../release.json', { version: VERSION, written_at: ago(0) });
for (const name of ['config', 'docker', 'data/lock.db', 'files/scanner-outputs']) {
  rmSync(join(root, name), { recursive: true, force: true });
}

cpSync(root, place, { recursive: true });
rmSync(root, { recursive: true });

/** A signature over a file by certificate and by key, and statements about it. */
async function signFiles(): Promise<void> {
  text('report.txt', 'what the agent wrote\n');
  text('other.txt', 'what somebody else wrote\n');
  json('agent-run.json', AGENT_RUN);
  await run('sign-blob', ...CONTEXT, 'report.txt');
  const attest = [
    'attest-blob',
    '--type',
    'agent-run',
    '--predicate',
    'agent-run.json',
    '--bundle',
    'run.sigstore.json',
  ];
  await run(...attest, ...CONTEXT, 'report.txt');
  await run('review', 'approve', 'report.txt', ...ALICE, '--commit-sha', COMMIT, '--duration', '48');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  text('key.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString());
  text('key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  await run('sign-blob', '--key', 'key.pem', '--bundle', 'report.by-key.sigstore.json', 'report.txt');
  rmSync('key.pem');
}

/** Images in the registry: admitted, without a review, rejected, and with a rejection that was taken back. */
async function signImages(): Promise<void> {
  const images: Record<string, string> = {};
  for (const name of ['webshop', 'unreviewed', 'rejected', 'withdrawn', 'older']) {
    images[name] = await pushImageOf(REGISTRY, name, { 'app/NAME': Buffer.from(name) }, COMMIT);
    await run('sign', ...CONTEXT, ...(name === 'older' ? ['--signature-format', 'older'] : []), images[name]);
  }
  const image = (name: string) => images[name] as string;
  await run('attest', ...CONTEXT, '--type', 'agent-run', '--predicate', 'agent-run.json', image('webshop'));
  const review = ['--commit-sha', COMMIT, '--duration', '48'];
  for (const name of ['webshop', 'rejected', 'withdrawn', 'older']) {
    await run('review', 'approve', image(name), ...ALICE, ...review);
  }
  for (const name of ['rejected', 'withdrawn']) {
    const commit = ['--commit-sha', name === 'rejected' ? 'b'.repeat(40) : 'c'.repeat(40)];
    await run('review', 'reject', image(name), ...BOB, ...commit, '--comment', 'it asks another host');
  }
  const digest = image('withdrawn').split('@')[1];
  const { rejections } = JSON.parse(await run('review', 'list', '--output', 'json'));
  const { id } = rejections.find((one: { readonly images: readonly string[] }) =>
    one.images.includes(digest as string),
  );
  await run('review', 'withdraw', image('withdrawn'), ...ALICE, '--rejection', id, '--reason', 'the host is our own');
  json('images.json', images);
}

/** SBOMs with attribution in both profiles, published in a folder with their signatures and an index. */
async function attributeSboms(): Promise<void> {
  const bom = (version: string) => ({
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    serialNumber: `urn:uuid:3e671687-395b-41f5-a30f-a58921a69b7${version.at(-1)}`,
    version: 1,
    metadata: {
      timestamp: '2026-11-20T10:00:00Z',
      component: { type: 'application', 'bom-ref': 'webshop', name: 'webshop', version },
    },
    components: [{ type: 'file', 'bom-ref': 'cart', name: 'src/cart.ts' }],
  });
  const declared = [
    ...['agent=code-writer', 'model=large-model-2026-05-14', `prompt=sha256:${'5a'.repeat(32)}`],
    ...['generated_at=2026-11-20T10:00:00Z', 'reviewed_by=dana@example.com', 'reviewed_at=2026-11-20T11:00:00Z'],
  ].flatMap((one) => ['--declare', one]);
  for (const [version, profile] of [
    ['1.0.0', 'standard'],
    ['1.0.1', 'standard'],
    ['1.0.2', 'spec'],
  ] as const) {
    json(`webshop-${version}.bare.cdx.json`, bom(version));
    const out = `webshop-${version}.${profile}.cdx.json`;
    const attribute = ['sbom', 'attribute', `webshop-${version}.bare.cdx.json`, '--bundle', 'run.sigstore.json'];
    await run(...attribute, ...AGENT, '--component', 'cart', ...declared, '--profile', profile, '--out', out);
    if (profile === 'standard') await run('sbom', 'publish', out, '--to', 'publication', ...CONTEXT);
  }
  for (const [folder, body] of [
    ['packages/fair-split', 'let share = Math.floor(amount / people.length);'],
    ['packages/bar', 'let share = Math.round(amount * people.length);'],
  ]) {
    json(`${folder}/package.json`, { name: basename(folder as string), version: '1.0.0', license: 'MIT' });
    text(`${folder}/index.js`, source(body as string));
  }
  text('suspect.js', source('let portion = Math.floor(sum / guests.length);').replaceAll('people', 'guests'));
  await run('sbom', 'similarity', 'index', '--out', 'packages.similarity-index', 'packages/fair-split', 'packages/bar');
}

function source(first: string): string {
  return `export function split(amount, people) {
  ${first}
  const parts = [];
  for (const person of people) {
    if (person.isAway) continue;
    parts.push({ name: person.name, share: share + (parts.length === 0 ? amount % people.length : 0) });
  }
  if (parts.length === 0) throw new RangeError('nobody is there');
  return parts.sort((one, other) => one.name.localeCompare(other.name));
}
`;
}

/** What each scanner's output became. */
async function keepScans(): Promise<void> {
  // Records name the file alone.
  cpSync(SCANNER_OUTPUTS, 'scanner-outputs', { recursive: true });
  mkdirSync('scans');
  for (const name of readdirSync('scanner-outputs').filter((one) => one.endsWith('.json'))) {
    const stated = ['--scanned-at', '2026-11-20T09:00:00Z', '--database-time', '2026-11-20T00:00:00Z'];
    await run('scan', 'import', `scanner-outputs/${name}`, ...stated, '--record', `scans/${name}`);
  }
}

/** Records: open, fixed, not affected, justified, set aside; with sightings of two scanners. */
async function keepRecords(): Promise<void> {
  const releases = [
    { version: '1.0.0', log4j: '2.14.1', madeAt: ago(60), serialNumber: '6f2a9f0e-5f0c-4b7a-9c57-0a8d3f3b8c11' },
    { version: '1.0.1', log4j: '2.16.0', madeAt: ago(30), serialNumber: 'b3c1d7a4-1f53-4c0e-8f0e-7d9a2e6c4f22' },
  ];
  for (const release of releases) {
    json(`checkout-${release.version}.cdx.json`, checkoutSbom(release));
    json(`grype-${release.version}.json`, grypeOutput(release));
    json(`osv-${release.version}.json`, osvScannerOutput(release));
  }
  json('known-exploited.json', KNOWN_EXPLOITED);
  await run('kev', 'update', '--kev', 'known-exploited.json');
  const enriched = await run('kev', 'enrich', 'grype-1.0.0.json', '--at', '2026-11-21T12:00:00Z', '--output', 'json');
  text('enriched-findings.json', enriched);

  const owned = ['--owner', 'alice@example.com', '--tracking-id', 'SEC-1041', '--by', 'alice@example.com'];
  const first = [
    '--scan',
    'grype-1.0.0.json',
    '--scan',
    'osv-1.0.0.json',
    '--scanned-at',
    ago(59),
    '--database-time',
    ago(90),
  ];
  await run('remediation', 'open', ...first, '--sbom', 'checkout-1.0.0.cdx.json', ...owned);
  const patch = ['--decision', 'patch', '--status', 'affected', '--by', 'alice@example.com'];
  await run('remediation', 'update', 'CVE-2021-44228', ...patch, '--patch-version', '2.16.0');
  const newer = [
    '--scan',
    'grype-1.0.1.json',
    '--scan',
    'osv-1.0.1.json',
    '--scanned-at',
    ago(29),
    '--database-time',
    ago(45),
  ];
  const fixed = ['remediation', 'close', 'CVE-2021-44228', ...newer, '--sbom', 'checkout-1.0.1.cdx.json'];
  await run(...fixed, '--deployed-on', ago(1), ...ALICE, '--by', 'alice@example.com', '--out', 'closed-record.json');

  const log4j = 'pkg:maven/org.apache.logging.log4j/log4j-core@2.16.0';
  await run('remediation', 'open', ...newer, '--sbom', 'checkout-1.0.1.cdx.json', '--by', 'alice@example.com');
  text('dana.pub', DANA_PUBLIC_KEY);
  text('dana.key', DANA_PRIVATE_KEY);
  await run(
    ...['vex', 'create', '--vulnerability', 'CVE-2021-45105', '--sbom', 'checkout-1.0.1.cdx.json'],
    ...['--author', 'alice@example.com', '--subcomponent', log4j, '--status', 'not_affected'],
    ...['--justification', 'vulnerable_code_not_in_execute_path', '--out', 'checkout.openvex.json'],
  );
  await run('vex', 'sign', 'checkout.openvex.json', ...ALICE, '--openpgp-key', 'dana.key');
  rmSync('dana.key');
  await run('vex', 'convert', 'checkout.openvex.json', '--to', 'cyclonedx', '--out', 'checkout.vex.cdx.json');
  await run('vex', 'convert', 'checkout.openvex.json', '--to', 'spec', '--out', 'checkout.vex.spec.json');
  const settled = ['remediation', 'close', 'CVE-2021-45105', '--vex', 'checkout.openvex.json', ...BY_ALICE];
  await run(...settled, ...ALICE, '--by', 'alice@example.com');

  const components = [
    { name: 'left-pad', version: '1.3.0' },
    { name: 'parser', version: '1.0.0' },
  ];
  const listed = (name: string, version: string, cve: string, more: object = {}): ShopFinding => ({
    ...{ name, version, cve },
    ...more,
  });
  const found = [
    listed('left-pad', '1.3.0', 'CVE-2026-1000'),
    listed('left-pad', '1.3.0', 'CVE-2026-1001', { severity: 'medium' }),
    listed('parser', '1.0.0', 'CVE-2026-1002', { severity: 'critical', fixed: '1.1.0' }),
    listed('parser', '1.0.0', 'CVE-2026-1003', { severity: 'medium', fixed: '1.1.0' }),
  ];
  for (const day of ['2026-11-02', '2026-11-09']) {
    json(`shop-${day}.cdx.json`, shopSbom({ day, components }));
    json(`shop-${day}.grype.json`, shopGrype({ day, found }));
    const scanned = ['--scan', `shop-${day}.grype.json`, '--sbom', `shop-${day}.cdx.json`];
    await run(
      'remediation',
      'open',
      ...scanned,
      '--owner',
      'bob@example.com',
      '--tracking-id',
      'SEC-7',
      '--by',
      'bob@example.com',
    );
  }
  const justified = ['--decision', 'justify', '--reason', 'only in tests', '--by', 'bob@example.com'];
  await run('remediation', 'update', 'CVE-2026-1001', ...justified);
  const withdrawn = ['--withdrawn-advisory', '--reason', 'taken back', '--by', 'bob@example.com'];
  await run('remediation', 'void', 'CVE-2026-1003', ...withdrawn, ...BOB);
  await run('remediation', 'export', '--out', 'records.json');
}

async function keepReport(): Promise<void> {
  await run('report', 'quarterly', '--period', '2026-Q4', '--out', 'report', ...ALICE);
}

/** A row of the ledger of which only the leaf is left. */
async function eraseRow(): Promise<void> {
  text('erased.txt', 'whose token is erased\n');
  await run('sign-blob', ...CONTEXT, 'erased.txt');
  // Only what a checkpoint covers is erased.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  await run('ledger', 'export', '--out', 'ledger.json');
  const rows: readonly { readonly jti: string; readonly claims: object | null }[] = read('ledger.json');
  const { jti } = rows.findLast(({ claims }) => claims !== null)!;
  await run('ledger', 'erase', jti, '--reason', 'ticket 4711');
  rmSync('ledger.json');
}

function intoOneFile(path: string): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; VACUUM');
  db.close();
}
