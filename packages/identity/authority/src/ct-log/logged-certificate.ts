/** A certificate as the log keeps it, taken apart from leaf and extra data. */
export type LoggedCertificate = {
  /** The certificate or precertificate that was submitted, DER. */
  readonly submitted: Uint8Array;
  /** Its issuers, DER, nearest first. */
  readonly chain: readonly Uint8Array[];
  /** What the leaf of a precertificate says. */
  readonly precertificate?: { readonly issuerKeyHash: Uint8Array; readonly tbs: Uint8Array };
};

/** Before the entry: version, leaf type, time (RFC 6962 §3.4). */
const ENTRY_FROM = 10;
const KEY_HASH_BYTES = 32;

/** Reads a MerkleTreeLeaf and its extra data (RFC 6962 §3.4, §4.6); undefined for bytes that are none, or more. */
export function decodeEntry(leafInput: Uint8Array, extraData: Uint8Array): LoggedCertificate | undefined {
  try {
    const leaf = new Vectors(leafInput, ENTRY_FROM);
    const extra = new Vectors(extraData);
    const type = leaf.number(2);
    if (type > 1) return undefined;
    const issuerKeyHash = type === 1 ? leaf.bytes(KEY_HASH_BYTES) : undefined;
    const certificate = leaf.vector(3);
    const extensions = leaf.vector(2);
    const submitted = type === 1 ? extra.vector(3) : certificate;
    const list = new Vectors(extra.vector(3));
    const chain: Uint8Array[] = [];
    while (!list.isAtEnd) chain.push(list.vector(3));
    if (!leaf.isAtEnd || !extra.isAtEnd || extensions.length > 0) return undefined;
    return issuerKeyHash === undefined
      ? { submitted, chain }
      : { submitted, chain, precertificate: { issuerKeyHash, tbs: certificate } };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reads the vectors of TLS (RFC 5246 §4.3). Throws RangeError at the end. */
class Vectors {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, from = 0) {
    this.#bytes = bytes;
    this.#at = from;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  number(length: number): number {
    return this.bytes(length).reduce((value, byte) => value * 256 + byte, 0);
  }

  vector(lengthBytes: number): Uint8Array {
    return this.bytes(this.number(lengthBytes));
  }

  bytes(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('the bytes end before what they announce');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
