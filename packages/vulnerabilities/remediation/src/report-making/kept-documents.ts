import { digestOf, type EvidenceReference } from '@colophon/records';
import type { ReportFile } from '@colophon/remediation-rules';
import { DocumentStore, type SqlDatabase } from '@colophon/store';
import { ReportError } from '../report-folder/report-error.ts';

/** A document beside the database. */
export type GivenDocument = {
  readonly kind: EvidenceReference['kind'];
  readonly name: string;
  readonly bytes: Uint8Array;
};

/** Where the bytes of a report's documents come from. */
export type KeptDocuments = {
  /** What the caller gives, as evidence. */
  readonly given: readonly EvidenceReference[];
  /** @throws ReportError `report.document_not_kept` with the document's name and digest */
  bytesOf(file: ReportFile): Promise<Uint8Array>;
};

/** The documents that are given, and those of the database, which is only opened where the given ones do not have one. */
export function keptDocuments(
  documents: readonly GivenDocument[],
  database: () => Promise<SqlDatabase | undefined>,
): KeptDocuments {
  const given: EvidenceReference[] = [];
  const bytes = new Map<string, Uint8Array>();
  for (const { kind, name, bytes: content } of documents) {
    const digest = digestOf(content);
    bytes.set(digest, content);
    given.push({ kind, digest, name });
  }
  let store: Promise<DocumentStore | undefined> | undefined;
  return {
    given,
    bytesOf: async (file) => {
      const known = bytes.get(file.digest);
      if (known !== undefined) return known;
      store ??= openStore(database);
      const kept = await (await store)?.get(file.digest);
      if (kept !== undefined) return kept.bytes;
      const [kind = 'document'] = file.kinds;
      throw new ReportError('report.document_not_kept', `the ${kind} ${file.name} is not kept`, {
        checked: file.digest,
        expected: `its bytes, by --${kind} FILE or in the --database that the record was opened with`,
      });
    },
  };
}

async function openStore(database: () => Promise<SqlDatabase | undefined>): Promise<DocumentStore | undefined> {
  const db = await database();
  return db && DocumentStore.open(db);
}
