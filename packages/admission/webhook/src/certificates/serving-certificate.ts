import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  caConstraint,
  certificateExtension,
  contextPrimitiveTag,
  derOid,
  derSequence,
  derSet,
  derUtf8,
  encodeCertificate,
  encodeDer,
  encodeTbs,
  formatPem,
  keyUsage,
} from '@colophon/encoding';

/** What a server presents, and by which authority it is trusted; PEM. */
export type ServingCertificate = { readonly certificate: string; readonly key: string; readonly authority: string };

/** Names that an authority of ours has: by it an authority in somebody's list is told from those of others. */
export const AUTHORITY_ORGANIZATION = 'Colophon admission';

/** Clocks of API servers may be behind by as much. */
const SKEW_MS = 5 * 60_000;

/**
 * Makes a key, a certificate for it and an authority for that one certificate. The authority's key ends with this call, so
 * nobody can ever certify another server by it.
 * @param names DNS names of the server
 * @see RFC 5280 §4.2
 */
export function makeServingCertificate(
  names: readonly string[],
  { now, lifetimeSeconds }: { readonly now: Date; readonly lifetimeSeconds: number },
): ServingCertificate {
  const validity = {
    notBefore: new Date(now.getTime() - SKEW_MS),
    notAfter: new Date(now.getTime() + lifetimeSeconds * 1000),
  };
  const [authority, server] = [newKey(), newKey()];
  // Two authorities in one list have different names, so that a verifier does not try the wrong one.
  const issuer = distinguishedName(`authority ${randomBytes(8).toString('hex')}`);
  const authorityCertificate = issue({
    ...validity,
    issuer,
    subject: issuer,
    spki: authority.spki,
    extensions: [caConstraint(0), keyUsage('keyCertSign')],
    by: authority.key,
  });
  const certificate = issue({
    ...validity,
    issuer,
    subject: distinguishedName('webhook'),
    spki: server.spki,
    extensions: [keyUsage('digitalSignature'), SERVER_AUTHENTICATION, dnsNames(names)],
    by: authority.key,
  });
  return {
    certificate: formatPem('CERTIFICATE', certificate),
    key: formatPem('PRIVATE KEY', server.key.export({ type: 'pkcs8', format: 'der' })),
    authority: formatPem('CERTIFICATE', authorityCertificate),
  };
}

const SERVER_AUTHENTICATION = certificateExtension('2.5.29.37', derSequence(derOid('1.3.6.1.5.5.7.3.1')));

function dnsNames(names: readonly string[]): Uint8Array {
  const encoded = names.map((name) => encodeDer(contextPrimitiveTag(2), new TextEncoder().encode(name)));
  return certificateExtension('2.5.29.17', derSequence(...encoded));
}

function distinguishedName(commonName: string): Uint8Array {
  const attribute = (oid: string, value: string) => derSet(derSequence(derOid(oid), derUtf8(value)));
  return derSequence(attribute('2.5.4.10', AUTHORITY_ORGANIZATION), attribute('2.5.4.3', commonName));
}

function newKey(): { readonly key: KeyObject; readonly spki: Uint8Array } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { key: privateKey, spki: publicKey.export({ type: 'spki', format: 'der' }) };
}

function issue({ by, ...parts }: Omit<Parameters<typeof encodeTbs>[0], 'serial'> & { by: KeyObject }): Uint8Array {
  const serial = new Uint8Array(randomBytes(16));
  // Positive, and of full length (RFC 5280 §4.1.2.2).
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40;
  const tbs = encodeTbs({ serial, ...parts });
  return encodeCertificate(tbs, sign('sha256', tbs, by));
}
