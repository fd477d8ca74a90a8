import { canonicalJson, type JsonValue } from '@colophon/json';
import { digestOf, type EvidenceReference, type ScanRecord } from '@colophon/records';
import type { KeptScan } from '@colophon/remediation-rules';
import type { StoredDocument } from '@colophon/store';

/** A file that a record rests on. */
export type EvidenceFile = { readonly name: string; readonly bytes: Uint8Array };

/** A document on its way into the store. */
export function documentOf(
  kind: EvidenceReference['kind'],
  { name, bytes }: EvidenceFile,
  addedAt: string,
): StoredDocument {
  return { digest: digestOf(bytes), kind, name, bytes, addedAt };
}

/** How a record names a document that is kept. */
export function referenceTo({ kind, digest, name }: StoredDocument): EvidenceReference {
  return { kind: kind as EvidenceReference['kind'], digest, name };
}

/** A scan is kept in its canonical form, so that the same scan is one document however it was written. */
export function keepScan(
  record: ScanRecord,
  addedAt: string,
): { readonly scan: KeptScan; readonly document: StoredDocument } {
  const name = `${record.source.name.replace(/\.json$/, '')}.scan.json`;
  const document = documentOf('scan', { name, bytes: canonicalJson(record as unknown as JsonValue) }, addedAt);
  return { scan: { record, digest: document.digest, name }, document };
}
