import { basename } from 'node:path';
import { EVIDENCE_KINDS, type EvidenceReference } from '@colophon/records';
import type { ReportFile } from '@colophon/remediation-rules';
import { DocumentStore, type SqlDatabase } from '@colophon/store';
import { digestOfBytes } from '../../byte-digest/byte-digest.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { readBounded } from '../../input/bounded-input.ts';

/** Files beside the database. */
export type DocumentFlags = {
  readonly sbom?: readonly string[];
  readonly scan?: readonly string[];
  readonly vex?: readonly string[];
  readonly signature?: readonly string[];
};

/** Where the bytes of a report's documents come from. */
export type KeptDocuments = {
  /** What the flags name, as evidence. */
  readonly given: readonly EvidenceReference[];
  /** @throws CliError `cli.artifact_missing` with the document's name and digest */
  bytesOf(file: ReportFile): Promise<Uint8Array>;
};

/** Bytes; an SBOM or a scanner's output of a large system. */
const MOST_DOCUMENT_BYTES = 256 * 1024 * 1024;

/**
 * The documents that the flags name, and those of the database, which is only opened where the files do not have one.
 * @throws CliError `cli.file_unreadable`, `cli.file_too_large`
 */
export async function keptDocuments(
  flags: DocumentFlags,
  database: () => Promise<SqlDatabase | undefined>,
): Promise<KeptDocuments> {
  const files = EVIDENCE_KINDS.flatMap((kind) => (flags[kind] ?? []).map((path) => ({ kind, path })));
  const given: EvidenceReference[] = [];
  const bytes = new Map<string, Uint8Array>();
  for (const { kind, path } of files) {
    const content = await readBounded(path, MOST_DOCUMENT_BYTES);
    const digest = digestOfBytes(content);
    bytes.set(digest, content);
    given.push({ kind, digest, name: basename(path) });
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
      throw new CliError('cli.artifact_missing', `the ${kind} ${file.name} is not kept`, {
        checked: file.digest,
        expected: `its bytes, in the database or by --${kind} FILE`,
        next: 'a report names only what it can show: give the file, or the --database that the record was opened with',
      });
    },
  };
}

async function openStore(database: () => Promise<SqlDatabase | undefined>): Promise<DocumentStore | undefined> {
  const db = await database();
  return db && DocumentStore.open(db);
}
