import { systemReason } from '@colophon/durable-file';
import type { RemediationRecord } from '@colophon/records';
import {
  assertFreeFolder,
  MOST_RECORDS_BYTES,
  openReportFolder,
  type PreparedReport,
  parseRecords,
  type ReportFolder,
  type ReportWriting,
  writeReport,
} from '@colophon/remediation';
import type { CliError } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';
import { unreadable, unwritable } from '../input/input.ts';

/** The folder of a report that a person names. @throws ReportError; CliError `cli.file_unreadable` */
export function openReport(path: string): Promise<ReportFolder> {
  return openReportFolder(path, { read: readBounded, unlisted });
}

function unlisted(path: string, cause: unknown): CliError {
  const isFile = (cause as NodeJS.ErrnoException).code === 'ENOTDIR';
  return unreadable(path, isFile ? 'it is no folder' : systemReason(cause).replace('file', 'folder'), cause);
}

/** @throws ReportError `report.folder_taken`; CliError `cli.file_unwritable` */
export function assertFreePlace(path: string, mayReplace: boolean): void {
  assertFreeFolder(path, mayReplace, asUnwritable);
}

/** Makes the folder of a report. @throws ReportError `report.folder_taken`; CliError `cli.file_unwritable` */
export function writePrepared(
  prepared: PreparedReport,
  writing: Omit<ReportWriting, 'unwritable'>,
): ReturnType<typeof writeReport> {
  return writeReport(prepared, { ...writing, unwritable: asUnwritable });
}

/** The records of a file. @throws ReportError `report.records_invalid`; CliError `cli.file_unreadable`, `cli.file_too_large` */
export async function readRecords(file: string): Promise<RemediationRecord[]> {
  return parseRecords(await readBounded(file, MOST_RECORDS_BYTES), file);
}

function asUnwritable(path: string, cause: unknown): CliError {
  return unwritable(path, systemReason(cause), cause);
}
