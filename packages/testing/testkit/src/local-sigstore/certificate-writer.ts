import { createHash, type KeyObject, sign } from 'node:crypto';
import { bits, boolean, element, integer, octets, oid, sequence, set, utcTime, utf8 } from './der-writer.ts';

export type KeyPair = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
export type Extension = { readonly oid: string; readonly critical?: boolean; readonly value: Uint8Array };

export type CertificateFields = {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly serial?: number;
  readonly extensions: readonly Extension[];
};

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));

export function spkiOf(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

export function nameOf(commonName: string): Buffer {
  return commonName === '' ? sequence() : sequence(set(sequence(oid('2.5.4.3'), utf8(commonName))));
}

export function tbsOf(fields: CertificateFields): Buffer {
  return sequence(
    element(0xa0, integer(2)),
    integer(fields.serial ?? 7),
    ECDSA_WITH_SHA256,
    nameOf(fields.issuer),
    sequence(utcTime(fields.notBefore), utcTime(fields.notAfter)),
    nameOf(fields.subject),
    spkiOf(fields.publicKey),
    element(0xa3, sequence(...fields.extensions.map(extensionOf))),
  );
}

export function certificateOf(tbs: Uint8Array, issuerKey: KeyObject): Buffer {
  return sequence(tbs, ECDSA_WITH_SHA256, bits(sign('sha256', tbs, issuerKey)));
}

export const keyIdentifier = (key: KeyObject) => createHash('sha1').update(spkiOf(key)).digest();

/** Extensions of an authority's own certificate. */
export function authorityExtensions(key: KeyObject): Extension[] {
  return [
    { oid: '2.5.29.19', critical: true, value: sequence(boolean(true)) },
    { oid: '2.5.29.15', critical: true, value: bits(Buffer.of(0x06), 1) },
    { oid: '2.5.29.14', value: octets(keyIdentifier(key)) },
  ];
}

export function toPem(der: Uint8Array, label = 'CERTIFICATE'): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function extensionOf({ oid: id, critical, value }: Extension): Buffer {
  return critical ? sequence(oid(id), boolean(true), octets(value)) : sequence(oid(id), octets(value));
}
