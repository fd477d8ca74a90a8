import { createHash, type KeyObject, randomInt, sign } from 'node:crypto';
import { nameOf } from './certificate-writer.ts';
import { element, generalizedTime, integer, nothing, octets, oid, sequence, set } from './der-writer.ts';

const SHA256 = sequence(oid('2.16.840.1.101.3.4.2.1'), nothing());
const TST_INFO = '1.2.840.113549.1.9.16.1.4';

/** A granted timestamp response over `signature` (RFC 3161), without certificates inside. */
export function timestampOf(
  digest: Uint8Array,
  time: Date,
  signer: { readonly key: KeyObject; readonly issuer: string; readonly serial: number },
  status = 0,
): Buffer {
  const info = sequence(
    integer(1),
    oid('1.3.6.1.4.1.57264.2'),
    sequence(SHA256, octets(digest)),
    integer(randomInt(1, 2 ** 40)),
    generalizedTime(time),
  );
  const attributes = [
    sequence(oid('1.2.840.113549.1.9.3'), set(oid(TST_INFO))),
    sequence(oid('1.2.840.113549.1.9.4'), set(octets(createHash('sha256').update(info).digest()))),
  ];
  const signerInfo = sequence(
    integer(1),
    sequence(nameOf(signer.issuer), integer(signer.serial)),
    SHA256,
    element(0xa0, ...attributes),
    sequence(oid('1.2.840.10045.4.3.2')),
    octets(sign('sha256', set(...attributes), signer.key)),
  );
  const signedData = sequence(
    integer(3),
    set(SHA256),
    sequence(oid(TST_INFO), element(0xa0, octets(info))),
    set(signerInfo),
  );
  return sequence(sequence(integer(status)), sequence(oid('1.2.840.113549.1.7.2'), element(0xa0, signedData)));
}
