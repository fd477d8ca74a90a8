import { kindOf } from '@colophon/fault';
import type { RemediationRecord } from '@colophon/records';
import {
  assertFreeFolder,
  type FolderDraft,
  MOST_RECORDS_BYTES,
  openReportFolder,
  parseRecords,
  type ReportFolder,
  writeReportFolder,
} from '@colophon/remediation';
import { readBounded } from '../input/bounded-input.ts';
import { reasonOf, unreadable, unwritable } from '../input/input.ts';

/** The folder of a report that a person names. @throws ReportError; CliError `cli.file_unreadable` */
export async function openReport(path: string): Promise<ReportFolder> {
  try {
    return await openReportFolder(path, readBounded);
  } catch (cause) {
    if (kindOf(cause) !== undefined) throw cause;
    const isFile = (cause as NodeJS.ErrnoException).code === 'ENOTDIR';
    throw unreadable(path, isFile ? 'it is no folder' : reasonOf(cause).replace('file', 'folder'), cause);
  }
}

/** @throws ReportError `cli.folder_taken`; CliError `cli.file_unwritable` */
export function assertFreePlace(path: string, mayReplace: boolean): void {
  try {
    assertFreeFolder(path, mayReplace);
  } catch (cause) {
    throw asUnwritable(path, cause);
  }
}

/** Makes the folder of a report. @throws ReportError `cli.folder_taken`; CliError `cli.file_unwritable` */
export async function writeReport(
  path: string,
  content: {
    readonly mayReplace: boolean;
    readonly fill: (draft: FolderDraft) => Promise<void>;
    readonly seal: (checksums: Uint8Array) => Promise<Uint8Array | undefined>;
  },
): ReturnType<typeof writeReportFolder> {
  return writeReportFolder(path, content).catch((cause: unknown) => {
    throw asUnwritable(path, cause);
  });
}

/** The records of a file. @throws ReportError `cli.records_invalid`; CliError `cli.file_unreadable`, `cli.file_too_large` */
export async function readRecords(file: string): Promise<RemediationRecord[]> {
  return parseRecords(await readBounded(file, MOST_RECORDS_BYTES), file);
}

/** What the system says of the folder, in the program's words; every other error is what it is. */
function asUnwritable(path: string, cause: unknown): unknown {
  const isOfSystem = kindOf(cause) === undefined && (cause as NodeJS.ErrnoException)?.syscall !== undefined;
  return isOfSystem ? unwritable(path, reasonOf(cause), cause) : cause;
}
