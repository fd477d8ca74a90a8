import { expect, test } from 'vitest';
import { documentOf, runLine } from '../../test/command-line.ts';

test.each([
  [['scan', 'import', '--format', 'json', 'x.json'], /here it is -o, --output <format>, one of table, json/],
  [['scan', 'import', '-f', 'x.json'], /--output <format>.* or --fail-on <severity>/],
  [['scan', 'import', '--severity', 'high', 'x.json'], /here it is --fail-on <severity>, one of critical/],
  [['scan', 'import', '--vex', 'x.json', 'y.json'], /for that there is colophon vex apply/],
  [['remediation', 'list', '--status', 'open'], /here it is --open/],
  [['scan', 'run', 'shop.cdx.json'], /named by a flag here: --sbom <file>/],
  [['kev', 'update', 'kev.json'], /named by a flag here: --kev <file-or-url>/],
])('%j is told what it is called here', async (line, words) => {
  const { exitCode, stderr } = await runLine(line);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(words);
  expect(documentOf(await runLine([...line, '-o', 'json'])).error.next).toMatch(words);
});

test.each([
  [['scan', 'import', '--failon', 'high', 'x.json']],
  [['scan', 'import', '--nonsense', 'x.json']],
  [['scan', 'import', '--constructor', 'x.json']],
  [['inspect', 'a', 'b']],
])('%j gets no hint of ours', async (line) => {
  expect((await runLine(line)).stderr).not.toMatch(/here it is|for that there is|named by a flag/);
});
