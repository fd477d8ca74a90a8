import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, startColophon } from './colophon-up.ts';
import { type PushedImage, pushImage } from './images.ts';
import { isMissing, type Outcome, run } from './programs.ts';

const TYPE = 'https://colophon.example/predicates/custom/v1';
const PROGRAMS = ['colophon', 'cosign'] as const;
type Program = (typeof PROGRAMS)[number];
const PASSWORD = { COSIGN_PASSWORD: 'correct-horse' };
/** Without a trusted root cosign asks the public instance for one, which nobody here needs. */
const NO_NETWORK = { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: 'localhost' };

/** Keys that openssl makes and `cosign import-key-pair` encrypts. */
const IMPORTED = {
  rsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  ed25519: ['-algorithm', 'ed25519'],
  'p-384': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
} as const;
/** `colophon` and `cosign` name the P-256 key that this program made. */
const KEYS = ['colophon', 'cosign', 'rsa', 'ed25519', 'p-384'] as const;
type Key = (typeof KEYS)[number];
type Kind = 'blob' | 'statement' | 'image' | 'image attestation';

/** What a program says that cannot sign with a key, or cannot verify what it signed: its own words. */
const CANNOT: Readonly<Record<string, string>> = {
  // It signs statements as Ed25519ph, or by SHA-384, and Rekor v1 verifies them as Ed25519, or by SHA-256.
  ...whatCosignCannotSign('ed25519'),
  ...whatCosignCannotSign('p-384'),
  // It signs a file as Ed25519ph, or by SHA-384, and verifies it as Ed25519, or by SHA-256.
  'cosign verifies blob by colophon with ed25519': 'could not verify message: failed to verify signature',
  'cosign verifies blob by cosign with ed25519': 'could not verify message: failed to verify signature',
  'cosign verifies blob by cosign with p-384': 'invalid signature when validating ASN.1 encoded signature',
  ...Object.fromEntries(
    ['blob', 'statement', 'image', 'image attestation'].map((kind) => [
      `colophon signs ${kind} with p-384`,
      'signing.key_invalid',
    ]),
  ),
};

function whatCosignCannotSign(key: Key): Record<string, string> {
  const kinds = ['statement', 'image', 'image attestation'];
  return Object.fromEntries(kinds.map((kind) => [`cosign signs ${kind} with ${key}`, 'could not verify envelope']));
}

describe.skipIf(isMissing('cosign', 'crane', 'openssl'))('keys of one’s own, with colophon and cosign', () => {
  let up: Installation;
  let config: string[];
  let trusted: string[];
  let other: PushedImage;
  const call = (program: Program | 'openssl', args: readonly string[]): Promise<Outcome> =>
    program === 'colophon'
      ? up.colophon(args, { cwd: up.folder, env: PASSWORD })
      : run(program, args, { cwd: up.folder, env: { ...up.env, ...PASSWORD, ...NO_NETWORK } });
  const must = async (program: Program | 'openssl', args: readonly string[]) => {
    const outcome = await call(program, args);
    expect(outcome.code, `${program} ${args.join(' ')}\n${outcome.stdout}\n${outcome.stderr}`).toBe(0);
    return outcome;
  };

  beforeAll(async () => {
    up = await startColophon();
    trusted = ['--trusted-root', join(up.trust, 'trusted_root.json')];
    config = ['--yes', '--signing-config', join(up.trust, 'signing_config.json')];
    writeFileSync(join(up.folder, 'other'), 'what somebody else made');
    writeFileSync(join(up.folder, 'predicate.json'), '{"a":1}');
    other = await pushImage(up, 'unsigned');
    for (const program of PROGRAMS) await must(program, ['generate-key-pair', '--output-key-prefix', program]);
    for (const [name, options] of Object.entries(IMPORTED)) {
      await must('openssl', ['genpkey', ...options, '-out', `${name}.pem`]);
      await must('cosign', ['import-key-pair', '--yes', '--key', `${name}.pem`, '--output-key-prefix', name]);
    }
  });
  afterAll(() => up?.stop());

  test('cosign’s encrypted key has the form of ours', () => {
    const form = (name: Program) => {
      const [, base64 = ''] = /-----\n(.*)\n-----/s.exec(readFileSync(join(up.folder, `${name}.key`), 'utf8')) ?? [];
      const { kdf, cipher, ...rest } = JSON.parse(Buffer.from(base64, 'base64').toString());
      return { ...kdf, ...cipher, ...rest, salt: '', nonce: '', ciphertext: rest.ciphertext.length };
    };
    expect(form('colophon')).toEqual(form('cosign'));
  });

  const LINES: Readonly<
    Record<Kind, { sign: (name: string) => string[]; verify: (name: string) => string[]; other: () => string[] }>
  > = {
    blob: {
      sign: (name) => ['sign-blob', '--bundle', `${name}.json`, name],
      verify: (name) => ['verify-blob', '--bundle', `${name}.json`, name],
      other: () => ['other'],
    },
    statement: {
      sign: (name) => [
        ...['attest-blob', '--type', TYPE, '--predicate', 'predicate.json'],
        ...['--bundle', `${name}.json`, name],
      ],
      verify: (name) => ['verify-blob-attestation', '--type', TYPE, '--bundle', `${name}.json`, name],
      other: () => ['other'],
    },
    image: {
      sign: (name) => ['sign', name],
      verify: (name) => ['verify', name],
      other: () => [other.reference],
    },
    'image attestation': {
      sign: (name) => ['attest', '--type', TYPE, '--predicate', 'predicate.json', name],
      verify: (name) => ['verify-attestation', '--type', TYPE, name],
      other: () => [other.reference],
    },
  };
  let next = 0;

  /** A file or an image of its own. */
  async function subject(kind: Kind): Promise<string> {
    const name = `subject-${next++}`;
    if (kind.startsWith('image')) return (await pushImage(up, name)).reference;
    writeFileSync(join(up.folder, name), name);
    return name;
  }

  /** Runs a line that ends well, or with the program's own words that the table has. */
  async function expected(what: string, program: Program, args: readonly string[]): Promise<boolean> {
    const { code, stdout, stderr } = await call(program, args);
    const words = CANNOT[what];
    expect({ what, isWell: code === 0 }, stdout + stderr).toEqual({ what, isWell: words === undefined });
    expect(stdout + stderr).toContain(words ?? '');
    return words === undefined;
  }

  const cells = (Object.keys(LINES) as Kind[]).flatMap((kind) =>
    KEYS.flatMap((key) => PROGRAMS.map((signer) => ({ kind, key, signer }))),
  );

  test.each(cells)('$signer signs $kind with $key, and both say the same of it as ever', async (cell) => {
    const { kind, key, signer } = cell;
    const { sign, verify, other } = LINES[kind];
    const name = await subject(kind);
    const [command = '', ...rest] = sign(name);
    // cosign verifies what it signed where it is given roots, and cannot with Ed25519.
    const roots = signer === 'cosign' && kind === 'blob' && ['ed25519', 'p-384'].includes(key) ? [] : trusted;
    const signing = [command, ...config, ...roots, '--key', `${key}.key`, ...rest];
    if (!(await expected(`${signer} signs ${kind} with ${key}`, signer, signing))) return;
    for (const verifier of PROGRAMS) {
      const [verifying = '', ...line] = verify(name);
      const with_ = (public_: string) => [verifying, ...trusted, '--key', public_];
      const what = `${verifier} verifies ${kind} by ${signer} with ${key}`;
      if (!(await expected(what, verifier, [...with_(`${key}.pub`), ...line]))) continue;
      const wrongKey = key === 'rsa' ? 'cosign.pub' : 'rsa.pub';
      expect((await call(verifier, [...with_(wrongKey), ...line])).code).not.toBe(0);
      const elsewhere = [...line.slice(0, -1), ...other()];
      expect((await call(verifier, [...with_(`${key}.pub`), ...elsewhere])).code).not.toBe(0);
    }
  });

  test('an image that colophon signed with a key verifies in the older format too', async () => {
    const name = await subject('image');
    await must('colophon', ['sign', ...config, ...trusted, '--key', 'rsa.key', name]);
    const key = join(up.trust, 'rekor.pub');
    const older = ['verify', '--new-bundle-format=false', '--key', 'rsa.pub', name];
    const env = { ...up.env, ...PASSWORD, ...NO_NETWORK, SIGSTORE_REKOR_PUBLIC_KEY: key };
    const { code, stderr } = await run('cosign', older, { cwd: up.folder, env });
    expect(code, stderr).toBe(0);
  });

  test('an older image signature that cosign made with a key verifies, but not where the proof is demanded', async () => {
    const name = await subject('image');
    const log = ['--use-signing-config=false', '--rekor-url', up.issuer, '--new-bundle-format=false'];
    await must('cosign', ['sign', '--yes', ...log, '--key', 'cosign.key', name]);
    const verify = ['verify', ...trusted, '--key', 'cosign.pub', name];
    await must('colophon', verify);
    const { code, stderr } = await call('colophon', [...verify, '--require-inclusion-proof']);
    expect([code, stderr]).toEqual([12, expect.stringContaining('log_entry.inclusion_proof_missing')]);
  });

  test('offline, the public key and a root with nothing but the log are enough', async () => {
    const made: string[][] = [];
    for (const kind of ['blob', 'statement'] as const) {
      for (const signer of PROGRAMS) {
        const name = await subject(kind);
        const [command = '', ...rest] = LINES[kind].sign(name);
        await must(signer, [command, ...config, ...trusted, '--key', 'cosign.key', ...rest]);
        made.push(LINES[kind].verify(name));
      }
    }
    const root = JSON.parse(readFileSync(join(up.trust, 'trusted_root.json'), 'utf8'));
    const { mediaType, tlogs } = root;
    writeFileSync(join(up.folder, 'log-only.json'), JSON.stringify({ mediaType, tlogs }));
    const ended = new Promise((resolve) => up.process.once('exit', resolve));
    up.process.kill('SIGTERM');
    await ended;
    for (const [command = '', ...line] of made) {
      for (const verifier of PROGRAMS) {
        await must(verifier, [command, '--trusted-root', 'log-only.json', '--key', 'cosign.pub', ...line]);
      }
      const demanding = ['--trusted-root', 'log-only.json', '--require-inclusion-proof', '--key', 'cosign.pub'];
      await must('colophon', [command, ...demanding, ...line]);
    }
  });
});
