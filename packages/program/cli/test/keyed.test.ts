import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { signedDigestIn } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENT_RUN, CONTEXT, type Installation, install } from './installation.ts';

// Signatures by a key of one's own, through the program. An adversary without keys writes to bundles and registries.

const TYPE = 'https://colophon.example/predicates/custom/v1';
const PASSWORD = 'correct-horse';
const KINDS = ['P-256', 'RSA', 'Ed25519'] as const;
const cleanup = cleanupAt(afterAll);
let here: Installation;
let app: string;
const keys: Record<string, { readonly sign: string; readonly verify: string }> = {};
const at = (name: string) => join(here.folder, name);
// biome-ignore lint/suspicious/noExplicitAny: taken apart in every way
const readJson = (file: string): any => JSON.parse(readFileSync(file, 'utf8'));
const bundleOf = (kind: string, what = 'blob') => at(`${kind}.${what}.json`);

function keyFiles(name: string, { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject }) {
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const spki = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  keys[name] = { sign: here.file(`${name}.pem`, pkcs8), verify: here.file(`${name}.pub.pem`, spki) };
}

beforeAll(async () => {
  here = await install(cleanup);
  here.env['COSIGN_PASSWORD'] = PASSWORD;
  app = here.file('app', 'what somebody made\n');
  here.file('predicate.json', { a: 1 });
  await here.document('generate-key-pair', '--output-key-prefix', at('own'));
  keys['P-256'] = { sign: at('own.key'), verify: at('own.pub') };
  keyFiles('RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }));
  keyFiles('Ed25519', generateKeyPairSync('ed25519'));
  keyFiles('P-256 of another', generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  for (const kind of KINDS) {
    await here.document('sign-blob', app, '--key', keys[kind]!.sign, '--bundle', bundleOf(kind));
    await here.document(...attest(kind));
  }
});
const attest = (kind: string) =>
  [
    ...['attest-blob', app, '--predicate', at('predicate.json'), '--type', TYPE],
    ...['--key', keys[kind]!.sign, '--bundle', bundleOf(kind, 'statement')],
  ] as const;
const verifyBlob = (kind: string, key = kind) =>
  ['verify-blob', app, '--key', keys[key]!.verify, '--bundle', bundleOf(kind)] as const;
const verifyStatement = (kind: string, key = kind) =>
  [
    ...['verify-blob-attestation', app, '--type', TYPE],
    ...['--key', keys[key]!.verify, '--bundle', bundleOf(kind, 'statement')],
  ] as const;

describe('generate-key-pair', () => {
  const pair = (name: string) => here.run('generate-key-pair', '--output-key-prefix', at(name), '--output', 'json');

  test('writes a private key that only its owner reads, and says how bundles name it', async () => {
    const ran = await pair('mine');
    expect(JSON.parse(ran.stdout)).toEqual({
      ok: true,
      private_key: at('mine.key'),
      public_key: at('mine.pub'),
      key_hint: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    });
    expect(statSync(at('mine.key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(at('mine.key'), 'utf8')).toMatch(/^-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n/);
    expect(readFileSync(at('mine.pub'), 'utf8')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    expect(ran.stdout + ran.stderr).not.toContain(PASSWORD);
    await here.document('sign-blob', app, '--key', at('mine.key'), '--bundle', at('mine.json'));
    expect(readJson(at('mine.json')).verificationMaterial.publicKey.hint).toBe(JSON.parse(ran.stdout).key_hint);
  });

  test('a wrong password opens nothing, and is not told', async () => {
    here.env['COSIGN_PASSWORD'] = 'wrong-donkey';
    const ran = await here.run('sign-blob', app, '--key', at('own.key'), '--bundle', at('wrong.json'));
    here.env['COSIGN_PASSWORD'] = PASSWORD;
    expect([ran.exitCode, ran.stderr]).toEqual([1, expect.stringContaining('signing.key_invalid')]);
    expect(ran.stdout + ran.stderr).not.toMatch(/wrong-donkey|ENCRYPTED/);
    expect(existsSync(at('wrong.json'))).toBe(false);
  });

  test.each(['.key', '.pub'])('leaves a %s as it is, and writes nothing beside it', async (ending) => {
    const file = here.file(`taken-by${ending}${ending}`, 'somebody’s');
    const ran = await pair(`taken-by${ending}`);
    expect([ran.exitCode, JSON.parse(ran.stdout).error.code]).toEqual([1, 'cli.file_taken']);
    expect(readFileSync(file, 'utf8')).toBe('somebody’s');
    expect(readdirSync(here.folder).filter((name) => name.startsWith(`taken-by${ending}`))).toHaveLength(1);
  });

  test('asks nobody where there is no terminal, and writes nothing', async () => {
    delete here.env['COSIGN_PASSWORD'];
    const ran = await pair('none');
    here.env['COSIGN_PASSWORD'] = PASSWORD;
    expect([ran.exitCode, JSON.parse(ran.stdout).error.code]).toEqual([1, 'cli.no_password']);
    expect(readdirSync(here.folder).filter((file) => file.startsWith('none'))).toEqual([]);
  });

  test('a folder that is not there is said before anything is made', async () => {
    const ran = await pair('nowhere/key');
    expect([ran.exitCode, JSON.parse(ran.stdout).error.code]).toEqual([2, 'cli.file_unwritable']);
    expect(existsSync(at('nowhere'))).toBe(false);
  });
});

describe('a file in place of one public key', () => {
  const verifiedBy = (content: string) =>
    here.refusal('verify-blob', app, '--key', here.file('not-one.pem', content), '--bundle', bundleOf('RSA'));
  const text = (kind: string, use: 'sign' | 'verify') => readFileSync(keys[kind]![use], 'utf8');

  test.each<[title: string, content: () => string]>([
    ['a private key, which nobody should have handed over', () => text('RSA', 'sign')],
    ['two public keys, the right one first', () => text('RSA', 'verify') + text('P-256', 'verify')],
    ['two public keys, the right one last', () => text('P-256', 'verify') + text('RSA', 'verify')],
    ['a key that is cut off', () => text('RSA', 'verify').slice(0, -40)],
    [
      'a certificate, whose key is trusted for a time and a purpose',
      () => {
        const root = readJson(join(here.dataDir, 'trust', 'trusted_root.json'));
        const [{ rawBytes }] = root.certificateAuthorities[0].certChain.certificates;
        return `-----BEGIN CERTIFICATE-----\n${rawBytes}\n-----END CERTIFICATE-----\n`;
      },
    ],
    ['a public key as another kind of file', () => text('RSA', 'verify').replaceAll('PUBLIC KEY', 'PRIVATE KEY')],
    ['nothing', () => ''],
  ])('with %s is refused', async (_title, content) => {
    expect(await verifiedBy(content())).toMatchObject({ exitCode: 1, code: 'cli.file_unreadable' });
  });

  test('with remarks around it is one', async () => {
    expect(await verifiedBy(`the key of the release\n${text('RSA', 'verify')}\nend\n`)).toEqual({ exitCode: 0 });
    const { exitCode } = await here.run(
      'verify-blob',
      app,
      '--key',
      keys['P-256 of another']!.verify,
      '--bundle',
      bundleOf('RSA'),
    );
    expect(exitCode).toBe(12);
  });
});

describe.each(KINDS)('a signature by a key of kind %s', (kind) => {
  const others = Object.keys({ 'P-256': 0, RSA: 0, Ed25519: 0, 'P-256 of another': 0 }).filter((one) => one !== kind);

  test('over a file verifies with the public key, and is nobody’s', async () => {
    const found = await here.document(...verifyBlob(kind));
    expect(found).not.toHaveProperty('certificate_identity');
    expect(found.log_entry).toHaveProperty('log_index');
    await here.document(...verifyBlob(kind), '--require-inclusion-proof');
  });

  test('in a statement verifies with the public key', async () => {
    const found = await here.document(...verifyStatement(kind), '--require-inclusion-proof');
    expect(found.statement.predicateType).toBe(TYPE);
  });

  test.each(others)('is refused with %s', async (other) => {
    // Of another kind it may be signed by a digest that such a key does not use.
    for (const line of [verifyBlob(kind, other), verifyStatement(kind, other)]) {
      const { code, exitCode } = await here.refusal(...line);
      expect([12, 13]).toContain(exitCode);
      // Ed25519 over a SHA-256 would be the variant over the whole file, which no log takes.
      expect(['signature.invalid', 'bundle.malformed', 'artifact.bytes_required']).toContain(code);
    }
  });

  test('is no signature of an identity', async () => {
    const [, ...blob] = ['', app, '--bundle', bundleOf(kind)];
    expect(await here.refusal('verify-blob', ...blob, ...here.pinned)).toMatchObject({
      exitCode: 13,
      code: 'key.missing',
    });
  });
});

test('a certificate’s signature is no signature by a key', async () => {
  await here.document('sign-blob', app, ...CONTEXT, '--bundle', at('keyless.json'));
  const line = ['verify-blob', app, '--bundle', at('keyless.json'), '--key', keys['P-256']!.verify] as const;
  expect(await here.refusal(...line)).toMatchObject({ exitCode: 12, code: 'key.mismatch' });
});

test('a statement by a key is nobody’s, so it is not offered to the evidence store', async () => {
  const ran = await here.run(...attest('P-256'));
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
});

describe('parts of two good bundles', () => {
  const PARTS = ['hint', 'entry', 'digest', 'signature', 'artifact', 'key'] as const;
  type Part = (typeof PARTS)[number];

  /** Bundles of two keys, or of one, over two files, or over one. */
  const PAIRS: ReadonlyArray<readonly [string, string, string, same: readonly Part[]]> = [
    ['two keys over two files', 'P-256', 'P-256 of another', ['hint']],
    ['keys of two kinds over two files', 'RSA', 'Ed25519', ['hint']],
    ['one key over two files', 'P-256', 'P-256', ['hint', 'key']],
  ];

  test.each(PAIRS)('of %s are taken from one of them, or refused', async (_what, first, second, same) => {
    const files = [app, here.file('app.other', 'what somebody else made\n')];
    const sides = [first, second].map((kind, side) => ({ key: keys[kind]!.verify, sign: keys[kind]!.sign, side }));
    const bundles: string[] = [];
    for (const { sign, side } of sides) {
      const bundle = at(`mixed-${first}-${second}-${side}.json`);
      await here.document('sign-blob', files[side] as string, '--key', sign, '--bundle', bundle);
      bundles.push(bundle);
    }
    const jsons = bundles.map(readJson);
    const wrong: string[] = [];
    for (let mix = 0; mix < 2 ** PARTS.length; mix++) {
      const from = (part: Part) => (mix >> PARTS.indexOf(part)) & 1;
      const bundle = structuredClone(jsons[from('signature')]);
      bundle.messageSignature.messageDigest = jsons[from('digest')].messageSignature.messageDigest;
      bundle.verificationMaterial.publicKey = jsons[from('hint')].verificationMaterial.publicKey;
      bundle.verificationMaterial.tlogEntries = jsons[from('entry')].verificationMaterial.tlogEntries;
      const line = ['--bundle', here.file('mixed.json', bundle), '--key', sides[from('key')]!.key];
      const { exitCode } = await here.run('verify-blob', files[from('artifact')] as string, ...line);
      // A hint is no evidence: whoever cannot sign may still write any.
      const isWhole = new Set(PARTS.filter((part) => !same.includes(part)).map(from)).size === 1;
      if ((exitCode === 0) !== isWhole || (!isWhole && exitCode !== 12 && exitCode !== 13)) {
        wrong.push(`${PARTS.map((part) => `${part} ${from(part)}`).join(', ')}: exit ${exitCode}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('the inclusion proof', () => {
  // biome-ignore lint/suspicious/noExplicitAny: taken apart
  const older = (edit: (entry: any) => void) => {
    const json = readJson(bundleOf('P-256'));
    json.mediaType = 'application/vnd.dev.sigstore.bundle+json;version=0.1';
    edit(json.verificationMaterial.tlogEntries[0]);
    return ['verify-blob', app, '--key', keys['P-256']!.verify, '--bundle', here.file('older.json', json)] as const;
  };

  test('is demanded of a bundle that has the log’s promise only', async () => {
    const promised = older((entry) => delete entry.inclusionProof);
    await here.document(...promised);
    expect(await here.refusal(...promised, '--require-inclusion-proof')).toMatchObject({
      exitCode: 13,
      code: 'log_entry.inclusion_proof_missing',
    });
  });

  test('is none without the log’s checkpoint, or in another tree', async () => {
    const bare = older((entry) => delete entry.inclusionProof.checkpoint);
    await here.document(...bare);
    expect(await here.refusal(...bare, '--require-inclusion-proof')).toMatchObject({
      code: 'log_entry.inclusion_proof_missing',
    });
    const forged = older((entry) => {
      entry.inclusionProof.rootHash = Buffer.alloc(32).toString('base64');
    });
    expect(await here.refusal(...forged, '--require-inclusion-proof')).toMatchObject({
      code: 'log_entry.inclusion_proof_invalid',
    });
  });

  test('makes nothing count that did not', async () => {
    const proven = older((entry) => delete entry.inclusionPromise);
    for (const line of [proven, [...proven, '--require-inclusion-proof']] as const) {
      expect(await here.refusal(...line)).toMatchObject({ code: 'log_entry.set_missing' });
    }
    const json = readJson(bundleOf('P-256'));
    delete json.verificationMaterial.tlogEntries;
    const unlogged = ['--key', keys['P-256']!.verify, '--bundle', here.file('unlogged.json', json)];
    expect(await here.refusal('verify-blob', app, ...unlogged)).toMatchObject({ code: 'log_entry.missing' });
  });
});

test('a file that is signed by its SHA-512 needs the file', async () => {
  const digest = `sha256:${createHash('sha256').update(readFileSync(app)).digest('hex')}`;
  expect(signedDigestIn(readFileSync(bundleOf('Ed25519')))).toBe('sha512');
  const byDigest = (kind: string) =>
    ['verify-blob', digest, '--key', keys[kind]!.verify, '--bundle', bundleOf(kind)] as const;
  await here.document(...byDigest('P-256'));
  expect(await here.refusal(...byDigest('Ed25519'))).toMatchObject({ exitCode: 12, code: 'artifact.bytes_required' });
});

describe('a key and another signer', () => {
  const key = () => ['--key', keys['P-256']!.verify];
  const image = () => `${here.registry}/none@sha256:${'a'.repeat(64)}`;
  const LINES: ReadonlyArray<readonly [string, () => string[]]> = [
    ['verify-blob', () => ['verify-blob', app, ...key(), ...here.pinned]],
    ['verify', () => ['verify', image(), ...key(), ...here.pinned]],
    ['verify-attestation', () => ['verify-attestation', image(), '--type', TYPE, ...key(), ...here.pinned]],
    ['sign', () => ['sign', image(), '--key', keys['P-256']!.sign, ...CONTEXT]],
    [
      'attest',
      () => ['attest', image(), '--predicate', at('predicate.json'), '--key', keys['P-256']!.sign, ...CONTEXT],
    ],
  ];
  test.each(LINES)('are refused together by %s', async (_name, line) => {
    expect(await here.refusal(...line())).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  });

  const TWICE: ReadonlyArray<readonly [string, () => string[]]> = [
    ['generate-key-pair', () => ['--output-key-prefix', at('a'), '--output-key-prefix', at('a')]],
    ...['sign', 'attest', 'verify', 'verify-attestation'].map(
      (command) => [command, () => [image(), ...key(), ...key()]] as const,
    ),
  ];
  test.each(TWICE)('%s takes a flag once', async (command, line) => {
    expect(await here.refusal(command, ...line())).toMatchObject({ exitCode: 1, code: 'cli.flag_repeated' });
  });
});

describe.each(KINDS)('an image with a key of kind %s', (kind) => {
  let image: string;
  const verify = (key = kind as string) => ['verify', image, '--key', keys[key]!.verify] as const;
  const verifyType = (type: string, key = kind as string) =>
    ['verify-attestation', image, '--type', type, '--key', keys[key]!.verify] as const;

  beforeAll(async () => {
    image = await here.push(`keyed-${kind.toLowerCase()}`);
  });

  test('is signed in the formats whose readers verify such a key', async () => {
    const { signatures } = await here.document('sign', image, '--key', keys[kind]!.sign);
    expect(signatures).toHaveLength(kind === 'Ed25519' ? 1 : 2);
    for (const one of signatures) expect(one).not.toHaveProperty('certificate_identity');
    const found = await here.document(...verify());
    expect(found.signatures).toHaveLength(signatures.length);
    for (const one of found.signatures) expect(one).not.toHaveProperty('certificate_identity');
  });

  test('counts the bundle alone where the proof is demanded', async () => {
    const { signatures, rejected_signatures } = await here.document(...verify(), '--require-inclusion-proof');
    expect(signatures).toHaveLength(1);
    const rejected = rejected_signatures.map(({ code }: { code: string }) => code);
    expect(rejected).toEqual(kind === 'Ed25519' ? [] : ['log_entry.inclusion_proof_missing']);
  });

  test('has no attestation yet, and one that is none is not taken for a signature', async () => {
    expect(await here.refusal(...verifyType(TYPE))).toMatchObject({ exitCode: 10, code: 'image.no_attestations' });
    const attested = await here.push(`attested-${kind.toLowerCase()}`);
    const ran = await here.run(
      ...['attest', attested, '--predicate', at('predicate.json'), '--type', TYPE, '--key', keys[kind]!.sign],
    );
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(await here.refusal('verify', attested, '--key', keys[kind]!.verify)).toMatchObject({
      exitCode: 10,
      code: 'image.no_signatures',
    });
    await here.document('verify-attestation', attested, '--type', TYPE, '--key', keys[kind]!.verify);
    expect(
      await here.refusal('verify-attestation', attested, '--type', 'slsaprovenance', '--key', keys[kind]!.verify),
    ).toMatchObject({ exitCode: 10, code: 'image.no_attestations' });
  });

  test('is refused with another key, and by identity', async () => {
    for (const other of ['P-256 of another', 'RSA', 'Ed25519'].filter((one) => one !== kind)) {
      expect(await here.refusal(...verify(other))).toMatchObject({ exitCode: 12, code: 'image.no_valid_signatures' });
    }
    expect(await here.refusal('verify', image, ...here.pinned)).toMatchObject({ code: 'image.no_valid_signatures' });
  });

  test('takes no signature of a certificate', async () => {
    const other = await here.push(`keyless-${kind.toLowerCase()}`);
    await here.document('sign', other, ...CONTEXT);
    const { code, issues } = await here.refusal('verify', other, '--key', keys[kind]!.verify);
    expect(code).toBe('image.no_valid_signatures');
    for (const issue of issues) expect(issue.code).toBe('key.mismatch');
  });
});

test('an Ed25519 key makes no signature in the older format, and nothing is attached', async () => {
  const image = await here.push('older');
  const line = ['sign', image, '--key', keys['Ed25519']!.sign, '--signature-format', 'older'] as const;
  expect(await here.refusal(...line)).toMatchObject({ exitCode: 1, code: 'signing.key_invalid' });
  expect(await here.refusal('verify', image, '--key', keys['Ed25519']!.verify)).toMatchObject({
    code: 'image.no_signatures',
  });
});

test('an agent run that a key attests must be a whole one', async () => {
  const image = await here.push('run');
  here.file('agent-run.json', AGENT_RUN);
  const attest = (predicate: string) =>
    ['attest', image, '--type', 'agent-run', '--predicate', predicate, '--key', keys['P-256']!.sign] as const;
  expect(await here.refusal(...attest(at('predicate.json')))).toMatchObject({ code: 'cli.predicate_invalid' });
  await here.document(...attest(at('agent-run.json')));
  await here.document('verify-attestation', image, '--type', 'agent-run', '--key', keys['P-256']!.verify);
});

describe('a published SBOM that a key signed', () => {
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': 'root', name: 'web', version: '1.0.0' } },
    components: [],
  };

  test.each(KINDS)('of kind %s verifies by its .sig alone, unless the proof is demanded', async (kind) => {
    const file = here.file('web.cdx.json', sbom);
    const bundle = at(`web-${kind}.json`);
    await here.document('sign-blob', file, '--key', keys[kind]!.sign, '--bundle', bundle);
    const place = at(`published-${kind}`);
    await here.document(
      ...['sbom', 'publish', file, '--bundle', bundle, '--public-key', keys[kind]!.verify, '--to', place],
    );
    const fetch = ['sbom', 'fetch', 'web@1.0.0', '--from', place, '--out', at('out.json')] as const;
    const demanding = ['--key', keys[kind]!.verify, '--require-inclusion-proof'];
    expect(await here.document(...fetch, ...demanding)).toHaveProperty('log_entry');
    const folder = join(place, '.well-known', 'sbom');
    for (const name of readdirSync(folder)) {
      if (name.endsWith('.sigstore.json') || name === 'index.json') rmSync(join(folder, name));
    }
    expect(await here.document(...fetch, '--key', keys[kind]!.verify)).not.toHaveProperty('log_entry');
    expect(await here.refusal(...fetch, ...demanding)).toMatchObject({
      exitCode: 10,
      code: 'publishing.signature_missing',
    });
    const other = kind === 'Ed25519' ? 'RSA' : 'P-256 of another';
    expect((await here.run(...fetch, '--key', keys[other]!.verify)).exitCode).not.toBe(0);
  });
});
