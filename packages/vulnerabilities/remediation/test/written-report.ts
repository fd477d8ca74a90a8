import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { onTestFinished } from 'vitest';
import { keptDocuments, openReportFolder, parsedPeriod, prepareReport, writeReport } from '../src/index.ts';

/** Of the program that makes these reports. */
export const VERSION = '1.2.3';

/** A report of a quarter in which nothing happened, as a console would make it: with the packages alone. */
export async function writtenReport(
  change: (json: string) => string = (json) => json,
  sign?: (name: string, bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<string> {
  const prepared = await prepareReport({
    period: parsedPeriod('2026-Q3'),
    asOf: '2026-10-15',
    now: '2026-10-15T12:00:00Z',
    records: [],
    source: 'the records',
    documents: keptDocuments([], async () => undefined),
    show: () => {},
  });
  const path = join(temporaryFolder(onTestFinished), 'report');
  await writeReport(prepared, {
    path,
    version: VERSION,
    mayReplace: false,
    unwritable: (_path, cause) => cause,
    signal: new AbortController().signal,
    show: () => {},
    ...(sign && { sign }),
  });
  const report = join(path, 'quarterly-report-2026-Q3.json');
  await writeFile(report, change(await readFile(report, 'utf8')));
  return path;
}

/** Opens a report's folder, with another reader where a test wants one. */
export const opened = (path: string, read: (file: string) => Promise<Uint8Array> = (file) => readFile(file)) =>
  openReportFolder(path, { read, unlisted: (_path, cause) => cause });
