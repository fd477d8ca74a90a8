import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, type ListenOptions, Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startServer } from '@colophon/server';
import { temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { VERSION } from '../../src/program/version.ts';
import type { Ran } from '../command-line.ts';
import { type Copy, copyRelease, ISSUER, PORT, REGISTRY, RELEASE_VERSIONS, RELEASES, releaseOf } from './releases.ts';

const undo: Array<() => unknown> = [];
let copy: Copy;
const home = process.cwd();

/**
 * Lets a server believe that it has the port that its certificates name, and listen on a free one: two runs of these
 * tests do not meet. Returns the free port of 127.0.0.1 once it listens.
 */
function movedPort(): () => number {
  const moved: Server[] = [];
  const { listen, address } = Server.prototype;
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...[options, ready]: unknown[]) {
    const { port, ...others } = options as ListenOptions;
    if (port === PORT) moved.push(this);
    return listen.call(this, { ...others, port: port === PORT ? 0 : port } as ListenOptions, ready as () => void);
  });
  vi.spyOn(Server.prototype, 'address').mockImplementation(function (this: Server) {
    const real = address.call(this) as AddressInfo;
    return moved.includes(this) ? { ...real, port: PORT } : real;
  });
  return () => (address.call(moved[0] as Server) as AddressInfo).port;
}

/** The moment at which a release is asked: some answers tell how long something took, or is due. */
const askedAt = (release: string) => new Date(Date.parse(releaseOf(release).written_at) + 6 * 60 * 60_000);

async function start(release: string): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: askedAt(release) });
  const portOfServer = movedPort();
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (address: string | URL | Request, init?: RequestInit) => {
    if (address instanceof Request) throw new TypeError('a request with its own address');
    return fetch(String(address).replace(ISSUER, `http://127.0.0.1:${portOfServer()}`), init);
  });
  copy = copyRelease(
    release,
    temporaryFolder((step) => undo.push(step as () => void)),
  );
  process.chdir(join(copy.folder, 'files'));
  undo.push(() => process.chdir(home));
  prepare(release);
  const reviewerSecretFile = join(copy.folder, 'config', 'colophon', 'reviewer-secret');
  const server = await startServer({ dataDir: join(copy.folder, 'data'), reviewerSecretFile });
  undo.push(() => server.close());
}

async function stop(): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
}

type Line = readonly string[];
type Cases = Readonly<Record<string, Line>>;

const pinned = (subject: string, issuer = ISSUER) => [
  ...['--certificate-identity', subject, '--certificate-oidc-issuer', issuer],
];
const AGENT = pinned('agent:code-writer');
const ALICE = pinned('reviewer:alice@example.com');

// biome-ignore lint/suspicious/noExplicitAny: a document of whatever shape, to be changed at will
type Document = any;

const read = (name: string): Document => JSON.parse(readFileSync(name, 'utf8'));
const write = (name: string, value: Document) => writeFileSync(name, `${JSON.stringify(value, null, 2)}\n`);
/** A file with something changed in it, under another name. */
function changed(from: string, to: string, change: (document: Document) => unknown): void {
  const document = read(from);
  const made = change(document);
  write(to, made ?? document);
}

const set = (object: Document, members: object): void => {
  Object.assign(object, members);
};

/** What somebody without keys makes of the bundle over report.txt, by the name of the file. */
const BUNDLES: Readonly<Record<string, (bundle: Document, other: Document) => unknown>> = {
  'another-media-type': (bundle) => set(bundle, { mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1' }),
  'unknown-media-type': (bundle) => set(bundle, { mediaType: 'application/vnd.dev.sigstore.bundle.v9.9+json' }),
  'certificate-of-another': ({ verificationMaterial }, other) =>
    set(verificationMaterial, { certificate: other.verificationMaterial.certificate }),
  'certificate-cut': ({ verificationMaterial }) =>
    set(verificationMaterial.certificate, { rawBytes: verificationMaterial.certificate.rawBytes.slice(0, -8) }),
  'entry-of-another': ({ verificationMaterial }, other) =>
    set(verificationMaterial, { tlogEntries: other.verificationMaterial.tlogEntries }),
  'no-entry': ({ verificationMaterial }) => set(verificationMaterial, { tlogEntries: [] }),
  'two-entries': ({ verificationMaterial }) =>
    verificationMaterial.tlogEntries.push(verificationMaterial.tlogEntries[0]),
  'no-proof': ({ verificationMaterial }) => set(verificationMaterial.tlogEntries[0], { inclusionProof: undefined }),
  'no-promise': ({ verificationMaterial }) => set(verificationMaterial.tlogEntries[0], { inclusionPromise: undefined }),
  'no-checkpoint': ({ verificationMaterial }) =>
    set(verificationMaterial.tlogEntries[0].inclusionProof, { checkpoint: undefined }),
  'another-index': ({ verificationMaterial }) => set(verificationMaterial.tlogEntries[0], { logIndex: '1' }),
  'another-time': ({ verificationMaterial }) =>
    set(verificationMaterial.tlogEntries[0], { integratedTime: '1795000000' }),
  'another-log': ({ verificationMaterial }) =>
    set(verificationMaterial.tlogEntries[0].logId, { keyId: Buffer.alloc(32).toString('base64') }),
  'another-kind': ({ verificationMaterial }) => set(verificationMaterial.tlogEntries[0].kindVersion, { kind: 'dsse' }),
  'another-body': ({ verificationMaterial }, other) =>
    set(verificationMaterial.tlogEntries[0], {
      canonicalizedBody: other.verificationMaterial.tlogEntries[0].canonicalizedBody,
    }),
  'another-hash-in-proof': ({ verificationMaterial }) =>
    verificationMaterial.tlogEntries[0].inclusionProof.hashes.push(Buffer.alloc(32).toString('base64')),
  'another-root': ({ verificationMaterial }) =>
    set(verificationMaterial.tlogEntries[0].inclusionProof, { rootHash: Buffer.alloc(32).toString('base64') }),
  'signature-changed': ({ messageSignature }) =>
    set(messageSignature, {
      signature: `${messageSignature.signature.slice(0, 20)}AAAA${messageSignature.signature.slice(24)}`,
    }),
  'signature-empty': ({ messageSignature }) => set(messageSignature, { signature: '' }),
  'digest-of-another': ({ messageSignature }) =>
    set(messageSignature.messageDigest, { digest: Buffer.alloc(32).toString('base64') }),
  'content-of-attestation': ({ messageSignature: _, ...bundle }, { dsseEnvelope }) => ({ ...bundle, dsseEnvelope }),
  'both-contents': (bundle, { dsseEnvelope }) => set(bundle, { dsseEnvelope: dsseEnvelope }),
  'unknown-member': (bundle) => set(bundle, { extra: 1 }),
  'no-material': (bundle) => set(bundle, { verificationMaterial: undefined }),
  'a-list': (bundle) => [bundle],
};

const POLICY = `version: 1
images: ["${REGISTRY}/**"]
agent:
  issuer: ${ISSUER}
  subjectRegExp: ^agent:code-(writer|fixer)$
review:
  issuer: ${ISSUER}
  subjectRegExp: ^reviewer:.*@example\\.com$
`;
const MAY_WITHDRAW = `  mayWithdraw:\n    - issuer: ${ISSUER}\n      subjectRegExp: ^reviewer:.*@example\\.com$\n`;
const LIST = `negatives:\n  from: ${ISSUER}/negatives\n  signer:\n    issuer: ${ISSUER}\n    subject: evidence:${REGISTRY}\n`;
const POLICIES: Readonly<Record<string, string>> = {
  plain: `${POLICY}negatives: none\n`,
  list: `${POLICY}${LIST}`,
  withdraw: `${POLICY}${MAY_WITHDRAW}${LIST}`,
  spec: `${POLICY.slice(0, POLICY.indexOf('review:'))}negatives: none\nprofile: spec\n`,
  audit: `${POLICY}negatives: none\nmode: audit\n`,
  bundles: `${POLICY}negatives: none\nsignatureFormat: bundle\n`,
  slow: `${POLICY}  minDurationSeconds: 60\nnegatives: none\n`,
  sources: `${POLICY}negatives: none\nsources:\n  model_id: [caller-token]\n`,
  others: `${POLICY.replace('code-(writer|fixer)', 'somebody-else')}negatives: none\n`,
  elsewhere: `${POLICY.replace(`${REGISTRY}/**`, 'ghcr.io/**')}negatives: none\n`,
};

/** What somebody changes by hand in the databases of a data folder, by the name of the folder's copy. */
const BY_HAND: Readonly<Record<string, { readonly file: string; readonly statement: string }>> = {
  'a-record': {
    file: 'remediation.db',
    statement: "UPDATE remediation SET document = replace(document, 'SEC-1041', 'SEC-1042')",
  },
  'a-document': {
    file: 'remediation.db',
    statement:
      "UPDATE document SET content = cast(replace(cast(content AS TEXT), 'log4j', 'log4k') AS BLOB) WHERE kind = 'scan'",
  },
  'a-catalog': {
    file: 'remediation.db',
    statement: "UPDATE catalog_content SET content = cast(replace(cast(content AS TEXT), '44228', '44229') AS BLOB)",
  },
  'the-ledger': {
    file: 'colophon.db',
    statement: "UPDATE ledger_entry SET payload = replace(payload, 'code-writer', 'code-fixer') WHERE seq = 3",
  },
  'the-ledger-cut': { file: 'colophon.db', statement: 'DELETE FROM ledger_entry WHERE seq = 3' },
  'the-log': { file: 'colophon.db', statement: "UPDATE log_entry SET body = cast('{}' AS BLOB) WHERE log_index = 4" },
  'the-log-head': { file: 'colophon.db', statement: 'UPDATE merkle_head SET root = zeroblob(32)' },
  'the-certificates': {
    file: 'colophon.db',
    statement: 'UPDATE ct_entry SET leaf_input = zeroblob(99) WHERE entry_index = 2',
  },
};

/** Everything that is made of what is kept, before the first line runs. */
function prepare(release: string): void {
  for (const [name, change] of Object.entries(BUNDLES)) {
    const other = read('run.sigstore.json');
    changed('report.txt.sigstore.json', `bundle.${name}.json`, (bundle) => change(bundle, other));
  }
  for (const [name, text] of Object.entries(POLICIES)) writeFileSync(`policy.${name}.yaml`, text);
  mkdirSync('changed');
  for (const name of ['checksum', 'page', 'figures', 'records', 'less', 'more', 'signature']) {
    cpSync('report', `changed/report-${name}`, { recursive: true });
  }
  const [records = ''] = readdirSync('report').filter((name) => name.startsWith('remediation-records'));
  const [page = ''] = readdirSync('report').filter((name) => name.endsWith('.html'));
  const [figures = ''] = readdirSync('report').filter((name) => /^quarterly-report.*\.json$/.test(name));
  const [sums = ''] = readdirSync('report').filter((name) => /sums/i.test(name) && !name.endsWith('.json'));
  edit(`changed/report-checksum/${sums}`, (text) => text.replace(/^[0-9a-f]/, (digit) => (digit === '0' ? '1' : '0')));
  edit(`changed/report-page/${page}`, (text) => text.replace('</html>', '<!-- --></html>'));
  edit(`changed/report-figures/${figures}`, (text) => text.replace(/"(\w*total\w*)": (\d+)/, '"$1": 1$2'));
  edit(`changed/report-records/${records}`, (text) => text.replace('SEC-7', 'SEC-8'));
  rmSync(`changed/report-less/${records}`);
  writeFileSync('changed/report-more/more.txt', 'more\n');
  edit(`changed/report-signature/${sums}.sigstore.json`, (text) =>
    text.replace(/"signature": ?"[^"]{8}/, '"signature":"AAAAAAAA'),
  );
  for (const name of ['document', 'bundle', 'index', 'less'])
    cpSync('publication', `changed/publication-${name}`, { recursive: true });
  const place = (name: string, file: string) => `changed/publication-${name}/.well-known/sbom/${file}`;
  edit(place('document', 'webshop-1.0.1.cdx.json'), (text) => text.replace('cart.ts', 'card.ts'));
  writeFileSync(
    place('bundle', 'webshop-1.0.1.cdx.json.sigstore.json'),
    readFileSync(place('bundle', 'webshop-1.0.0.cdx.json.sigstore.json')),
  );
  edit(place('index', 'index.json'), (text) => text.replaceAll('1.0.1', '1.0.3'));
  rmSync(place('less', 'webshop-1.0.0.cdx.json'));
  const index = readFileSync('packages.similarity-index');
  writeFileSync('changed/cut.similarity-index', index.subarray(0, -40));
  writeFileSync('changed/other.similarity-index', Buffer.from(index).fill('9', 20, 24));
  edit('checkout.openvex.json', (text) => text.replace('not_in_execute_path', 'not_present'), 'changed/vex.json');
  writeFileSync('changed/vex.json.sigstore.json', readFileSync('checkout.openvex.json.sigstore.json'));
  writeFileSync('changed/vex.json.asc', readFileSync('checkout.openvex.json.asc'));
  changed('scans/grype.json', 'changed/scan-format.json', (scan) => set(scan, { format: 'colophon-scan/v2' }));
  changed('scans/grype.json', 'changed/scan-digest.json', (scan) => set(scan.source, { digest: 'sha256:0' }));
  changed('scans/grype.json', 'changed/scan-severity.json', (scan) => set(scan.findings[0], { severity: 'dire' }));
  changed('scans/grype.json', 'changed/scan-time.json', (scan) => set(scan, { scannedAt: 'yesterday' }));
  copyRelease(release, join(copy.folder, 'untouched'));
  for (const [name, { file, statement }] of Object.entries(BY_HAND)) {
    const { folder } = copyRelease(release, join(copy.folder, name));
    const db = new DatabaseSync(join(folder, 'data', file));
    if (db.prepare(statement).run().changes === 0) throw new Error(`${name} was not changed`);
    db.close();
  }
}

function edit(path: string, change: (text: string) => string, to = path): void {
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${path} was not changed`);
  writeFileSync(to, after);
}

const report = (name: string) => ['report', 'verify', name === '' ? 'report' : `changed/report-${name}`, ...ALICE];
const fetched = (place: string, what = 'webshop') => [
  'sbom',
  'fetch',
  what,
  '--from',
  place,
  ...AGENT,
  '--out',
  'fetched.json',
];
const byName = <T>(names: readonly string[], line: (name: string) => T) =>
  Object.fromEntries(names.map((name) => [name, line(name)]));
const inCopies = (names: readonly string[], ...line: readonly string[]) =>
  byName(names, (name) => [...line, '--data', `../${name}/data`]);

const BLOB = ['verify-blob', '--bundle', 'report.txt.sigstore.json'];
const RUN = ['verify-blob-attestation', '--type', 'agent-run', '--bundle', 'run.sigstore.json'];
const BY_KEY = ['verify-blob', '--bundle', 'report.by-key.sigstore.json', '--key'];
const DESCRIBED = ['remediation', 'show'];
const CVES = ['CVE-2021-44228', 'CVE-2021-45105', 'CVE-2026-1000', 'CVE-2026-1001', 'CVE-2026-1002', 'CVE-2026-1003'];

/** Every line over what a release wrote, by the file that its answer stands in. */
function linesFor(release: string): Readonly<Record<string, Cases>> {
  const files = join(RELEASES, release, 'files');
  const images: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(files, 'images.json'), 'utf8'));
  const image = (name: string) => images[name] as string;
  const scanNames = readdirSync(join(files, 'scans'));
  const scanOf = (cve: string) => closingScan(files, cve);
  return {
    // First: whoever asks for rejections makes the evidence store sign their list, and the log grow.
    log: {
      search: ['log', 'search', '--artifact', 'report.txt'],
      'search for nothing': ['log', 'search', '--artifact', 'other.txt'],
      get: ['log', 'get', '--log-index', '0'],
      'get nothing': ['log', 'get', '--log-index', '999'],
      ...inCopies(['untouched', 'the-log', 'the-log-head', 'the-certificates', 'a-record'], 'log', 'verify'),
      ledger: ['ledger', 'verify', '--data', '../untouched/data'],
      'ledger that was changed': ['ledger', 'verify', '--data', '../the-ledger/data'],
      'ledger that was cut': ['ledger', 'verify', '--data', '../the-ledger-cut/data'],
      'callers and their keys': ['callers', 'key', 'list', '--data', '../untouched/data'],
      'ledger by another key': ['ledger', 'verify', '--key', 'key.pub', '--data', '../untouched/data'],
    },
    'verify-blob': {
      'by certificate': [...BLOB, ...AGENT, 'report.txt'],
      'by pattern': [
        ...[...BLOB, '--certificate-identity-regexp', 'agent:code-.*'],
        ...['--certificate-oidc-issuer', ISSUER, 'report.txt'],
      ],
      'pattern that does not match whole': [
        ...[...BLOB, '--certificate-identity-regexp', 'code-writer'],
        ...['--certificate-oidc-issuer', ISSUER, 'report.txt'],
      ],
      'another file': [...BLOB, ...AGENT, 'other.txt'],
      'no such file': [...BLOB, ...AGENT, 'none.txt'],
      'another identity': [...BLOB, ...pinned('agent:code-fixer'), 'report.txt'],
      'identity in capitals': [...BLOB, ...pinned('agent:Code-Writer'), 'report.txt'],
      'another issuer': [...BLOB, ...pinned('agent:code-writer', 'http://localhost:47081'), 'report.txt'],
      'nobody pinned': [...BLOB, 'report.txt'],
      'bundle that is none': ['verify-blob', '--bundle', 'agent-run.json', ...AGENT, 'report.txt'],
      'bundle of an attestation': ['verify-blob', '--bundle', 'run.sigstore.json', ...AGENT, 'report.txt'],
      'bundle of a review': [
        'verify-blob',
        '--bundle',
        'report.txt.agent-review.sigstore.json',
        ...ALICE,
        'report.txt',
      ],
      'another trusted root': [...BLOB, ...AGENT, '--trusted-root', 'images.json', 'report.txt'],
      'by key': [...BY_KEY, 'key.pub', 'report.txt'],
      'by key, another file': [...BY_KEY, 'key.pub', 'other.txt'],
      'by another key': [...BY_KEY, '../data/trust/rekor.pub', 'report.txt'],
      'by key, as a certificate': ['verify-blob', '--bundle', 'report.by-key.sigstore.json', ...AGENT, 'report.txt'],
      'by certificate, as a key': [...BLOB, '--key', 'key.pub', 'report.txt'],
      ...byName(Object.keys(BUNDLES), (name) => [
        'verify-blob',
        '--bundle',
        `bundle.${name}.json`,
        ...AGENT,
        'report.txt',
      ]),
    },
    'verify-blob-attestation': {
      run: [...RUN, ...AGENT, 'report.txt'],
      'another file': [...RUN, ...AGENT, 'other.txt'],
      'another type': [
        'verify-blob-attestation',
        '--type',
        'agent-review',
        '--bundle',
        'run.sigstore.json',
        ...AGENT,
        'report.txt',
      ],
      'another identity': [...RUN, ...ALICE, 'report.txt'],
      'bundle of a signature': [
        ...['verify-blob-attestation', '--type', 'agent-run', '--bundle', 'report.txt.sigstore.json'],
        ...[...AGENT, 'report.txt'],
      ],
      review: [
        ...['verify-blob-attestation', '--type', 'agent-review', '--bundle', 'report.txt.agent-review.sigstore.json'],
        ...[...ALICE, 'report.txt'],
      ],
      'standing negatives': [
        ...['verify-blob-attestation', '--type', 'standing-negatives', '--bundle', 'standing-negatives.sigstore.json'],
        ...[...pinned(`evidence:${REGISTRY}`), 'report.txt'],
      ],
    },
    inspect: byName(
      [
        ...['report.txt.sigstore.json', 'run.sigstore.json', 'report.txt.agent-review.sigstore.json'],
        ...['standing-negatives.sigstore.json', 'report.by-key.sigstore.json', '../data/trust/trusted_root.json'],
        ...['../data/trust/fulcio-chain.pem', '../data/ca/intermediate.crt', 'images.json', 'report.txt'],
      ],
      (name) => ['inspect', name],
    ),
    images: {
      ...byName(Object.keys(images), (name) => ['verify', image(name), ...AGENT]),
      'another identity': ['verify', image('webshop'), ...ALICE],
      'by its tag': ['verify', `${REGISTRY}/webshop:demo`, ...AGENT],
      'no such tag': ['verify', `${REGISTRY}/webshop:none`, ...AGENT],
      'digest of another': ['verify', `${REGISTRY}/unreviewed@${image('webshop').split('@')[1]}`, ...AGENT],
      'attestation of the run': ['verify-attestation', '--type', 'agent-run', image('webshop'), ...AGENT],
      'attestation that is not there': ['verify-attestation', '--type', 'agent-run', image('unreviewed'), ...AGENT],
      'attestation of the review': ['verify-attestation', '--type', 'agent-review', image('webshop'), ...ALICE],
      'attestation of the older format': ['verify-attestation', '--type', 'agent-review', image('older'), ...ALICE],
      attachments: ['attachments', image('withdrawn')],
      'reviews that stand': ['review', 'list'],
    },
    admit: Object.fromEntries(
      Object.keys(POLICIES).flatMap((policy) =>
        Object.keys(images).map((name) => [
          `${name} by ${policy}`,
          ['admit', image(name), '--policy', `policy.${policy}.yaml`],
        ]),
      ),
    ),
    query: byName(
      [
        ...['runs', 'reviews', 'review-claims', 'artifacts', 'commits', 'entries', 'runs where review.duration < 60s'],
        ...[
          'runs where agent = "code-writer" and approved = true',
          'reviews where decision = "rejected" order by time desc',
        ],
        ...[`entries where time > ${askedAt(release).toISOString()}`, 'runs where agnet = a', 'commits limit 1'],
      ],
      (question) => ['query', question],
    ),
    sbom: {
      latest: fetched('publication'),
      version: fetched('publication', 'webshop@1.0.0'),
      'version that is not there': fetched('publication', 'webshop@9.0.0'),
      'another identity': ['sbom', 'fetch', 'webshop', '--from', 'publication', ...ALICE, '--out', 'fetched.json'],
      check: ['sbom', 'publish', 'webshop-1.0.1.standard.cdx.json', '--to', 'publication', '--check', ...AGENT],
      'check of another': [
        'sbom',
        'publish',
        'webshop-1.0.2.spec.cdx.json',
        '--to',
        'publication',
        '--check',
        ...AGENT,
      ],
      'document changed': fetched('changed/publication-document', 'webshop@1.0.1'),
      'bundle of another': fetched('changed/publication-bundle', 'webshop@1.0.1'),
      'index changed': fetched('changed/publication-index'),
      'document gone': fetched('changed/publication-less', 'webshop@1.0.0'),
      retention: ['sbom', 'retention', 'check', '--from', 'publication'],
      'retention of what is gone': ['sbom', 'retention', 'check', '--from', 'changed/publication-less'],
      'validate standard': ['sbom', 'validate', 'webshop-1.0.1.standard.cdx.json'],
      'validate spec': ['sbom', 'validate', '--profile', 'spec', 'webshop-1.0.2.spec.cdx.json'],
      'validate spec as standard': ['sbom', 'validate', 'webshop-1.0.2.spec.cdx.json'],
      'convert to spec': [
        'sbom',
        'convert',
        'webshop-1.0.1.standard.cdx.json',
        '--profile',
        'spec',
        '--out',
        'to-spec.json',
      ],
      'convert to standard': [
        'sbom',
        'convert',
        'webshop-1.0.2.spec.cdx.json',
        '--profile',
        'standard',
        '--out',
        'to-standard.json',
      ],
      diff: ['sbom', 'diff', 'webshop-1.0.0.standard.cdx.json', 'webshop-1.0.2.spec.cdx.json'],
      similarity: ['sbom', 'similarity', '--index', 'packages.similarity-index', 'suspect.js'],
      'similarity by an index that is cut': [
        'sbom',
        'similarity',
        '--index',
        'changed/cut.similarity-index',
        'suspect.js',
      ],
      'similarity by another index': ['sbom', 'similarity', '--index', 'changed/other.similarity-index', 'suspect.js'],
    },
    scans: {
      ...byName(scanNames, (name) => ['scan', 'import', `scans/${name}`]),
      'all at once': ['scan', 'import', ...scanNames.map((name) => `scans/${name}`)],
      'two of one SBOM': ['scan', 'import', 'grype-1.0.0.json', 'osv-1.0.0.json', '--sbom', 'checkout-1.0.0.cdx.json'],
      ...byName(['format', 'digest', 'severity', 'time'], (name) => ['scan', 'import', `changed/scan-${name}.json`]),
    },
    kev: {
      status: ['kev', 'status'],
      show: ['kev', 'show', 'CVE-2021-44228'],
      'show nothing': ['kev', 'show', 'CVE-2021-45105'],
      history: ['kev', 'history'],
      enrich: ['kev', 'enrich', 'grype-1.0.0.json', '--at', '2026-11-21T12:00:00Z'],
      'enrich what is enriched': ['kev', 'enrich', 'enriched-findings.json', '--at', '2026-11-21T12:00:00Z'],
      'enrich what is kept': ['kev', 'enrich', 'scans/grype.json', 'scans/trivy.json', '--at', '2026-11-21T12:00:00Z'],
      'catalog changed by hand': ['kev', 'show', 'CVE-2021-44228', '--data', '../a-catalog/data'],
      'schedule list': ['schedule', 'list'],
    },
    remediation: {
      list: ['remediation', 'list'],
      ...byName(CVES, (cve) => [...DESCRIBED, cve]),
      ...Object.fromEntries(CVES.map((cve) => [`verify ${cve}`, ['remediation', 'verify', cve, ...ALICE]])),
      'verify by another': ['remediation', 'verify', 'CVE-2021-44228', ...pinned('reviewer:bob@example.com')],
      'verify, changed by hand': ['remediation', 'verify', 'CVE-2021-44228', ...ALICE, '--data', '../a-record/data'],
      'show, changed by hand': [...DESCRIBED, 'CVE-2021-44228', '--data', '../a-record/data'],
      'list, changed by hand': ['remediation', 'list', '--data', '../a-record/data'],
      'document changed by hand': [
        'remediation',
        'evidence',
        scanOf('CVE-2021-44228'),
        '--out',
        'scan.json',
        '--data',
        '../a-document/data',
      ],
      document: ['remediation', 'evidence', scanOf('CVE-2021-44228'), '--out', 'scan.json'],
      'close by the scan that found it': [
        ...[
          'remediation',
          'close',
          'CVE-2026-1002',
          '--scan',
          'shop-2026-11-09.grype.json',
          '--sbom',
          'shop-2026-11-09.cdx.json',
        ],
        ...['--deployed-on', '2026-11-10', '--unsigned', '--by', 'bob@example.com'],
      ],
      'close by a statement on something else': [
        ...['remediation', 'close', 'CVE-2026-1000', '--vex', 'checkout.openvex.json', ...ALICE],
        ...['--unsigned', '--by', 'bob@example.com'],
      ],
      'close by a statement that was changed': [
        ...['remediation', 'close', 'CVE-2026-1000', '--vex', 'changed/vex.json', ...ALICE],
        ...['--unsigned', '--by', 'bob@example.com'],
      ],
      'signed record': [
        ...[
          'verify-blob',
          '--document',
          '--bundle',
          'closed-record.json.sigstore.json',
          ...ALICE,
          'closed-record.json',
        ],
      ],
      'signed record, as an artifact': [
        ...['verify-blob', '--bundle', 'closed-record.json.sigstore.json', ...ALICE, 'closed-record.json'],
      ],
    },
    vex: {
      verify: ['vex', 'verify', 'checkout.openvex.json', ...ALICE],
      'verify by OpenPGP': ['vex', 'verify', 'checkout.openvex.json', '--openpgp-key', 'dana.pub'],
      'verify by another': ['vex', 'verify', 'checkout.openvex.json', ...AGENT],
      'verify what was changed': ['vex', 'verify', 'changed/vex.json', ...ALICE],
      'verify by OpenPGP what was changed': ['vex', 'verify', 'changed/vex.json', '--openpgp-key', 'dana.pub'],
      ...Object.fromEntries(
        ['checkout.openvex.json', 'checkout.vex.cdx.json', 'checkout.vex.spec.json'].flatMap((name) => [
          [`show ${name}`, ['vex', 'show', name]],
          [`validate ${name}`, ['vex', 'validate', name]],
          [`apply ${name}`, ['vex', 'apply', name, '--scan', 'grype-1.0.1.json', '--sbom', 'checkout-1.0.1.cdx.json']],
        ]),
      ),
    },
    report: {
      verify: report(''),
      'by another': ['report', 'verify', 'report', ...AGENT],
      ...byName(['checksum', 'page', 'figures', 'records', 'less', 'more', 'signature'], report),
      'of records by day': [
        ...['report', 'quarterly', '--period', '2026-Q4', '--records', 'records.json', '--at', '2026-11-23'],
        ...['--out', 'counted', '--unsigned'],
      ],
    },
  };
}

/** The scan by which a record was closed. */
function closingScan(files: string, cve: string): string {
  const records = JSON.parse(readFileSync(join(files, 'records.json'), 'utf8'));
  const record = records.find((one: { readonly cve: string }) => one.cve === cve);
  return record.evidence.findLast((one: { readonly kind: string }) => one.kind === 'scan').digest;
}

/** What a line did, without the folder that it did it in. */
function answerOf({ exitCode, stdout, stderr }: Ran): object {
  const within = (text: string) => text.replaceAll(copy.folder, '<folder>');
  return { exitCode, stdout: parsed(within(stdout)), ...(stderr === '' ? {} : { stderr: within(stderr).split('\n') }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, withoutTokenOfList);
  } catch {
    return text.split('\n');
  }
}

/** A store signs the list of rejections anew, with a token of that moment. */
function withoutTokenOfList(name: string, value: unknown): unknown {
  return name === 'signed_by' ? { ...(value as object), jti: 'of the moment' } : value;
}

test('each folder says which release wrote it, and that of this program is among them', () => {
  expect(RELEASE_VERSIONS.map((version) => releaseOf(version).version)).toEqual(RELEASE_VERSIONS);
  expect(RELEASE_VERSIONS).toContain(VERSION);
});

describe.each(RELEASE_VERSIONS)('what %s wrote is read as that release read it', (release) => {
  beforeAll(() => start(release));
  afterAll(stop);
  test.each(Object.entries(linesFor(release)))('%s', async (group, cases) => {
    const answers: Record<string, object> = {};
    for (const [name, line] of Object.entries(cases)) {
      const printed = line[1] === 'evidence' ? [] : ['--output', 'json'];
      answers[name] = { line: line.join(' '), ...answerOf(await copy.run(...line, ...printed)) };
    }
    const text = `${JSON.stringify(answers, null, 1)}\n`;
    await expect(text).toMatchFileSnapshot(`releases/${release}/answers/${group}.json`);
  });
});
