import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeyFile } from '@colophon/keys';
import { FULCIO_ARC, FULCIO_EXTENSION_TEMPLATES } from '@colophon/records';
import { readCertificateIdentity } from '@colophon/sigstore';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extensionText } from './certificate-extension.ts';
import { FULL_REQUEST, type Installation, mint, SIX_FIELDS, startColophon } from './colophon-up.ts';
import { isMissing } from './programs.ts';
import { makeCa, type SigstoreServer, startFulcio, writeTrustedRoot } from './sigstore-servers.ts';

/** Claims that have no extension in Fulcio's closed set. */
const OF_A_COMMIT = { tree_sha: '7a'.repeat(20), parent_sha: '3b'.repeat(20) };

describe.skipIf(isMissing('fulcio', 'cosign', 'openssl', 'curl'))('the real Fulcio with our mapping', () => {
  let up: Installation;
  let fulcio: SigstoreServer;
  let fulcioUrl: string;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
    await makeCa(folder);
    up = await startColophon({ folder, args: ['--ct-root', join(folder, 'root.pem')] });
    fulcio = await startFulcio(up);
    fulcioUrl = fulcio.url;
    await writeTrustedRoot(up, fulcio);
    writeFileSync(join(folder, 'app'), 'what an agent made');
  });
  afterAll(async () => {
    await fulcio?.stop();
    await up?.stop();
  });

  test.each([
    ['the six-field request', SIX_FIELDS as object],
    ['a full request', FULL_REQUEST as object],
    ['a request that names tree and parent', { ...FULL_REQUEST, ...OF_A_COMMIT } as object],
  ])('%s buys a certificate that holds every claim where the mapping says', async (name, request) => {
    const token = await mint(up.issuer, request);
    const bundle = `${name.replaceAll(' ', '-')}.json`;
    const sign = ['sign-blob', '--fulcio-url', fulcioUrl, '--rekor-url', up.issuer, '--identity-token', token];
    const signed = await up.colophon([...sign, '--trusted-root', 'trusted_root.json', '--bundle', bundle, 'app'], {
      cwd: up.folder,
    });
    expect(signed.code, signed.stderr).toBe(0);

    const { verificationMaterial } = JSON.parse(readFileSync(join(up.folder, bundle), 'utf8'));
    const der = Buffer.from(verificationMaterial.certificate.rawBytes, 'base64');
    expect(new X509Certificate(der).subjectAltName).toBe('URI:agent:code-writer');
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    for (const [n, template] of Object.entries(FULCIO_EXTENSION_TEMPLATES)) {
      const expected = template.replace(
        /\{(\w+)\}/g,
        (_, claim) => claims[claim] ?? (claim === 'key_thumbprint' ? 'none' : 'unknown'),
      );
      expect(extensionText(der, `${FULCIO_ARC}.${n}`), `extension .${n}`).toBe(expected);
    }
    const identity = readCertificateIdentity(der);
    expect(identity.issuer).toBe(up.issuer);
    expect(identity.purpose).toBe('artifact');
    for (const claim of Object.keys(request) as Array<keyof typeof identity.claims>) {
      expect(identity.claims[claim], claim).toBe(claim in OF_A_COMMIT ? undefined : claims[claim]);
      // Where Fulcio has no place for a value, the certificate still says that the token had one.
      if (claim in OF_A_COMMIT) expect(identity.sources[claim], claim).toBe('declared');
    }
  });

  test('a reviewer signs with a certificate of their own from it', async () => {
    const approve = [
      'review',
      'approve',
      'app',
      '--reviewer',
      'alice@example.com',
      '--commit-sha',
      FULL_REQUEST.commit_sha,
    ];
    const services = [
      '--fulcio-url',
      fulcioUrl,
      '--rekor-url',
      up.issuer,
      '--trusted-root',
      'trusted_root.json',
      '--no-evidence',
    ];
    const reviewed = await up.colophon([...approve, ...services, '--bundle', 'review.json'], { cwd: up.folder });
    expect(reviewed.code, reviewed.stderr).toBe(0);
    const { verificationMaterial } = JSON.parse(readFileSync(join(up.folder, 'review.json'), 'utf8'));
    const identity = readCertificateIdentity(Buffer.from(verificationMaterial.certificate.rawBytes, 'base64'));
    expect(identity.subject).toBe('reviewer:alice@example.com');
    expect(identity.purpose).toBe('review');
    // Fulcio takes a token with `cnf` in it, and the program bound it to the key that it made.
    expect(identity.key_thumbprint).toMatch(/^[\w-]{43}$/);
  });

  test('its certificates are held against the ledger, precertificate by precertificate, and a forged one is named', async () => {
    const reconcile = () => up.colophon(['ledger', 'reconcile', '--output', 'json'], { cwd: up.folder });
    const token = await mint(up.issuer, FULL_REQUEST);
    await certify(token);
    const sound = await reconcile();
    expect(sound.code, sound.stdout).toBe(0);
    const before = JSON.parse(sound.stdout);
    expect(before).toMatchObject({ ok: true, findings: [], erased: [] });
    expect(before.agreeing_count).toBe(before.logs[0].tree_size);

    // Somebody has stolen the issuer's key: Fulcio cannot see that the ledger has another model under this jti.
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const serial = await certify(forged({ ...claims, model_id: 'another-model' }));
    const found = await reconcile();
    expect(found.code, found.stdout).toBe(21);
    const { findings, agreeing_count } = JSON.parse(found.stdout);
    expect(agreeing_count).toBe(before.agreeing_count);
    expect(findings).toEqual([
      {
        log: 'ct',
        log_index: before.logs[0].tree_size,
        serial_number: serial,
        code: 'claims_differ',
        jti: claims.jti,
        differences: [
          {
            field: `${FULCIO_ARC}.18`,
            claims: ['model_provider', 'model_id'],
            expected: `${up.issuer}/models/${claims.model_provider}/${claims.model_id}`,
            found: `${up.issuer}/models/${claims.model_provider}/another-model`,
          },
        ],
      },
    ]);
    const people = await up.colophon(['ledger', 'reconcile', '--wide'], { cwd: up.folder });
    expect(people.stdout).toContain(serial);
  });

  /** Has the real Fulcio certify a new key; answers with the serial of the certificate, lower-case hex. */
  async function certify(token: string): Promise<string> {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const answer = await fetch(`${fulcioUrl}/api/v2/signingCert`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        credentials: { oidcIdentityToken: token },
        publicKeyRequest: {
          publicKey: { algorithm: 'ECDSA', content: publicKey.export({ type: 'spki', format: 'pem' }) },
          proofOfPossession: sign('sha256', Buffer.from(sub), privateKey).toString('base64'),
        },
      }),
    });
    const body = (await answer.json()) as {
      signedCertificateEmbeddedSct?: { chain: { certificates: string[] } };
    };
    const [leaf] = body.signedCertificateEmbeddedSct?.chain.certificates ?? [];
    expect(leaf, JSON.stringify(body)).toBeDefined();
    const serial = new X509Certificate(leaf as string).serialNumber.toLowerCase();
    return serial.length % 2 === 0 ? serial : `0${serial}`;
  }

  function forged(claims: object): string {
    const key = openKeyFile(join(up.data, 'keys', 'issuer-rs256.pem'), 'RS256');
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const input = `${encode({ alg: 'RS256', kid: key.kid, typ: 'JWT' })}.${encode(claims)}`;
    return `${input}.${Buffer.from(key.signJose(Buffer.from(input))).toString('base64url')}`;
  }
});
