import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  consistencyProof,
  ecdsaKeyHash,
  formatCheckpoint,
  hashLeaf,
  type NodeReader,
  nodesOfLeaf,
  rootHash,
  signNote,
} from '@colophon/merkle';

/** A log in memory, with a key of its own. */
export class SignedLog {
  readonly origin: string;
  readonly publicKey: KeyObject;
  readonly read: NodeReader;
  readonly #privateKey: KeyObject;
  readonly #nodes = new Map<string, Uint8Array>();
  size = 0;

  constructor(origin = 'log.example', of?: SignedLog) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.origin = origin;
    this.publicKey = of?.publicKey ?? publicKey;
    this.#privateKey = of === undefined ? privateKey : of.#privateKey;
    this.read = (level, index) => this.#nodes.get(`${level}/${index}`)!;
  }

  add(...leaves: readonly string[]): this {
    for (const leaf of leaves) {
      for (const { level, index, hash } of nodesOfLeaf(this.size, hashLeaf(Buffer.from(leaf)), this.read)) {
        this.#nodes.set(`${level}/${index}`, hash);
      }
      this.size += 1;
    }
    return this;
  }

  note(size = this.size, origin = this.origin): string {
    const text = formatCheckpoint({ origin, size, root: rootHash(size, this.read) });
    const spki = this.publicKey.export({ type: 'spki', format: 'der' });
    return signNote(text, {
      name: origin.split(' ')[0]!,
      keyHash: ecdsaKeyHash(spki),
      sign: (bytes) => sign('sha256', bytes, this.#privateKey),
    });
  }

  signTreeHead(bytes: Uint8Array): Uint8Array {
    return sign('sha256', bytes, this.#privateKey);
  }

  consistency(first: number, second: number): Uint8Array[] {
    return consistencyProof(first, second, this.read);
  }
}
