import { setImmediate } from 'node:timers/promises';
import { formatReport, reportFileName, reportPages } from '@colophon/remediation-rules';
import { CHECKSUMS, type Checksum } from '../report-folder/checksums.ts';
import { type FolderDraft, type Unwritable, writeReportFolder } from '../report-folder/report-folder.ts';
import type { PreparedReport } from './prepare-report.ts';

/** Where a report goes, and who signs it. */
export type ReportWriting = {
  /** Of the folder. */
  readonly path: string;
  /** Of the program, which the pages name. */
  readonly version: string;
  /** Whether a report that is there is replaced. */
  readonly mayReplace: boolean;
  readonly unwritable: Unwritable;
  /** Signs a file of the folder, and gives the bundle; absent where nobody signs. */
  readonly sign?: (name: string, bytes: Uint8Array) => Promise<Uint8Array>;
  /** Ends the writing, and leaves what was there. */
  readonly signal: AbortSignal;
  /** Is told, for people, what is under way. */
  readonly show: (step: string) => void;
};

/**
 * Writes a report with everything that it names into one folder, whole or not at all. The report is signed when all else
 * is there, and the list of checksums last.
 * @throws ReportError `report.folder_taken`, `report.document_not_kept`; what `unwritable` makes of the system's own error; what
 *   `sign` throws; the signal's reason
 */
export function writeReport(
  prepared: PreparedReport,
  { path, version, mayReplace, unwritable, sign, signal, show }: ReportWriting,
): Promise<readonly Checksum[]> {
  const signed = async (name: string, bytes: Uint8Array) => {
    if (sign === undefined) return undefined;
    show(`signing ${name}`);
    return sign(name, bytes);
  };
  return writeReportFolder(path, {
    mayReplace,
    unwritable,
    fill: (draft) => fill({ draft, prepared, version, signed, signal, show }),
    seal: (list) => signed(CHECKSUMS, list),
  });
}

type Filling = Pick<ReportWriting, 'version' | 'signal' | 'show'> & {
  readonly draft: FolderDraft;
  readonly prepared: PreparedReport;
  readonly signed: (name: string, bytes: Uint8Array) => Promise<Uint8Array | undefined>;
};

/** One document at a time: together they may be larger than memory. The signature comes last, when all else is there. */
async function fill({ draft, prepared, version, signed, signal, show }: Filling): Promise<void> {
  const { report, details, notes, files, documents } = prepared;
  const put = (name: string, content: string | Uint8Array): string => {
    signal.throwIfAborted();
    return draft.put(name, content);
  };
  for (const file of files.evidence) {
    show(`copying ${file.name}`);
    put(file.name, await documents.bytesOf(file));
  }
  const made = files.made.map(({ name, content }) => ({ name, digest: put(name, content), kinds: [] }));
  for (const { name, content } of reportPages(report, details, [...files.evidence, ...made], notes, version)) {
    show(`writing ${name}`);
    put(name, content);
    // There may be a hundred of them, and the signal is only heard in between.
    await setImmediate();
  }
  const name = reportFileName(report.period);
  const bytes = Buffer.from(formatReport(report));
  put(name, bytes);
  signal.throwIfAborted();
  const bundle = await signed(name, bytes);
  if (bundle !== undefined) draft.put(`${name}.sigstore.json`, bundle);
}
