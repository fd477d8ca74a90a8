import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { draftBlob } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CONTEXT, type Installation, install } from './installation.ts';
import { DANA_PRIVATE_KEY, EVE_PRIVATE_KEY } from './openpgp-key.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let artifact: string;
let bundle: string;
// biome-ignore lint/suspicious/noExplicitAny: taken apart in every way
let root: any;

// biome-ignore lint/suspicious/noExplicitAny: taken apart in every way
const edited = (json: any, edit: (copy: any) => unknown) => {
  const copy = structuredClone(json);
  edit(copy);
  return copy;
};
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;
const contextOf = (agent: string) => CONTEXT.map((word) => (word === 'code-writer' ? agent : word));

beforeAll(async () => {
  here = await install(cleanup);
  artifact = here.file('change.patch', 'a change\n');
  bundle = `${artifact}.sigstore.json`;
  await here.document('sign-blob', ...CONTEXT, artifact);
  root = readJson(join(here.dataDir, 'trust', 'trusted_root.json'));
});
// biome-ignore lint/suspicious/noExplicitAny: taken apart in every way
type Edit = (json: any) => unknown;

describe('a trusted root', () => {
  const verify = (json: object) =>
    [
      'verify-blob',
      '--trusted-root',
      here.file('root.json', json),
      '--bundle',
      bundle,
      ...here.pinned,
      artifact,
    ] as const;

  test('as `up` writes it is read', async () => {
    await here.document(...verify(root));
  });

  const BAD: ReadonlyArray<readonly [title: string, path: string, edit: Edit]> = [
    ['a log without validity', '/tlogs/0/publicKey/validFor', (r) => delete r.tlogs[0].publicKey.validFor],
    ['a log with empty validity', '/tlogs/0/publicKey/validFor/start', (r) => (r.tlogs[0].publicKey.validFor = {})],
    [
      'a log without start',
      '/tlogs/0/publicKey/validFor/start',
      (r) => (r.tlogs[0].publicKey.validFor = { end: '2030-01-01T00:00:00Z' }),
    ],
    [
      'a log whose start is null',
      '/tlogs/0/publicKey/validFor/start',
      (r) => (r.tlogs[0].publicKey.validFor.start = null),
    ],
    [
      'a misspelt end',
      '/tlogs/0/publicKey/validFor/End',
      (r) => (r.tlogs[0].publicKey.validFor.End = '2026-01-01T00:00:00Z'),
    ],
    [
      'an end under its name in Python',
      '/tlogs/0/publicKey/valid_for',
      (r) => (r.tlogs[0].publicKey.valid_for = { end: '2026-01-01T00:00:00Z' }),
    ],
    ['a CT log without validity', '/ctlogs/0/publicKey/validFor', (r) => delete r.ctlogs[0].publicKey.validFor],
    [
      'a CT log with empty validity',
      '/ctlogs/0/publicKey/validFor/start',
      (r) => (r.ctlogs[0].publicKey.validFor = {}),
    ],
    [
      'an authority with a misspelt end',
      '/certificateAuthorities/0/validFor/ending',
      (r) => (r.certificateAuthorities[0].validFor.ending = '2026-01-01T00:00:00Z'),
    ],
    ['an unknown member', '/revoked', (r) => (r.revoked = [])],
    ['an unknown member of a log', '/tlogs/0/validFor', (r) => (r.tlogs[0].validFor = {})],
    ['a time that is none', '/tlogs/0/publicKey/validFor/start', (r) => (r.tlogs[0].publicKey.validFor.start = '2021')],
    [
      'a day that no month has',
      '/tlogs/0/publicKey/validFor/end',
      (r) => (r.tlogs[0].publicKey.validFor.end = '2027-02-31T00:00:00Z'),
    ],
    [
      'a time as a number',
      '/tlogs/0/publicKey/validFor/start',
      (r) => (r.tlogs[0].publicKey.validFor.start = 1609459200),
    ],
    ['logs that are no list', '/tlogs', (r) => (r.tlogs = { 0: r.tlogs[0] })],
    ['a log that is a text', '/tlogs/0', (r) => (r.tlogs[0] = 'rekor')],
    ['another hash', '/tlogs/0/hashAlgorithm', (r) => (r.tlogs[0].hashAlgorithm = 'SHA2_512')],
    ['a key of an unknown kind', '/tlogs/0/publicKey/keyDetails', (r) => (r.tlogs[0].publicKey.keyDetails = 'RSA')],
    ['a key in base64 without padding', '/tlogs/0/logId/keyId', (r) => (r.tlogs[0].logId.keyId = 'AAA')],
    ['an empty key', '/tlogs/0/publicKey/rawBytes', (r) => (r.tlogs[0].publicKey.rawBytes = '')],
    [
      'an authority without certificates',
      '/certificateAuthorities/0/certChain/certificates',
      (r) => (r.certificateAuthorities[0].certChain.certificates = []),
    ],
  ];

  test.each(BAD)('with %s is refused, and %s is named', async (_title, path, edit) => {
    const refused = await here.refusal(...verify(edited(root, edit)));
    expect(refused).toMatchObject({ exitCode: 13, code: 'trusted_root.malformed' });
    expect(refused.message.endsWith(` ${path}`), refused.message).toBe(true);
    expect([refused.expected, refused.found]).toEqual([expect.any(String), expect.any(String)]);
  });

  test('may have an end, and says null for what it leaves out', async () => {
    await here.document(...verify(edited(root, (r) => (r.tlogs[0].publicKey.validFor.end = null))));
    await here.document(...verify(edited(root, (r) => (r.ctlogs[0].publicKey.validFor.end = '2090-01-01T00:00:00Z'))));
    await here.document(...verify(edited(root, (r) => (r.tlogs[0].operator = 'us'))));
  });
});

describe('a signing config', () => {
  const CONFIG_ERROR = { exitCode: 1, code: 'signing.config_invalid' };
  const sign = (json: object) => {
    const config = here.file('signing-config.json', json);
    return [
      'sign-blob',
      '--signing-config',
      config,
      '--bundle',
      join(here.folder, 'by-config.json'),
      ...CONTEXT,
      artifact,
    ];
  };

  const BAD: ReadonlyArray<readonly [title: string, path: string, edit: Edit]> = [
    ['an unknown member', '/logUrls', (c) => (c.logUrls = [])],
    ['a misspelt end', '/caUrls/0/validFor/End', (c) => (c.caUrls[0].validFor.End = '2020-01-01T00:00:00Z')],
    ['a time that is none', '/caUrls/0/validFor/end', (c) => (c.caUrls[0].validFor.end = 'yesterday')],
    ['a day that no month has', '/caUrls/0/validFor/end', (c) => (c.caUrls[0].validFor.end = '2027-02-31T00:00:00Z')],
    ['an address of a file', '/caUrls/0/url', (c) => (c.caUrls[0].url = 'file:///ca')],
    ['an address without scheme', '/rekorTlogUrls/0/url', (c) => (c.rekorTlogUrls[0].url = 'rekor.example')],
    ['a version in words', '/rekorTlogUrls/0/majorApiVersion', (c) => (c.rekorTlogUrls[0].majorApiVersion = 'one')],
    ['a service without address', '/caUrls/0/url', (c) => delete c.caUrls[0].url],
    ['services that are no list', '/caUrls', (c) => (c.caUrls = c.caUrls[0])],
    ['a selector that nobody knows', '/rekorTlogConfig/selector', (c) => (c.rekorTlogConfig.selector = 'SOME')],
  ];

  test.each(BAD)('with %s is refused, and %s is named', async (_title, path, edit) => {
    const config = readJson(join(here.dataDir, 'trust', 'signing_config.json'));
    const refused = await here.refusal(...sign(edited(config, edit)));
    expect(refused).toMatchObject(CONFIG_ERROR);
    expect(refused.message.endsWith(` ${path}`), refused.message).toBe(true);
    expect([refused.expected, refused.found]).toEqual([expect.any(String), expect.any(String)]);
  });

  const TIMED = { url: 'https://tsa.example', majorApiVersion: 1, validFor: { start: '2020-01-01T00:00:00Z' } };
  test.each<[title: string, timestamps: object]>([
    [
      'that ended',
      { tsaUrls: [{ ...TIMED, validFor: { end: '2021-01-01T00:00:00Z' } }], tsaConfig: { selector: 'ANY' } },
    ],
    ['of another version', { tsaUrls: [{ ...TIMED, majorApiVersion: 2 }] }],
    ['that is not there', { tsaConfig: { selector: 'EXACT', count: 1 } }],
  ])('that names a timestamp authority %s signs nothing without a timestamp', async (_title, timestamps) => {
    const config = readJson(join(here.dataDir, 'trust', 'signing_config.json'));
    expect(await here.refusal(...sign({ ...config, ...timestamps }))).toMatchObject(CONFIG_ERROR);
    expect(existsSync(join(here.folder, 'by-config.json'))).toBe(false);
  });

  test('as `up` writes it is read', async () => {
    await here.document(...sign(readJson(join(here.dataDir, 'trust', 'signing_config.json'))));
  });
});

describe('what no pinned authority made', () => {
  const stranger = new LocalSigstore();
  const verify = (json: object) =>
    ['verify-blob', '--bundle', here.file('mixed.json', json), ...here.pinned, artifact] as const;
  const signatureOf = (json: { messageSignature: { signature: string } }) =>
    Buffer.from(json.messageSignature.signature, 'base64');

  test('does not sink a signature that the pinned log has', async () => {
    const good = readJson(bundle);
    const entry = draftBlob(stranger).verificationMaterial.tlogEntries[0];
    for (const at of [0, 1]) {
      const mixed = edited(good, (b) => b.verificationMaterial.tlogEntries.splice(at, 0, entry));
      const { log_entry, checks } = await here.document(...verify(mixed));
      expect(log_entry.log_id).toBe(Buffer.from(root.tlogs[0].logId.keyId, 'base64').toString('hex'));
      expect(checks.filter(({ check }: { check: string }) => check === 'log_entry.inclusion')).toHaveLength(1);
    }
    const times = [new Date(), new Date(0)].map((time) => stranger.timestamp(signatureOf(good), time));
    const timed = edited(good, (b) => {
      const rfc3161Timestamps = times.map((time) => ({ signedTimestamp: time.toString('base64') }));
      b.verificationMaterial.timestampVerificationData = { rfc3161Timestamps };
    });
    const { checks } = await here.document(...verify(timed));
    expect(checks.filter(({ check }: { check: string }) => check === 'timestamp')).toHaveLength(1);
  });

  test('proves nothing by itself', async () => {
    const good = readJson(bundle);
    const unlogged = edited(good, (b) => {
      b.verificationMaterial.tlogEntries = draftBlob(stranger).verificationMaterial.tlogEntries;
    });
    expect(await here.refusal(...verify(unlogged))).toMatchObject({ exitCode: 13, code: 'log_entry.untrusted_log' });
    const untimed = edited(good, (b) => {
      delete b.verificationMaterial.tlogEntries[0].inclusionPromise;
      const signedTimestamp = stranger.timestamp(signatureOf(good), new Date()).toString('base64');
      b.verificationMaterial.timestampVerificationData = { rfc3161Timestamps: [{ signedTimestamp }] };
    });
    expect(await here.refusal(...verify(untimed))).toMatchObject({ exitCode: 13, code: 'timestamp.invalid' });
  });
});

describe('a digest in place of the file', () => {
  const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

  test('is verified as the file is', async () => {
    const digest = `sha256:${digestOf(artifact)}`;
    const verified = await here.document('verify-blob', '--bundle', bundle, ...here.pinned, digest);
    expect(verified).toMatchObject({ ok: true, artifact: digest });
    const upper = `sha256:${digestOf(artifact).toUpperCase()}`;
    await here.document('verify-blob', '--bundle', bundle, ...here.pinned, upper);
  });

  test('of another file is refused', async () => {
    const other = `sha256:${digestOf(bundle)}`;
    const refused = await here.refusal('verify-blob', '--bundle', bundle, ...here.pinned, other);
    expect(refused).toMatchObject({ exitCode: 12, code: 'artifact.mismatch' });
  });

  test.each(['sha256:abc', `sha512:${'a'.repeat(128)}`])('%s is none of a file', async (name) => {
    const refused = await here.refusal('verify-blob', '--bundle', bundle, ...here.pinned, name);
    expect(refused).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  });

  test('is the name of a file where there is one', async () => {
    const name = 'a'.repeat(64);
    here.file(name, readFileSync(artifact));
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(here.folder);
    await here.document('verify-blob', '--bundle', bundle, ...here.pinned, name);
  });

  test('holds for an attestation too', async () => {
    const predicate = here.file('predicate.json', { ran: true });
    const { signatures } = await here.document('attest-blob', '--predicate', predicate, ...CONTEXT, artifact);
    const line = ['verify-blob-attestation', '--bundle', signatures[0].bundle, ...here.pinned];
    await here.document(...line, `sha256:${digestOf(artifact)}`);
    const refused = await here.refusal(...line, `sha256:${digestOf(bundle)}`);
    expect(refused).toMatchObject({ exitCode: 12, code: 'statement.subject_mismatch' });
  });

  test('is not enough for a key that signs no digests', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const key = here.file('ed25519.pub', publicKey.export({ type: 'spki', format: 'pem' }) as string);
    const keyed = edited(readJson(bundle), (b) => {
      const { tlogEntries } = b.verificationMaterial;
      b.verificationMaterial = { publicKey: { hint: 'mine' }, tlogEntries };
    });
    const file = here.file('ed25519.json', keyed);
    const refused = await here.refusal('verify-blob', '--bundle', file, '--key', key, `sha256:${digestOf(artifact)}`);
    expect(refused).toMatchObject({ exitCode: 12, code: 'artifact.bytes_required' });
  });
});

describe('a file with a signature in it', () => {
  const TAKEN = { exitCode: 1, code: 'cli.file_taken' };
  const newKey = (name: string) => here.file(name, pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey));
  const logged = async () => {
    const { logs } = await here.document('log', 'verify');
    return logs.find(({ log }: { log: string }) => log === 'transparency').entries;
  };
  /** Runs a line that must not write, nor log anything. */
  async function refuses(path: string, ...line: string[]) {
    const before = readFileSync(path);
    const entries = await logged();
    expect(await here.refusal(...line)).toMatchObject({ ...TAKEN, checked: path, next: expect.any(String) });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(await logged()).toBe(entries);
  }

  test('is not overwritten by another agent, and is by the same one, though the file has changed', async () => {
    const file = here.file('mine.txt', 'mine');
    const mine = `${file}.sigstore.json`;
    await here.document('sign-blob', ...CONTEXT, file);
    await refuses(mine, 'sign-blob', ...contextOf('code-fixer'), file);
    await refuses(mine, 'sign-blob', '--key', newKey('one.key'), file);
    here.file('mine.txt', 'mine, and newer');
    await here.document('sign-blob', ...CONTEXT, file);
    await here.document('verify-blob', '--bundle', mine, ...here.pinned, file);
    const elsewhere = join(here.folder, 'by-another.json');
    await here.document('sign-blob', '--bundle', elsewhere, ...contextOf('code-fixer'), file);
  });

  test('is not overwritten by another key, and is by the same one', async () => {
    const file = here.file('keyed.txt', 'keyed');
    const [one, other] = [newKey('one.key'), newKey('other.key')];
    await here.document('sign-blob', '--key', one, file);
    await refuses(`${file}.sigstore.json`, 'sign-blob', '--key', other, file);
    await refuses(`${file}.sigstore.json`, 'sign-blob', ...CONTEXT, file);
    await here.document('sign-blob', '--key', one, file);
  });

  test('is not overwritten where it is no bundle, or another kind of bundle', async () => {
    const file = here.file('kinds.txt', 'kinds');
    const there = here.file('notes.txt', 'not to be lost');
    await refuses(there, 'sign-blob', '--bundle', there, ...CONTEXT, file);
    const predicate = here.file('predicate.json', { ran: true });
    const statement = join(here.folder, 'statement.json');
    await here.document('attest-blob', '--predicate', predicate, '--bundle', statement, ...CONTEXT, file);
    await refuses(statement, 'sign-blob', '--bundle', statement, ...CONTEXT, file);
    await refuses(there, 'attest-blob', '--predicate', predicate, '--bundle', there, ...CONTEXT, file);
  });

  test('is used where it is empty, as mktemp leaves it', async () => {
    const file = here.file('empty.txt', 'empty');
    await here.document('sign-blob', '--bundle', here.file('made.json', ''), ...CONTEXT, file);
  });

  test('keeps an attestation from another agent, and is replaced by the same one', async () => {
    const file = here.file('attested.txt', 'attested');
    const predicate = here.file('predicate.json', { ran: true });
    const made = await here.document('attest-blob', '--predicate', predicate, ...CONTEXT, file);
    await refuses(made.signatures[0].bundle, 'attest-blob', '--predicate', predicate, ...contextOf('code-fixer'), file);
    await here.document('attest-blob', '--predicate', predicate, ...CONTEXT, file);
  });

  test('keeps a review from another reviewer', async () => {
    const file = here.file('reviewed.txt', 'reviewed');
    const review = (decision: string, who: string) =>
      ['review', decision, file, '--reviewer', `${who}@example.com`, '--commit-sha', 'a'.repeat(40)] as const;
    await here.document(...review('reject', 'alice'));
    const kept = `${file}.agent-review.sigstore.json`;
    await refuses(kept, ...review('approve', 'bob'));
    await here.document(...review('approve', 'bob'), '--bundle', join(here.folder, 'bob.json'));
    await here.document(...review('approve', 'alice'));
  });

  test('keeps what somebody else signed of a VEX document', async () => {
    const vex = join(here.folder, 'shop.openvex.json');
    const about = [
      '--product',
      'pkg:npm/shop@1.0.0',
      '--vulnerability',
      'CVE-2026-1234',
      '--status',
      'under_investigation',
    ];
    await here.document('vex', 'create', '--author', 'dana@example.com', ...about, '--out', vex);
    await here.document('vex', 'sign', vex, '--reviewer', 'dana@example.com');
    await refuses(`${vex}.sigstore.json`, 'vex', 'sign', vex, '--reviewer', 'bob@example.com');
    await here.document('vex', 'sign', vex, '--reviewer', 'dana@example.com');
    const [dana, eve] = [here.file('dana.key', DANA_PRIVATE_KEY), here.file('eve.key', EVE_PRIVATE_KEY)];
    await here.document('vex', 'sign', vex, '--openpgp-key', dana);
    await refuses(`${vex}.asc`, 'vex', 'sign', vex, '--openpgp-key', eve);
    await here.document('vex', 'sign', vex, '--openpgp-key', dana);
    rmSync(`${vex}.asc`);
    const note = here.file('shop.openvex.json.asc', 'no signature');
    await refuses(note, 'vex', 'sign', vex, '--openpgp-key', dana);
  });
});
