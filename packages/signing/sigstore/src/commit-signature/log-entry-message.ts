import { VerificationError } from '../verify/verification-error.ts';

type Field = { readonly number: number; readonly value: bigint | Buffer };

/**
 * Turns Rekor's entry from the protobuf message that gitsign stores (its body is left out there) into the form of
 * bundles.
 * @throws VerificationError `log_entry.malformed`
 * @see sigstore's protobuf-specs, sigstore_rekor.proto, TransparencyLogEntry
 */
export function bundleEntryOfMessage(bytes: Uint8Array, body: Uint8Array) {
  const entry = fieldsOf(bytes);
  const kindVersion = fieldsOf(entry.bytes(3));
  const proof = fieldsOf(entry.bytes(6));
  const promise = entry.optional(5);
  return {
    logIndex: entry.integer(1),
    logId: { keyId: fieldsOf(entry.bytes(2)).base64(1) },
    kindVersion: { kind: kindVersion.text(1), version: kindVersion.text(2) },
    integratedTime: entry.integer(4),
    ...(promise === undefined ? {} : { inclusionPromise: { signedEntryTimestamp: fieldsOf(promise).base64(1) } }),
    inclusionProof: {
      logIndex: proof.integer(1),
      rootHash: proof.base64(2),
      treeSize: proof.integer(3),
      hashes: proof.all(4).map((hash) => hash.toString('base64')),
      checkpoint: { envelope: fieldsOf(proof.bytes(5)).text(1) },
    },
    canonicalizedBody: Buffer.from(body).toString('base64'),
  };
}

function fieldsOf(bytes: Uint8Array) {
  const fields = readFields(Buffer.from(bytes));
  const last = (number: number) => fields.findLast((field) => field.number === number)?.value;
  const optional = (number: number) => {
    const value = last(number);
    return Buffer.isBuffer(value) ? value : undefined;
  };
  const required = (number: number) => optional(number) ?? fail(`field ${number} is missing`);
  return {
    optional,
    bytes: required,
    base64: (number: number) => required(number).toString('base64'),
    text: (number: number) => required(number).toString('utf8'),
    /** What is 0 is not written. */
    integer: (number: number) => {
      const value = last(number) ?? 0n;
      return typeof value === 'bigint' ? `${value}` : fail(`field ${number} is no number`);
    },
    all: (number: number) =>
      fields.flatMap(({ number: n, value }) => (n === number && Buffer.isBuffer(value) ? [value] : [])),
  };
}

/** The wire types that the message uses: numbers and what has a length. */
function readFields(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let offset = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[offset++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return fail('a number does not end');
  };
  while (offset < bytes.length) {
    const key = Number(varint());
    const number = Math.floor(key / 8);
    if (key % 8 === 0) {
      fields.push({ number, value: varint() });
    } else if (key % 8 === 2) {
      const end = Number(varint()) + offset;
      if (end > bytes.length) fail('a field ends too early');
      fields.push({ number, value: bytes.subarray(offset, end) });
      offset = end;
    } else {
      fail('a field of an unknown kind');
    }
  }
  return fields;
}

function fail(reason: string): never {
  throw new VerificationError('log_entry.malformed', `the log entry in the signature cannot be read: ${reason}`);
}
