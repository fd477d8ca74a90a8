import { createHash, type KeyObject, randomInt, sign } from 'node:crypto';
import { readDerSequence } from '@colophon/encoding';
import { nameOf } from './certificate-writer.ts';
import {
  bits,
  boolean,
  element,
  generalizedTime,
  integer,
  nothing,
  octets,
  oid,
  sequence,
  set,
  utf8,
} from './der-writer.ts';

const SHA256 = sequence(oid('2.16.840.1.101.3.4.2.1'), nothing());
const TST_INFO = '1.2.840.113549.1.9.16.1.4';

/** What a timestamp says beside digest and time. */
export type TimestampOptions = {
  /** 0 (granted) where absent. */
  readonly status?: number;
  /** DER of the INTEGER; none where absent. */
  readonly nonce?: Uint8Array;
  /** Of the digest; SHA-256 where absent. */
  readonly hashAlgorithm?: Uint8Array;
};

/** A timestamp response over a digest (RFC 3161), without certificates inside. */
export function timestampOf(
  digest: Uint8Array,
  time: Date,
  signer: { readonly key: KeyObject; readonly issuer: string; readonly serial: number },
  { status = 0, nonce = Buffer.of(), hashAlgorithm = SHA256 }: TimestampOptions = {},
): Buffer {
  const info = sequence(
    integer(1),
    oid('1.3.6.1.4.1.57264.2'),
    sequence(hashAlgorithm, octets(digest)),
    integer(randomInt(1, 2 ** 40)),
    generalizedTime(time),
    nonce,
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

/** What an authority says instead of a timestamp: PKIStatus, a text for people, and the number of a failure's bit. */
export function timestampRefusalOf(status: number, text: string, failureBit: number): Buffer {
  const failure = Buffer.alloc(Math.floor(failureBit / 8) + 1);
  failure[failure.length - 1] = 0x80 >> (failureBit % 8);
  return sequence(sequence(integer(status), sequence(utf8(text)), bits(failure, 7 - (failureBit % 8))));
}

/** What a query asks for, as far as an answer repeats it. */
export function readTimestampQuery(query: Uint8Array): {
  hashAlgorithm: Uint8Array;
  digest: Uint8Array;
  nonce: Uint8Array;
} {
  const [version, imprint, nonce, certReq, ...others] = readDerSequence(query);
  const [algorithm, digest] = readDerSequence(imprint!.bytes);
  const isQuery = integer(1).equals(version!.bytes) && boolean(true).equals(certReq!.bytes) && others.length === 0;
  if (!isQuery || nonce!.tag !== 0x02) throw new TypeError('no query as it should be');
  return { hashAlgorithm: algorithm!.bytes, digest: digest!.content, nonce: nonce!.bytes };
}
