import { parseScanRecord } from '@colophon/findings';
import { parseStrictJson } from '@colophon/json';
import { digestOf } from '@colophon/records';
import type { KeptScan, ProofSbom } from '@colophon/remediation-rules';
import { readVexDocument, type VexDocument } from '@colophon/vex';
import { readInventory } from '../desk/sbom-inventory.ts';

/** The bytes of a document, and what it is called; undefined where it is not there. */
export type DocumentSource = (
  digest: string,
) => Promise<{ readonly name: string; readonly bytes: Uint8Array } | undefined>;

/** Documents that are held at a time: a quarter may have more than fit into memory. */
const MOST_HELD = 24;
/** Bytes of a scan as it is kept. */
const MOST_SCAN_BYTES = 256 * 1024 * 1024;

/** Documents of a report, each read where its bytes are those of its digest; undefined for what cannot be read. */
export class AuditDocuments {
  readonly #source: DocumentSource;
  readonly #held = new Map<string, Promise<unknown>>();

  constructor(source: DocumentSource) {
    this.#source = source;
  }

  sbom(digest: string): Promise<ProofSbom | undefined> {
    return this.#read('sbom', digest, (bytes) => {
      const read = readInventory(bytes);
      return read.ok ? read.value : undefined;
    });
  }

  scan(digest: string): Promise<KeptScan | undefined> {
    return this.#read('scan', digest, (bytes, name) => {
      const json = parseStrictJson(bytes, { maxBytes: MOST_SCAN_BYTES });
      const read = json.ok ? parseScanRecord(json.value) : json;
      return read.ok ? { record: read.value, digest, name } : undefined;
    });
  }

  vex(digest: string): Promise<VexDocument | undefined> {
    return this.#read('vex', digest, (bytes) => {
      const read = readVexDocument(bytes);
      return read.ok ? read.value : undefined;
    });
  }

  #read<T>(
    kind: string,
    digest: string,
    read: (bytes: Uint8Array, name: string) => T | undefined,
  ): Promise<T | undefined> {
    const key = `${kind} ${digest}`;
    const known = (this.#held.get(key) as Promise<T | undefined> | undefined) ?? this.#load(digest, read);
    // The one that was asked for last is forgotten last.
    this.#held.delete(key);
    this.#held.set(key, known);
    const [oldest] = this.#held.keys();
    if (this.#held.size > MOST_HELD) this.#held.delete(oldest!);
    return known;
  }

  async #load<T>(digest: string, read: (bytes: Uint8Array, name: string) => T | undefined): Promise<T | undefined> {
    const found = await this.#source(digest);
    return found === undefined || digestOf(found.bytes) !== digest ? undefined : read(found.bytes, found.name);
  }
}
