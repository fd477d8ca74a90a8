import { sign } from 'node:crypto';
import { nameOf, toPem } from './certificate-writer.ts';
import { element, integer, octets, oid, sequence, set } from './der-writer.ts';
import { type BundleJson, logged, sha256 } from './draft-bundle.ts';
import { type LeafOptions, type LocalSigstore, newKeys } from './local-sigstore.ts';

export const COMMIT = Buffer.from(`tree ${'a'.repeat(40)}\nauthor A <a@example.com> 1 +0000\n\nsubject\n`);

/** What a test may have wrong in a commit's signature. */
export type CommitOptions = LeafOptions & {
  /** What was signed instead. */
  readonly signed?: Uint8Array;
  /** gitsign's online mode keeps the entry in the log alone. */
  readonly withoutEntry?: boolean;
  /** The log entry of another signature. */
  readonly strangeEntry?: boolean;
  readonly digestAlgorithm?: string;
  readonly contentType?: string;
  readonly serial?: number;
  readonly signers?: number;
  readonly message?: Uint8Array;
  readonly keys?: ReturnType<typeof newKeys>;
  /** A signature that was made before, over attributes or over anything else, and its log entry. */
  readonly made?: {
    readonly attributes: Uint8Array;
    readonly signature: Uint8Array;
    readonly certificate: Uint8Array;
    readonly entry: BundleJson;
  };
};

/** What a commit's signature is over: DER of the signed attributes. */
export function commitAttributes({
  signed = COMMIT,
  contentType = '1.2.840.113549.1.7.1',
}: CommitOptions = {}): Buffer {
  return set(
    attribute('1.2.840.113549.1.9.3', oid(contentType)),
    attribute('1.2.840.113549.1.9.4', octets(sha256(signed))),
  );
}

/** A commit's signature as gitsign writes it, or one that is wrong in exactly the way that the options say. */
export function draftCommitSignature(local: LocalSigstore, options: CommitOptions = {}): string {
  const { attributes, certificate, signature, entry } = options.made ?? makeSignature(local, options);
  const sha256Algorithm = sequence(oid(options.digestAlgorithm ?? '2.16.840.1.101.3.4.2.1'));
  const signer = sequence(
    integer(1),
    sequence(nameOf('intermediate'), integer(options.serial ?? 4711)),
    sha256Algorithm,
    Buffer.concat([Buffer.of(0xa0), attributes.subarray(1)]),
    sequence(oid('1.2.840.10045.4.3.2')),
    octets(signature),
    ...(options.withoutEntry ? [] : [element(0xa1, attribute('1.3.6.1.4.1.57264.3.1', octets(entryMessage(entry))))]),
  );
  const content = options.message === undefined ? [] : [element(0xa0, octets(options.message))];
  const signedData = sequence(
    integer(1),
    set(sha256Algorithm),
    sequence(oid('1.2.840.113549.1.7.1'), ...content),
    element(0xa0, certificate),
    set(...Array.from({ length: options.signers ?? 1 }, () => signer)),
  );
  return toPem(sequence(oid('1.2.840.113549.1.7.2'), element(0xa0, signedData)), 'SIGNED MESSAGE');
}

function makeSignature(local: LocalSigstore, options: CommitOptions) {
  const keys = options.keys ?? newKeys();
  const certificate = local.issue(keys.publicKey, options);
  const attributes = commitAttributes(options);
  const signature = sign('sha256', attributes, keys.privateKey);
  const loggedSignature = options.strangeEntry ? sign('sha256', attributes, keys.privateKey) : signature;
  const entry = logged(local, {
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: 'sha256', value: sha256(attributes).toString('hex') } },
      signature: {
        content: loggedSignature.toString('base64'),
        publicKey: { content: Buffer.from(toPem(certificate)).toString('base64') },
      },
    },
  });
  return { attributes, certificate, signature, entry };
}

const attribute = (type: string, value: Uint8Array) => sequence(oid(type), set(value));

/** Rekor's entry as a protobuf message, without its body. */
// biome-ignore lint/suspicious/noExplicitAny: it is a bundle's JSON
function entryMessage(entry: any): Buffer {
  const base64 = (text: string) => Buffer.from(text, 'base64');
  const { inclusionProof: proof } = entry;
  return Buffer.concat([
    number(1, entry.logIndex),
    bytes(2, bytes(1, base64(entry.logId.keyId))),
    bytes(3, bytes(1, entry.kindVersion.kind), bytes(2, entry.kindVersion.version)),
    number(4, entry.integratedTime),
    bytes(5, bytes(1, base64(entry.inclusionPromise.signedEntryTimestamp))),
    bytes(
      6,
      number(1, proof.logIndex),
      bytes(2, base64(proof.rootHash)),
      number(3, proof.treeSize),
      ...proof.hashes.map((hash: string) => bytes(4, base64(hash))),
      bytes(5, bytes(1, proof.checkpoint.envelope)),
    ),
  ]);
}

function varint(value: bigint): Buffer {
  const digits: number[] = [];
  for (let left = value; ; left >>= 7n) {
    const last = left < 128n;
    digits.push(Number(left & 127n) | (last ? 0 : 128));
    if (last) return Buffer.from(digits);
  }
}

const number = (field: number, value: string) =>
  BigInt(value) === 0n ? Buffer.alloc(0) : Buffer.concat([varint(BigInt(field * 8)), varint(BigInt(value))]);

function bytes(field: number, ...parts: Array<Uint8Array | string>): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([varint(BigInt(field * 8 + 2)), varint(BigInt(content.length)), content]);
}
