import { createHash, type KeyObject, sign } from 'node:crypto';
import { canonicalJson, type JsonValue } from '@colophon/json';
import {
  formatCheckpoint,
  hashLeaf,
  inclusionProof,
  type NodeReader,
  nodesOfLeaf,
  rootHash,
  signNote,
} from '@colophon/merkle';
import { type KeyPair, spkiOf } from './certificate-writer.ts';

/** An append-only tree in memory with a key, that answers as Rekor v1 does. */
export class RekorLog {
  readonly keys: KeyPair;
  readonly logId: Buffer;
  readonly #name: string;
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #bodies: Buffer[] = [];
  readonly #times: number[] = [];

  constructor(keys: KeyPair, name: string) {
    this.keys = keys;
    this.#name = name;
    this.logId = createHash('sha256').update(spkiOf(keys.publicKey)).digest();
  }

  get size(): number {
    return this.#bodies.length;
  }

  append(body: JsonValue, integratedTime: number): number {
    const bytes = Buffer.from(canonicalJson(body));
    const leaf = hashLeaf(bytes);
    const read: NodeReader = (level, index) => this.#nodes.get(`${level}/${index}`) as Uint8Array;
    for (const { level, index, hash } of nodesOfLeaf(this.size, leaf, read)) this.#nodes.set(`${level}/${index}`, hash);
    this.#times.push(integratedTime);
    return this.#bodies.push(bytes) - 1;
  }

  bodyAt(index: number): Buffer {
    return this.#bodies[index] as Buffer;
  }

  uuidAt(index: number): string {
    return Buffer.from(hashLeaf(this.bodyAt(index))).toString('hex');
  }

  checkpoint(size = this.size, signer: KeyObject = this.keys.privateKey, name = this.#name): string {
    const text = formatCheckpoint({ origin: `${name} - 1234`, size, root: rootHash(size, this.#read) });
    return signNote(text, {
      name,
      keyHash: this.logId.subarray(0, 4),
      sign: (bytes) => sign('sha256', bytes, signer),
    });
  }

  /** Rekor v1's answer for one entry. */
  entryAt(index: number, size = this.size) {
    const body = this.bodyAt(index).toString('base64');
    const integratedTime = this.#times[index] as number;
    const promise = canonicalJson({ body, integratedTime, logIndex: index, logID: this.logId.toString('hex') });
    return {
      [this.uuidAt(index)]: {
        body,
        integratedTime,
        logID: this.logId.toString('hex'),
        logIndex: index,
        verification: {
          inclusionProof: {
            checkpoint: this.checkpoint(size),
            hashes: inclusionProof(index, size, this.#read).map((hash) => Buffer.from(hash).toString('hex')),
            logIndex: index,
            rootHash: Buffer.from(rootHash(size, this.#read)).toString('hex'),
            treeSize: size,
          },
          signedEntryTimestamp: sign('sha256', promise, this.keys.privateKey).toString('base64'),
        },
      },
    };
  }

  readonly #read: NodeReader = (level, index) => this.#nodes.get(`${level}/${index}`) as Uint8Array;
}
