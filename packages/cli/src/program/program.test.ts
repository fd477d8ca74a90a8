import { expect, test } from 'vitest';
import { runLine } from '../../test/command-line.ts';

test('a file behind -o, as other tools have it, is told from a format that is none', async () => {
  const file = await runLine(['sbom', 'create', '-o', 'app.cdx.json']);
  expect(file.exitCode).toBe(1);
  expect(file.stderr).toMatch(/table, json\. .*--out/);
  const format = await runLine(['sbom', 'validate', 'app.cdx.json', '-o', 'yaml']);
  expect(format.exitCode).toBe(1);
  expect(format.stderr).toMatch(/table, json, sarif\.\n/);
});
