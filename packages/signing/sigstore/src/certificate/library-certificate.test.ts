import { LocalSigstore, newKeys } from '@colophon/testkit/local-sigstore/local-sigstore';
import { crypto, EXTENSION_OID_SCT, X509Certificate } from '@sigstore/core';
import { expect, test, vi } from 'vitest';
import { libraryCertificate, withoutScts } from './library-certificate.ts';

const local = new LocalSigstore();
const leaf = local.issue(newKeys().publicKey);

/** What the library does before it verifies a certificate timestamp. */
function bodyWithoutScts(certificate: X509Certificate): Buffer {
  const copy = certificate.clone();
  const at = copy.extensions.findIndex(({ subs }) => subs[0]?.toOID() === EXTENSION_OID_SCT);
  if (at >= 0) copy.extensions.splice(at, 1);
  return copy.tbsCertificate.toDER();
}

test('the body without timestamps is the one that the library writes by itself', () => {
  const expected = bodyWithoutScts(X509Certificate.parse(Buffer.from(leaf)));
  const certificate = libraryCertificate(leaf);
  // Twice: what is taken out of one copy is still in the next.
  for (const _ of [1, 2]) expect(bodyWithoutScts(certificate)).toEqual(expected);
  expect(bodyWithoutScts(withoutScts(certificate))).toEqual(expected);
});

test('a certificate keeps its timestamps, whatever is taken out of its copy', () => {
  const certificate = libraryCertificate(leaf);
  bodyWithoutScts(certificate);
  expect(certificate.extSCT?.signedCertificateTimestamps).toHaveLength(1);
  expect(certificate.root.toDER()).toEqual(leaf);
  expect(certificate.clone().equals(certificate)).toBe(true);
});

test('a view without timestamps leaves the certificate as it is', () => {
  const certificate = libraryCertificate(leaf);
  const view = withoutScts(certificate);
  expect(view.clone().extSCT).toBeUndefined();
  expect(certificate.clone().extSCT?.signedCertificateTimestamps).toHaveLength(1);
  expect(view.equals(certificate)).toBe(true);
});

test('who signed a certificate is found out once, of each issuer', () => {
  const certificate = libraryCertificate(leaf);
  const [issuer, stranger] = [
    libraryCertificate(local.intermediateCertificate),
    libraryCertificate(local.rootCertificate),
  ];
  const asked = vi.spyOn(crypto, 'verify');
  for (const one of [certificate, withoutScts(certificate)]) {
    expect([one.verify(issuer), one.verify(stranger), one.verify()]).toEqual([true, false, false]);
  }
  expect(asked).toHaveBeenCalledTimes(3);
});
