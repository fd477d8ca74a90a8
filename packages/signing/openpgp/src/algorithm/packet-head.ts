/** What the first packet of a file is, read without understanding it. */
export type PacketHead = { readonly tag: number; readonly body: Uint8Array };

const SECRET_KEY = 5;
const PUBLIC_KEY = 6;

/** By their numbers in OpenPGP; the library knows those that have none here. */
const ALGORITHMS: Readonly<Record<number, string>> = {
  8: 'Kyber (LibrePGP)',
  30: 'ML-DSA-65 with Ed25519',
  31: 'ML-DSA-87 with Ed448',
  32: 'SLH-DSA-SHAKE-128s',
  33: 'SLH-DSA-SHAKE-128f',
  34: 'SLH-DSA-SHAKE-256s',
  35: 'ML-KEM-768 with X25519',
  36: 'ML-KEM-1024 with X448',
};
const ECC: readonly number[] = [18, 19, 22];
const LONGEST_OID = 20;

/**
 * The first packet of binary OpenPGP data, or undefined where there is none.
 * @see RFC 9580 §4.2
 */
export function readPacketHead(bytes: Uint8Array): PacketHead | undefined {
  const [first = 0, length = 0] = bytes;
  if ((first & 0x80) === 0) return undefined;
  const isNew = (first & 0x40) !== 0;
  const lengthBytes = isNew
    ? length < 192
      ? 1
      : length < 224
        ? 2
        : length === 255
          ? 5
          : 1
    : ([1, 2, 4, 0][first & 3] as number);
  return { tag: isNew ? first & 0x3f : (first & 0x3f) >> 2, body: bytes.subarray(1 + lengthBytes) };
}

/** What a key is that the library does not read, by version, algorithm or curve; undefined for what is no key. */
export function nameOfKey({ tag, body }: PacketHead): string | undefined {
  if ((tag !== PUBLIC_KEY && tag !== SECRET_KEY) || body.length < 8) return undefined;
  const version = body[0] as number;
  const algorithm = body[version < 4 ? 7 : 5] as number;
  if (version !== 4 && version !== 6) return `an OpenPGP key of version ${version}`;
  if (!ECC.includes(algorithm)) return `an OpenPGP key of ${nameOfAlgorithm(algorithm)}`;
  const at = version === 4 ? 6 : 10;
  const oid = body.subarray(at + 1, at + 1 + Math.min(body[at] ?? 0, LONGEST_OID));
  return `an OpenPGP key of the curve with the OID ${Buffer.from(oid).toString('hex')} (hex)`;
}

/** What a signature is that the library does not read. */
export function nameOfSignature(body: Uint8Array): string {
  const [version = 0, , algorithm = 0] = body;
  if (version !== 4 && version !== 6) return `an OpenPGP signature of version ${version}`;
  return `an OpenPGP signature of ${nameOfAlgorithm(algorithm)}`;
}

function nameOfAlgorithm(algorithm: number): string {
  return ALGORITHMS[algorithm] ?? `algorithm ${algorithm}`;
}
