import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changesOf, temporaryFolder } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { digestOf, FILES, KINDS, RECORDS, type ShopFile } from './shop-report.ts';

/** The report of the shop, and what is said of it once a file of it and the list of files were changed. */
async function madeReport() {
  const folder = temporaryFolder(onTestFinished);
  const at = (...names: string[]) => join(folder, ...names);
  const run = (...args: string[]) => runLine(args, { HOME: folder, COLOPHON_HOME: at('home') });
  for (const [name, content] of Object.entries(FILES)) writeFileSync(at(name), content);
  writeFileSync(at('records.json'), JSON.stringify(RECORDS));
  const given = Object.keys(FILES).flatMap((name) => [`--${KINDS[name as ShopFile]}`, at(name)]);
  const line = ['--period', '2026-Q4', '--at', '2026-11-20', '--records', at('records.json'), '--out', at('out')];
  expect((await run('report', 'quarterly', ...line, ...given, '--unsigned')).exitCode).toBe(0);
  const text = (name: string) => readFileSync(at('out', name), 'utf8');
  const verified = async (name: string, document: unknown) => {
    const [before, list] = [text(name), text('SHA256SUMS')];
    const after = JSON.stringify(document);
    const [old, fresh] = [before, after].map((one) => digestOf(one).slice('sha256:'.length));
    writeFileSync(at('out', name), after);
    writeFileSync(at('out', 'SHA256SUMS'), list.replace(old!, fresh!));
    const ran = await run('report', 'verify', at('out'), '--unsigned', '-o', 'json');
    writeFileSync(at('out', name), before);
    writeFileSync(at('out', 'SHA256SUMS'), list);
    const { differences = [] }: { differences?: readonly { code: string }[] } = documentOf(ran);
    return { exitCode: ran.exitCode, codes: differences.map(({ code }) => code) };
  };
  return { verified, json: (name: string) => JSON.parse(text(name)) };
}

const ODD = [undefined, null, true, -1, 0.5, 'x', '', [], [null], ['x'], {}, { x: 1 }, [{}]];
const REPORT = 'quarterly-report-2026-Q4.json';

test.each(['sbom', 'vulnerability_scan', 'remediation_records', 'vex_documents'])(
  'a report whose %s are named by something else than text cannot be counted',
  async (field) => {
    const { verified, json } = await madeReport();
    const report = json(REPORT);
    for (const odd of [undefined, null, true, {}, { markup: '<b>' }, [null], [{}]]) {
      const changed = { ...report, artifacts: { ...report.artifacts, [field]: odd } };
      expect([odd, await verified(REPORT, changed)]).toEqual([odd, { exitCode: 12, codes: ['report.uncountable'] }]);
    }
  },
);

test('a list of files of another format is none', async () => {
  const { verified, json } = await madeReport();
  const name = 'sboms-2026-Q4.json';
  const { exitCode, codes } = await verified(name, { ...json(name), format: 'colophon-file-list/v2' });
  expect([exitCode, codes]).toEqual([12, expect.arrayContaining(['report.artifact_differs'])]);
});

test.each([REPORT, 'report-notes-2026-Q4.json', 'vulnerability-scans-2026-Q4.json'])(
  'whatever stands in %s instead, it does not match',
  async (name) => {
    const { verified, json } = await madeReport();
    const document = json(name);
    const whole = name.startsWith('vulnerability') ? document : { ...document, more: 1 };
    const places = [...changesOf(whole)].map(([, change]) => change);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.constantFrom(...ODD), async (change, odd) => {
        const changed = change(odd);
        fc.pre(JSON.stringify(changed) !== JSON.stringify(document));
        expect(await verified(name, changed)).toMatchObject({ exitCode: 12 });
      }),
      { numRuns: 40 },
    );
  },
);
