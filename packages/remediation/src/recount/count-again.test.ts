import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  countReport,
  formatNotes,
  formatReport,
  noteFiles,
  reportFileName,
  reportFiles,
  reportNotes,
  reportPages,
} from '@colophon/remediation-rules';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { auditReport } from '../report-audit/report-audit.ts';
import { openReportFolder } from '../report-folder/read-report-folder.ts';
import { writeReportFolder } from '../report-folder/report-folder.ts';
import { countAgain } from './count-again.ts';
import { detailsOf, parsedPeriod } from './report-records.ts';

/** A report of a quarter in which nothing happened, as a console would make it: with the packages alone. */
async function writtenReport(change: (json: string) => string = (json) => json): Promise<string> {
  const period = parsedPeriod('2026-Q3');
  const details = detailsOf([], { period, asOf: '2026-10-15' }, 'the records');
  const files = reportFiles(details, []);
  const report = countReport(details, files.artifacts);
  const source = async () => undefined;
  const { closings, listings } = await auditReport({ records: [], all: [], scans: [], source });
  const notes = reportNotes({ details, uncounted: [], closings, listings, catalog: undefined });
  const path = join(temporaryFolder(onTestFinished), 'report');
  await writeReportFolder(path, {
    mayReplace: false,
    seal: async () => undefined,
    fill: async ({ put }) => {
      const made = [...files.made, ...noteFiles(period.name, formatNotes(notes), [], undefined)].map(
        ({ name, content }) => ({ name, digest: put(name, content), kinds: [] }),
      );
      for (const { name, content } of reportPages(report, details, made, notes)) put(name, content);
      put(reportFileName(report.period), change(formatReport(report)));
    },
  });
  return path;
}

const opened = (path: string) => openReportFolder(path, (file) => readFile(file));

test('a report is opened and counted again without the program', async () => {
  const folder = await opened(await writtenReport());
  expect(await folder.check()).toEqual([]);
  const { records, differences, pagesAreSame } = await countAgain(folder, await folder.basis());
  expect({ records, differences, pagesAreSame }).toEqual({ records: 0, differences: [], pagesAreSame: true });
});

test('a figure that does not follow from the records is named', async () => {
  const folder = await opened(await writtenReport((json) => json.replace(/: 0\b/, ': 3')));
  const { differences } = await countAgain(folder, await folder.basis());
  expect(differences.map(({ code }) => code)).toContain('report.figure_differs');
});

test('a folder that holds something else is no report', async () => {
  await expect(opened(temporaryFolder(onTestFinished))).rejects.toMatchObject({ code: 'cli.report_invalid' });
});
