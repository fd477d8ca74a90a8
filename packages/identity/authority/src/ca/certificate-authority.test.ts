import { createHash, createPublicKey, verify, X509Certificate } from 'node:crypto';
import { parsePem } from '@colophon/encoding';
import { CLAIM_ARC_NUMBERS, DEFAULT_CLAIM_ARC, FULCIO_ARC, keyThumbprint } from '@colophon/records';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { Certificate, SubjectAlternativeName } from '@peculiar/asn1-x509';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningAuthority, runAuthority } from '../../test/running-authority.ts';
import { makeSigner, proofOver } from '../../test/signer.ts';
import { agentClaims, ISSUER, mintToken, NOW } from '../../test/token-issuer.ts';

let running: RunningAuthority;
beforeAll(async () => {
  running = await runAuthority();
});
afterAll(() => running.remove());

const signer = makeSigner();
const derOf = (pem: string) => parsePem(pem)![0]!.der;
const parse = (pem: string) => AsnConvert.parse(derOf(pem), Certificate);

function extensionsOf(pem: string): Map<string, { critical: boolean; value: Buffer }> {
  const { extensions } = parse(pem).tbsCertificate;
  return new Map(extensions!.map((e) => [e.extnID, { critical: e.critical, value: Buffer.from(e.extnValue.buffer) }]));
}

/** The text of a DER UTF8String below 128 bytes or of one more length byte. */
function utf8(value: Buffer | undefined): string | undefined {
  if (value === undefined) return undefined;
  expect(value[0]).toBe(0x0c);
  return value.subarray(value[1]! < 0x80 ? 2 : value[1]! === 0x81 ? 3 : 4).toString();
}

test('a signing certificate is for ten minutes, code signing, an empty subject and one critical name', async () => {
  const [leaf] = (await running.certify(signer)) as [string];
  const x509 = new X509Certificate(leaf);
  expect(x509.subject).toBeFalsy();
  expect(x509.validFromDate.getTime()).toBe(NOW * 1000);
  expect(x509.validToDate.getTime()).toBe((NOW + 600) * 1000);
  expect(x509.subjectAltName).toBe('URI:agent:code-writer');
  expect(x509.keyUsage).toEqual(['1.3.6.1.5.5.7.3.3']);
  expect(x509.ca).toBe(false);
  expect(x509.publicKey.equals(signer.publicKey)).toBe(true);
  const extensions = extensionsOf(leaf);
  expect(extensions.get('2.5.29.17')?.critical).toBe(true);
  expect(
    AsnConvert.parse(extensions.get('2.5.29.17')!.value, SubjectAlternativeName)[0]?.uniformResourceIdentifier,
  ).toBe('agent:code-writer');
  expect(extensions.get('2.5.29.15')).toEqual({ critical: true, value: Buffer.from('03020780', 'hex') });
  expect(extensions.has('2.5.29.19')).toBe(false);
});

test('every serial number is positive, of 20 bytes, and new', async () => {
  const serials = new Set<string>();
  for (let i = 0; i < 20; i += 1) {
    const serial = Buffer.from(parse((await running.certify(signer))[0]!).tbsCertificate.serialNumber);
    expect(serial).toHaveLength(20);
    expect(serial[0]! < 0x80).toBe(true);
    serials.add(serial.toString('hex'));
  }
  expect(serials.size).toBe(20);
});

test('the chain verifies link by link, says that it is local, and its keys have the identifiers of RFC 5280', async () => {
  const [leaf, intermediate, root] = (await running.certify(signer)).map((pem) => new X509Certificate(pem)) as [
    X509Certificate,
    X509Certificate,
    X509Certificate,
  ];
  for (const [certificate, issuer] of [
    [leaf, intermediate],
    [intermediate, root],
    [root, root],
  ] as const) {
    expect(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)).toBe(true);
  }
  expect([intermediate.ca, root.ca]).toEqual([true, true]);
  expect(intermediate.subject).toContain('local');
  expect(root.subject).toContain('local');
  expect(intermediate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.3']);
  const [leafPem, intermediatePem] = (await running.certify(signer)) as [string, string];
  const point = Buffer.from(parse(intermediatePem).tbsCertificate.subjectPublicKeyInfo.subjectPublicKey);
  const id = createHash('sha1').update(point).digest();
  expect(
    Buffer.from(AsnConvert.parse(extensionsOf(intermediatePem).get('2.5.29.14')!.value, OctetString).buffer),
  ).toEqual(id);
  expect(extensionsOf(leafPem).get('2.5.29.35')!.value.subarray(-20)).toEqual(id);
  expect(extensionsOf(intermediatePem).get('2.5.29.19')).toEqual({
    critical: true,
    value: Buffer.from('30060101ff020100', 'hex'),
  });
});

test('a full token’s claims stand in Fulcio’s extensions and each under our arc', async () => {
  const claims = agentClaims({
    jti: 'the-jti',
    model_provider: 'acme',
    review_timestamp: '2026-11-21T05:00:00Z',
    repo: 'org/repo',
    repo_uri: 'https://github.com/org/repo',
    commit_sha: 'c'.repeat(40),
    tree_sha: 'd'.repeat(40),
    parent_sha: 'e'.repeat(40),
    trigger: 'pull_request',
    agent_id: 'id-1',
    key_thumbprint: keyThumbprint({ ...signer.publicKey.export({ format: 'jwk' }) }),
  });
  const extensions = extensionsOf((await running.certify(signer, claims))[0]!);
  const fulcio = (n: number) => extensions.get(`${FULCIO_ARC}.${n}`)?.value;
  expect([1, 2, 3, 5].map((n) => fulcio(n)?.toString())).toEqual([ISSUER, 'pull_request', 'c'.repeat(40), 'org/repo']);
  expect(
    Object.fromEntries([8, 9, 10, 11, 12, 13, 18, 19, 20, 21, 22, 23, 24].map((n) => [n, utf8(fulcio(n))])),
  ).toEqual({
    8: ISSUER,
    9: `${ISSUER}/agents/code-writer@1.2.3`,
    10: claims['policy_pack_hash'],
    11: 'agent_name=declared',
    12: 'https://github.com/org/repo',
    13: 'c'.repeat(40),
    18: `${ISSUER}/models/acme/model-1`,
    19: claims['prompt_hash'],
    20: 'pull_request',
    21: `${ISSUER}/runs/the-jti`,
    22: claims['key_thumbprint'],
    23: 'reviewer@example.com 2026-11-21T05:00:00Z',
    24: 'agent:code-writer',
  });
  expect(fulcio(4)).toBeUndefined();
  const ours = Object.entries(CLAIM_ARC_NUMBERS).map(([claim, n]) => [
    claim,
    utf8(extensions.get(`${DEFAULT_CLAIM_ARC}.${n}`)?.value),
  ]);
  expect(Object.fromEntries(ours)).toEqual(
    Object.fromEntries(Object.keys(CLAIM_ARC_NUMBERS).map((claim) => [claim, String(claims[claim])])),
  );
  expect([...extensions.values()].filter(({ critical }) => critical)).toHaveLength(2);
});

test('a claim that nobody supplied stands as unknown in Fulcio’s extensions and not at all in ours', async () => {
  const extensions = extensionsOf((await running.certify(signer))[0]!);
  const fulcio = (n: number) => extensions.get(`${FULCIO_ARC}.${n}`)?.value;
  expect([2, 3, 5].map((n) => fulcio(n)?.toString())).toEqual(['unknown', 'unknown', 'unknown']);
  expect([12, 18, 20, 22, 23].map((n) => utf8(fulcio(n)))).toEqual([
    'unknown',
    `${ISSUER}/models/unknown/model-1`,
    'unknown',
    'none',
    'reviewer@example.com unknown',
  ]);
  expect(extensions.has(`${DEFAULT_CLAIM_ARC}.${CLAIM_ARC_NUMBERS.repo}`)).toBe(false);
});

test('a reviewer’s certificate names the reviewer', async () => {
  const claims = agentClaims({
    sub: 'reviewer:me@example.com',
    agent_name: undefined,
    human_reviewer: 'me@example.com',
  });
  const [leaf] = (await running.certify(signer, claims)) as [string];
  expect(new X509Certificate(leaf).subjectAltName).toContain('reviewer:me@example.com');
  expect(utf8(extensionsOf(leaf).get(`${FULCIO_ARC}.9`)?.value)).toBe(`${ISSUER}/agents/unknown@1.2.3`);
});

test('the certificate holds a timestamp of our log over exactly its other bytes, and the log has its precertificate', async () => {
  const [leaf, intermediate] = (await running.certify(signer)) as [string, string];
  const certificate = parse(leaf);
  const list = Buffer.from(
    AsnConvert.parse(extensionsOf(leaf).get('1.3.6.1.4.1.11129.2.4.2')!.value, OctetString).buffer,
  );
  // list length, entry length, version 0, log id, time, no extensions, SHA-256 with ECDSA, signature length.
  expect(list.readUInt16BE(0)).toBe(list.length - 2);
  expect(list.readUInt16BE(2)).toBe(list.length - 4);
  const logId = createHash('sha256').update(running.authority.trust.ctPublicKey).digest();
  expect(list.subarray(4, 37)).toEqual(Buffer.concat([Buffer.of(0), logId]));
  expect(Number(list.readBigUInt64BE(37))).toBe(NOW * 1000);
  expect(list.subarray(45, 49).toString('hex')).toBe('00000403');
  // A library of others serialises the certificate without the list: the bytes must be those that were signed.
  certificate.tbsCertificate.extensions = certificate.tbsCertificate.extensions!.filter(
    (e) => e.extnID !== '1.3.6.1.4.1.11129.2.4.2',
  ) as never;
  delete (certificate.tbsCertificate as { raw?: unknown }).raw;
  const tbs = Buffer.from(AsnConvert.serialize(certificate.tbsCertificate));
  const issuerSpki = new X509Certificate(intermediate).publicKey.export({ type: 'spki', format: 'der' });
  const length = Buffer.of(tbs.length >> 16, (tbs.length >> 8) & 0xff, tbs.length & 0xff);
  const signed = Buffer.concat([
    Buffer.of(0, 0),
    list.subarray(37, 45),
    Buffer.of(0, 1),
    createHash('sha256').update(issuerSpki).digest(),
    length,
    tbs,
    Buffer.of(0, 0),
  ]);
  const ctKey = createPublicKey({ key: Buffer.from(running.authority.trust.ctPublicKey), format: 'der', type: 'spki' });
  expect(verify('sha256', signed, ctKey, list.subarray(51))).toBe(true);
  const size = (await running.get('/ct/v1/get-sth')).json().tree_size;
  const { entries } = (await running.get(`/ct/v1/get-entries?start=${size - 1}&end=${size - 1}`)).json();
  expect(Buffer.from(entries[0].leaf_input, 'base64').equals(signed)).toBe(true);
});

test.each([
  ['P-256', 'sha256'],
  ['P-384', 'sha384'],
  ['P-521', 'sha512'],
  ['rsa', 'sha256'],
  ['ed25519', null],
] as const)(
  'a token that is bound to a key of %s buys a certificate for it, and for no other key',
  async (kind, digest) => {
    const owner = makeSigner(kind);
    const claims = () =>
      agentClaims({ key_thumbprint: keyThumbprint({ ...owner.publicKey.export({ format: 'jwk' }) }) });
    const proof = {
      publicKey: Buffer.from(owner.pem),
      proofOfPossession: proofOver(owner, 'agent:code-writer', digest),
    };
    const { chainPem } = await running.authority.issueCertificate(mintToken(running.key, claims()), proof);
    expect(new X509Certificate(chainPem[0]!).publicKey.equals(owner.publicKey)).toBe(true);
    await expect(running.certify(makeSigner(), claims())).rejects.toMatchObject({ code: 'authority.key_mismatch' });
  },
);
