import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { derOctetString, derOid, derSequence, derSet, derUtf8 } from '../der/der-writer.ts';
import { caConstraint, certificateExtension, encodeCertificate, encodeTbs, keyUsage } from './certificate-writer.ts';

test('a certificate is read by others with everything that was put into it', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = derSequence(derSet(derSequence(derOid('2.5.4.3'), derUtf8('root'))));
  const tbs = encodeTbs({
    serial: Uint8Array.of(0x12, 0x34),
    issuer: name,
    subject: name,
    notBefore: new Date('2026-11-28T10:00:00Z'),
    notAfter: new Date('2051-01-01T00:00:00Z'),
    spki: publicKey.export({ type: 'spki', format: 'der' }),
    extensions: [
      caConstraint(0),
      keyUsage('keyCertSign', 'cRLSign'),
      certificateExtension('1.2.3', derOctetString(name)),
    ],
  });
  const certificate = new X509Certificate(encodeCertificate(tbs, sign('sha256', tbs, privateKey)));
  expect(certificate).toMatchObject({ ca: true, subject: 'CN=root', issuer: 'CN=root', serialNumber: '1234' });
  expect(certificate.validFromDate.toISOString()).toBe('2026-11-28T10:00:00.000Z');
  expect(certificate.validToDate.toISOString()).toBe('2051-01-01T00:00:00.000Z');
  expect(certificate.verify(publicKey)).toBe(true);
});

test.each([
  [['digitalSignature'], '03020780'],
  [['keyCertSign', 'cRLSign'], '03020106'],
  [['digitalSignature', 'keyCertSign'], '03020284'],
] as const)('key usage %s has its bits and no more', (usages, bits) => {
  expect(Buffer.from(keyUsage(...usages)).toString('hex')).toMatch(new RegExp(`0101ff0404${bits}$`));
});
