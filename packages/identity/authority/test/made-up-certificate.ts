import { sign } from 'node:crypto';
import { caConstraint, encodeCertificate, encodeTbs } from '@colophon/encoding';
import { authorityKeyIdentifier, EMPTY_NAME, uriAlternativeName } from '../src/ca/certificate-parts.ts';
import type { Signer } from './signer.ts';

type MadeUp = {
  readonly by?: Signer;
  /** Names, DER. */
  readonly issuer?: Uint8Array;
  readonly subject?: Uint8Array;
  readonly isCa?: boolean;
};

/** A certificate that anybody can make for themselves: any name, signed with any key. DER. */
export function madeUpCertificate(
  uri: string,
  holder: Signer,
  { by = holder, issuer = EMPTY_NAME, subject = EMPTY_NAME, isCa = false }: MadeUp = {},
): Uint8Array {
  const spkiOf = ({ publicKey }: Signer) => new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));
  const tbs = encodeTbs({
    serial: Uint8Array.of(7),
    issuer,
    subject,
    notBefore: new Date('2026-11-01T00:00:00Z'),
    notAfter: new Date('2027-11-01T00:00:00Z'),
    spki: spkiOf(holder),
    extensions: [uriAlternativeName(uri), authorityKeyIdentifier(spkiOf(by)), ...(isCa ? [caConstraint(0)] : [])],
  });
  return encodeCertificate(tbs, sign('sha256', tbs, by.privateKey));
}
