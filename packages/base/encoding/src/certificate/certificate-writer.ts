import {
  contextTag,
  derBitString,
  derBoolean,
  derOctetString,
  derOid,
  derSequence,
  derTime,
  derUnsigned,
  encodeDer,
} from '../der/der-writer.ts';

/** AlgorithmIdentifier of ECDSA with SHA-256 (RFC 5758 §3.2). */
const ECDSA_WITH_SHA256 = derSequence(derOid('1.2.840.10045.4.3.2'));

/** Everything of a certificate but its signature, which is ECDSA with SHA-256. */
export type TbsCertificate = {
  /** 1 to 20 bytes, positive. */
  readonly serial: Uint8Array;
  /** Name, DER. */
  readonly issuer: Uint8Array;
  /** Name, DER. */
  readonly subject: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
  /** Extensions, DER, in their order. */
  readonly extensions: readonly Uint8Array[];
};

/** What an authority signs. @see RFC 5280 §4.1.2 */
export function encodeTbs(tbs: TbsCertificate): Uint8Array {
  return derSequence(
    encodeDer(contextTag(0), derUnsigned(Uint8Array.of(2))),
    derUnsigned(tbs.serial),
    ECDSA_WITH_SHA256,
    tbs.issuer,
    derSequence(derTime(tbs.notBefore), derTime(tbs.notAfter)),
    tbs.subject,
    tbs.spki,
    encodeDer(contextTag(3), derSequence(...tbs.extensions)),
  );
}

/** The certificate around a TBSCertificate and its signature, DER. @see RFC 5280 §4.1.1 */
export function encodeCertificate(tbs: Uint8Array, signature: Uint8Array): Uint8Array {
  return derSequence(tbs, ECDSA_WITH_SHA256, derBitString(signature));
}

/** One extension, DER. @see RFC 5280 §4.2 */
export function certificateExtension(oid: string, value: Uint8Array, { critical = false } = {}): Uint8Array {
  return derSequence(derOid(oid), ...(critical ? [derBoolean(true)] : []), derOctetString(value));
}

/** keyUsage with these bits set; critical. @see RFC 5280 §4.2.1.3 */
export function keyUsage(...usages: ReadonlyArray<keyof typeof USAGE_BITS>): Uint8Array {
  const bits: number[] = usages.map((usage) => USAGE_BITS[usage]);
  const byte = bits.reduce((sum, bit) => sum | (0x80 >> bit), 0);
  return certificateExtension('2.5.29.15', derBitString(Uint8Array.of(byte), 7 - Math.max(...bits)), {
    critical: true,
  });
}

const USAGE_BITS = { digitalSignature: 0, keyCertSign: 5, cRLSign: 6 } as const;

/** basicConstraints of an authority; critical. @see RFC 5280 §4.2.1.9 */
export function caConstraint(pathLength: number): Uint8Array {
  const value = derSequence(derBoolean(true), derUnsigned(Uint8Array.of(pathLength)));
  return certificateExtension('2.5.29.19', value, { critical: true });
}
