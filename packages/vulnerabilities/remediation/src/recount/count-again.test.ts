import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { opened, VERSION, writtenReport } from '../../test/written-report.ts';
import { writeReportFolder } from '../report-folder/report-folder.ts';
import { countAgain } from './count-again.ts';

test('a report is opened and counted again without the program', async () => {
  const folder = await opened(await writtenReport());
  expect(await folder.check()).toEqual([]);
  const { records, differences, pages } = await countAgain(folder, await folder.basis(), VERSION);
  expect({ records, differences, pages }).toEqual({ records: 0, differences: [], pages: [] });
});

test('a figure that does not follow from the records is named', async () => {
  const folder = await opened(await writtenReport((json) => json.replace(/: 0\b/, ': 3')));
  const { differences } = await countAgain(folder, await folder.basis(), VERSION);
  expect(differences.map(({ code }) => code)).toContain('report.figure_differs');
});

test('a folder that holds something else is no report', async () => {
  await expect(opened(temporaryFolder(onTestFinished))).rejects.toMatchObject({ code: 'report.invalid' });
});

test('a file that cannot be read is a difference; a failure of who looks at it is none', async () => {
  const path = await writtenReport();
  const basis = await (await opened(path)).basis();
  const broken = new Error('no disk');
  const folder = await opened(path, (file) =>
    file.endsWith(basis.remediation_records) ? Promise.reject(broken) : readFile(file),
  );
  const { differences } = await countAgain(folder, basis, VERSION);
  expect(differences.map(({ code }) => code)).toEqual(['report.uncountable']);
  const failing = { ...folder, json: () => Promise.reject(new Error('a bug')) };
  await expect(countAgain(failing, basis, VERSION)).rejects.toThrow('a bug');
});

test('a folder that holds a report is replaced only where that was said, and another one never', async () => {
  const path = await writtenReport();
  const write = (mayReplace: boolean, to = path) =>
    writeReportFolder(to, {
      mayReplace,
      fill: async ({ put }) => void put('a.txt', 'a'),
      seal: async () => undefined,
      unwritable: (_path, cause) => cause,
    });
  await expect(write(false)).rejects.toMatchObject({ code: 'report.folder_taken' });
  expect((await write(true)).map(({ name }) => name)).toEqual(['a.txt']);
  const other = temporaryFolder(onTestFinished);
  await writeFile(join(other, 'mine.txt'), 'mine');
  await expect(write(true, other)).rejects.toMatchObject({ code: 'report.folder_taken' });
  await expect(
    writeReportFolder(join(other, 'new'), {
      mayReplace: false,
      fill: () => Promise.reject(new Error('of the filling')),
      seal: async () => undefined,
      unwritable: () => new Error('of the folder'),
    }),
  ).rejects.toThrow('of the filling');
});
