import { basename } from 'node:path';
import { EVIDENCE_KINDS } from '@colophon/records';
import type { GivenDocument } from '@colophon/remediation';
import { readBounded } from '../../input/bounded-input.ts';

/** Files beside the database. */
export type DocumentFlags = {
  readonly sbom?: readonly string[];
  readonly scan?: readonly string[];
  readonly vex?: readonly string[];
  readonly signature?: readonly string[];
};

/** Bytes; an SBOM or a scanner's output of a large system. */
const MOST_DOCUMENT_BYTES = 256 * 1024 * 1024;

/**
 * The documents that the flags name.
 * @throws CliError `cli.file_unreadable`, `cli.file_too_large`
 */
export async function givenDocuments(flags: DocumentFlags): Promise<readonly GivenDocument[]> {
  const given: GivenDocument[] = [];
  for (const kind of EVIDENCE_KINDS) {
    for (const path of flags[kind] ?? []) {
      given.push({ kind, name: basename(path), bytes: await readBounded(path, MOST_DOCUMENT_BYTES) });
    }
  }
  return given;
}
