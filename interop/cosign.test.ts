import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BUILD_PROVENANCE,
  FULL_REQUEST,
  type Installation,
  mint,
  RUN_PREDICATE,
  SIX_FIELDS,
  startColophon,
} from './colophon-up.ts';
import { type PushedImage, pushImage } from './images.ts';
import { isMissing, type Outcome, run } from './programs.ts';

const RUN_TYPE = 'https://colophon.example/predicates/agent-run/v1';
const PROGRAMS = ['colophon', 'cosign'] as const;
const PAIRS = PROGRAMS.flatMap((signer) => PROGRAMS.map((verifier) => [signer, verifier] as const));

describe.skipIf(isMissing('cosign', 'crane', 'curl'))('colophon and cosign', () => {
  let up: Installation;
  let services: string[];
  let trusted: string[];
  const call = (program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
    program === 'colophon'
      ? up.colophon(args, { cwd: up.folder, env })
      : run(program, args, { cwd: up.folder, env: { ...up.env, ...env } });
  const must = async (program: string, args: readonly string[], env?: Record<string, string>) => {
    const outcome = await call(program, args, env);
    expect(outcome.code, `${program} ${args.join(' ')}\n${outcome.stdout}\n${outcome.stderr}`).toBe(0);
    return outcome;
  };
  const exact = () => ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', up.issuer];

  beforeAll(async () => {
    up = await startColophon();
    trusted = ['--trusted-root', join(up.trust, 'trusted_root.json')];
    services = ['--yes', '--signing-config', join(up.trust, 'signing_config.json'), ...trusted];
    writeFileSync(join(up.folder, 'app'), 'what an agent made');
    writeFileSync(join(up.folder, 'other'), 'what somebody else made');
    writeFileSync(join(up.folder, 'predicate.json'), JSON.stringify(RUN_PREDICATE));
    writeFileSync(join(up.folder, 'provenance.json'), JSON.stringify(BUILD_PROVENANCE));
  });
  afterAll(() => up?.stop());

  describe.each(PAIRS)('%s signs a file, %s verifies it', (signer, verifier) => {
    const bundle = `${signer}-${verifier}.sigstore.json`;
    const verify = (args: readonly string[]) =>
      call(verifier, ['verify-blob', ...trusted, '--bundle', bundle, ...args]);

    beforeAll(async () => {
      const token = await mint(up.issuer, FULL_REQUEST);
      await must(signer, ['sign-blob', ...services, '--identity-token', token, '--bundle', bundle, 'app']);
    });

    test('by the exact identity', async () => {
      expect((await verify([...exact(), 'app'])).code).toBe(0);
    });

    test.each(['^agent:.*', 'agent:code-(writer|fixer)', '^agent:code-writer$'])(
      'by the pattern %s',
      async (pattern) => {
        const outcome = await verify([
          '--certificate-identity-regexp',
          pattern,
          '--certificate-oidc-issuer',
          up.issuer,
          'app',
        ]);
        expect(outcome.code, outcome.stderr).toBe(0);
      },
    );

    test('by repository, commit and issuer pattern', async () => {
      const outcome = await verify([
        ...[
          '--certificate-identity',
          'agent:code-writer',
          '--certificate-oidc-issuer-regexp',
          '^http://localhost:[0-9]+$',
        ],
        ...['--certificate-github-workflow-repository', 'acme/webshop'],
        ...['--certificate-github-workflow-sha', FULL_REQUEST.commit_sha, 'app'],
      ]);
      expect(outcome.code, outcome.stderr).toBe(0);
    });

    test.each([
      ['another artifact', () => [...exact(), 'other']],
      [
        'another identity',
        () => ['--certificate-identity', 'agent:code', '--certificate-oidc-issuer', up.issuer, 'app'],
      ],
      [
        'another pattern',
        () => ['--certificate-identity-regexp', '^agent:fixer$', '--certificate-oidc-issuer', up.issuer, 'app'],
      ],
      [
        'another issuer',
        () => [
          '--certificate-identity',
          'agent:code-writer',
          '--certificate-oidc-issuer',
          'https://issuer.example',
          'app',
        ],
      ],
      ['another trigger', () => [...exact(), '--certificate-github-workflow-trigger', 'pull_request', 'app']],
    ])('not with %s', async (_what, args) => {
      const outcome = await verify(args());
      expect(outcome.code, outcome.stdout).not.toBe(0);
      if (verifier === 'colophon') expect(outcome.code).toBe(12);
    });
  });

  test.each(PROGRAMS)('%s takes the token as a file and from the environment', async (signer) => {
    writeFileSync(join(up.folder, 'token.jwt'), await mint(up.issuer, SIX_FIELDS));
    await must(signer, ['sign-blob', ...services, '--identity-token', 'token.jwt', '--bundle', 'file.json', 'app']);
    const env = { SIGSTORE_ID_TOKEN: await mint(up.issuer, SIX_FIELDS) };
    await must(signer, ['sign-blob', ...services, '--bundle', 'env.json', 'app'], env);
    for (const verifier of PROGRAMS) {
      for (const bundle of ['file.json', 'env.json']) {
        await must(verifier, ['verify-blob', ...trusted, '--bundle', bundle, ...exact(), 'app']);
      }
    }
  });

  test.each(PROGRAMS)('%s takes the token for an image as a file and from the environment', async (signer) => {
    const image = await pushImage(up, `token-${signer}`);
    writeFileSync(join(up.folder, 'token.jwt'), await mint(up.issuer, SIX_FIELDS));
    await must(signer, ['sign', ...services, '--identity-token', 'token.jwt', image.reference]);
    const attest = ['attest', ...services, '--type', RUN_TYPE, '--predicate', 'predicate.json', image.reference];
    await must(signer, attest, { SIGSTORE_ID_TOKEN: await mint(up.issuer, SIX_FIELDS) });
    for (const verifier of PROGRAMS) {
      await must(verifier, ['verify', ...trusted, ...exact(), image.reference]);
      await must(verifier, ['verify-attestation', ...trusted, ...exact(), '--type', RUN_TYPE, image.reference]);
    }
  });

  // Who verifies whose attestations and images: matrix.test.ts.
  test.each(PROGRAMS)('an attestation of another type, or of another file, is refused by %s', async (verifier) => {
    const bundle = `${verifier}.att.json`;
    const attest = ['attest-blob', ...services, '--identity-token', await mint(up.issuer, FULL_REQUEST)];
    await must('colophon', [...attest, '--type', RUN_TYPE, '--predicate', 'predicate.json', '--bundle', bundle, 'app']);
    const verify = ['verify-blob-attestation', ...trusted, '--bundle', bundle, ...exact()];
    await must(verifier, [...verify, '--type', RUN_TYPE, 'app']);
    expect((await call(verifier, [...verify, '--type', RUN_TYPE, 'other'])).code).not.toBe(0);
    if (verifier === 'colophon') {
      expect((await call(verifier, [...verify, '--type', 'https://slsa.dev/provenance/v1', 'app'])).code).toBe(12);
    }
  });

  describe.each(PROGRAMS)('an image that is signed and attested, by %s', (verifier) => {
    let image: PushedImage;
    let other: PushedImage;

    beforeAll(async () => {
      image = await pushImage(up, `signed-${verifier}`);
      other = await pushImage(up, `unsigned-${verifier}`);
      await must('colophon', [
        'sign',
        ...services,
        '--identity-token',
        await mint(up.issuer, FULL_REQUEST),
        image.reference,
      ]);
      const attest = ['attest', ...services, '--identity-token', await mint(up.issuer, FULL_REQUEST)];
      await must('colophon', [...attest, '--type', RUN_TYPE, '--predicate', 'predicate.json', image.reference]);
    });

    test('is verified by identity and issuer', async () => {
      await must(verifier, ['verify', ...trusted, ...exact(), image.reference]);
      await must(verifier, ['verify-attestation', ...trusted, ...exact(), '--type', RUN_TYPE, image.reference]);
    });

    test('is no unsigned image, and of no other identity, issuer or type', async () => {
      const codes = await Promise.all([
        call(verifier, ['verify', ...trusted, ...exact(), other.reference]),
        call(verifier, ['verify-attestation', ...trusted, ...exact(), '--type', RUN_TYPE, other.reference]),
        call(verifier, [
          'verify',
          ...trusted,
          '--certificate-identity',
          'agent:x',
          '--certificate-oidc-issuer',
          up.issuer,
          image.reference,
        ]),
        call(verifier, [
          'verify',
          ...trusted,
          '--certificate-identity',
          'agent:code-writer',
          '--certificate-oidc-issuer',
          'https://x',
          image.reference,
        ]),
        call(verifier, [
          'verify-attestation',
          ...trusted,
          ...exact(),
          '--type',
          'https://slsa.dev/provenance/v1',
          image.reference,
        ]),
      ]);
      for (const { code, stdout } of codes) expect(code, stdout).not.toBe(0);
    });
  });

  test.each(PAIRS)('%s attests build provenance, %s verifies it, both by slsaprovenance1', async (signer, verifier) => {
    const { reference } = await pushImage(up, `built-${signer}-${verifier}`);
    const token = await mint(up.issuer, FULL_REQUEST);
    const attest = ['attest', ...services, '--identity-token', token, '--predicate', 'provenance.json'];
    await must(signer, [...attest, '--type', 'slsaprovenance1', reference]);
    const verify = ['verify-attestation', ...trusted, ...exact()];
    await must(verifier, [...verify, '--type', 'slsaprovenance1', reference]);
    expect((await call(verifier, [...verify, '--type', 'slsaprovenance02', reference])).code).not.toBe(0);
  });

  test('an image with an attestation only is not signed', async () => {
    const image = await pushImage(up, 'attested-only');
    const attest = ['attest', ...services, '--identity-token', await mint(up.issuer, FULL_REQUEST)];
    await must('colophon', [...attest, '--type', RUN_TYPE, '--predicate', 'predicate.json', image.reference]);
    expect((await call('colophon', ['verify', ...trusted, ...exact(), image.reference])).code).toBe(10);
  });

  test.each(PROGRAMS)('a bundle that was tampered with is refused by %s', async (verifier) => {
    const token = await mint(up.issuer, FULL_REQUEST);
    await must('colophon', ['sign-blob', ...services, '--identity-token', token, '--bundle', 'good.json', 'app']);
    const bundle = JSON.parse(readFileSync(join(up.folder, 'good.json'), 'utf8'));
    const signature = Buffer.from(bundle.messageSignature.signature, 'base64');
    signature[signature.length - 1]! ^= 1;
    bundle.messageSignature.signature = signature.toString('base64');
    writeFileSync(join(up.folder, 'bad.json'), JSON.stringify(bundle));
    expect(
      (await call(verifier, ['verify-blob', ...trusted, '--bundle', 'bad.json', ...exact(), 'app'])).code,
    ).not.toBe(0);
  });
});
