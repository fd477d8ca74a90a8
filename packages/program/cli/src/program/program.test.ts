import { expect, test } from 'vitest';
import { runLine } from '../../test/command-line.ts';

test('a file behind -o, as other tools have it, is told from a format that is none', async () => {
  const file = await runLine(['sbom', 'create', '-o', 'app.cdx.json']);
  expect(file.exitCode).toBe(1);
  expect(file.stderr).toMatch(/table, json\.\n.*by --out <file>\n.*colophon sbom create --out app\.cdx\.json/);
  const format = await runLine(['sbom', 'validate', 'app.cdx.json', '-o', 'yaml']);
  expect(format.exitCode).toBe(1);
  expect(format.stderr).toMatch(/table, json, sarif\.\n/);
});

test('an empty value is told with the whole name of its command', async () => {
  const { exitCode, stdout } = await runLine([
    'vex',
    'set',
    'shop.openvex.json',
    '--vulnerability',
    'CVE-2026-1',
    '--status',
    'fixed',
    '--notes',
    '',
    '-o',
    'json',
  ]);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('colophon vex set');
});
