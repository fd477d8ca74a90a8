import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RemediationRecord } from '@colophon/records';
import { temporaryFolder } from '@colophon/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import manifest from '../../../../package.json' with { type: 'json' };
import { documentOf, runLine } from './command-line.ts';
import { digestOf, FILES, KINDS, LISTED, openRecord, RECORDS, type ShopFile, scan } from './shop-report.ts';

const PAGE = 'quarterly-report-2026-Q4.html';
const CATALOG = 'known-exploited-catalog-2026-Q4.json';
const NOTES = 'report-notes-2026-Q4.json';

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const run = (...args: string[]) => runLine(args, { HOME: folder, COLOPHON_HOME: at('home') });

beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
});

async function done(...line: string[]) {
  const ran = await run(...line);
  expect(`${ran.exitCode} ${ran.exitCode === 0 ? '' : ran.stderr}`).toBe('0 ');
  return ran;
}
/** Makes the report of the quarter in which the shop was found wanting. */
async function make(records: readonly RemediationRecord[] = RECORDS, more: readonly string[] = [], files = FILES) {
  for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content);
  writeFileSync(at('records.json'), JSON.stringify(records));
  const given = Object.keys(files).flatMap((name) => [`--${KINDS[name as ShopFile]}`, at(name)]);
  const quarter = ['--period', '2026-Q4', '--at', '2026-11-20', '--records', at('records.json'), '--out', at('out')];
  return done('report', 'quarterly', ...quarter, ...given, ...more, '--unsigned', '--force');
}
type Difference = { code: string; path: string; expected: string; found: string };
async function verified(): Promise<{ exitCode: number; ok: boolean; pages_state: string; differences: Difference[] }> {
  const ran = await run('report', 'verify', at('out'), '--unsigned', '-o', 'json');
  return { exitCode: ran.exitCode, ...documentOf(ran) };
}
const words = async () => (await run('report', 'verify', at('out'), '--unsigned')).stdout;
const found = async () => (await verified()).differences.map(({ code, path }) => `${code} ${path}`);
const read = (name: string) => readFileSync(at('out', name), 'utf8');
const sums = (change: (list: string) => string) => writeFileSync(at('out', 'SHA256SUMS'), change(read('SHA256SUMS')));

/** Changes a file of the report, and makes the list of checksums true again. */
function doctor(name: string, change: (text: string) => string): void {
  const before = read(name);
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(at('out', name), after);
  const [old, fresh] = [before, after].map((text) => digestOf(text).slice('sha256:'.length));
  sums((list) => list.replace(old!, fresh!));
}
const better = (text: string) => text.replaceAll('50.0%', '100.0%').replaceAll('t-bad">fail', 't-good">pass');
const asMadeBy = (version: string) => (text: string) =>
  text.replaceAll(`colophon ${manifest.version}`, `colophon ${version}`);

describe('a page for people', () => {
  test('says which version of the program made it, where programs and where people read', async () => {
    await make();
    expect(read(PAGE)).toContain(`<meta name="generator" content="colophon ${manifest.version}">`);
    expect(read(PAGE)).toContain(`<footer>Made by colophon ${manifest.version} `);
    expect(await verified()).toMatchObject({ exitCode: 0, ok: true, pages_state: 'same', differences: [] });
  });

  test('with a better rate and a pass for a fail is changed, though the checksums are made true again', async () => {
    await make();
    doctor(PAGE, better);
    const { exitCode, ok, pages_state, differences } = await verified();
    expect({ exitCode, ok, pages_state }).toEqual({ exitCode: 12, ok: false, pages_state: 'changed' });
    expect(differences).toMatchObject([{ code: 'report.page_changed', path: PAGE }]);
    // Where they part is shown, from both.
    expect(differences[0]!.expected).toContain('50.0%');
    expect(differences[0]!.found).toContain('100.0%');
    expect(await words()).toMatch(/^DIFFERS[\s\S]*\npages +changed[\s\S]*report\.page_changed/);
  });

  test.each<[what: string, change: (text: string) => string]>([
    ['another version', (text) => asMadeBy('9.9.9')(better(text))],
    ['another version, and is as it was made otherwise', asMadeBy('9.9.9')],
    ['an older version', asMadeBy('0.0.1-rc.1')],
    [
      'another version to programs alone',
      (text) => better(text).replace(`content="colophon ${manifest.version}"`, 'content="colophon 9.9.9"'),
    ],
    ['no version', (text) => better(text).replace(/<meta name="generator"[^>]*>\n/, '')],
    ['what is no version', asMadeBy('<b>0.1.0</b>')],
    ['a version in another place', (text) => `\n${better(text)}`],
    ['nothing at all', () => ''],
  ])('that says %s is not compared, which is no pass', async (_, change) => {
    await make();
    doctor(PAGE, change);
    const { exitCode, ok, pages_state, differences } = await verified();
    expect({ exitCode, ok, pages_state }).toEqual({ exitCode: 12, ok: false, pages_state: 'other_version' });
    expect(differences).toMatchObject([{ code: 'report.page_not_compared', path: PAGE }]);
    const text = await words();
    expect(text).toMatch(/^NOT VERIFIED /);
    expect(text).toMatch(/\nfigures +counted again from 3 records\npages +not compared/);
  });

  test('that is not compared says who is said to have made it, and who looks', async () => {
    await make();
    doctor(PAGE, asMadeBy('9.9.9'));
    const [difference] = (await verified()).differences;
    expect(difference!.expected).toContain(manifest.version);
    expect(difference!.found).toContain('9.9.9');
  });

  test('that says this version to programs and another one to people is changed', async () => {
    await make();
    doctor(PAGE, (text) =>
      text.replace(`<footer>Made by colophon ${manifest.version}`, '<footer>Made by colophon 9.9.9'),
    );
    expect(await found()).toEqual([`report.page_changed ${PAGE}`]);
  });

  test('that was taken out, or that the report does not have, is a change', async () => {
    await make();
    rmSync(at('out', PAGE));
    sums((list) => list.replace(/^.*\.html\n/m, ''));
    expect(await verified()).toMatchObject({ exitCode: 12, pages_state: 'changed' });
    expect(await found()).toEqual([`report.page_changed ${PAGE}`]);

    await make();
    const stray = 'quarterly-report-2026-Q4-cves.html';
    const page = '<p>All is well.</p>';
    writeFileSync(at('out', stray), page);
    sums((list) => `${list}${digestOf(page).slice('sha256:'.length)}  ${stray}\n`);
    expect(await found()).toEqual([`report.page_changed ${stray}`]);
  });

  test('that shows a document of two kinds is made the same again', async () => {
    await make(RECORDS, ['--signature', at('scan.json'), '--vex', at('shop.cdx.json')]);
    expect(await verified()).toMatchObject({ exitCode: 0, pages_state: 'same', differences: [] });
  });

  test('of several is compared each by itself', async () => {
    const many = Array.from({ length: 310 }, (_, index) => ({ ...LISTED[0]!, cve: `CVE-2026-${5000 + index}` }));
    const files = { ...FILES, 'scan.json': scan('05', FILES['shop.cdx.json'], [...LISTED, ...many]) };
    const before = digestOf(FILES['scan.json']);
    const text = JSON.stringify([...RECORDS, ...many.map((one) => openRecord(one))]);
    await make(JSON.parse(text.replaceAll(before, digestOf(files['scan.json']))), [], files);
    expect(await verified()).toMatchObject({ exitCode: 0, pages_state: 'same' });
    const list = 'quarterly-report-2026-Q4-cves.html';
    const recordsPage = 'quarterly-report-2026-Q4-records-001.html';
    doctor(list, (page) => page.replace('CVE-2026-5000', 'CVE-2026-4999'));
    doctor(recordsPage, asMadeBy('9.9.9'));
    // One program makes them all, and the page of the figures says that it was this one.
    expect(await found()).toEqual([`report.page_changed ${list}`, `report.page_changed ${recordsPage}`]);
    doctor(PAGE, asMadeBy('9.9.9'));
    expect(await found()).toEqual([
      `report.page_not_compared ${PAGE}`,
      `report.page_changed ${list}`,
      `report.page_not_compared ${recordsPage}`,
    ]);
    expect(await verified()).toMatchObject({ exitCode: 12, pages_state: 'changed' });
    rmSync(at('out', list));
    sums((lines) => lines.replace(/^.*-cves\.html\n/m, ''));
    expect((await found())[1]).toBe(`report.page_not_compared ${list}`);
  });
});

test('files that no record refers to are named as not read, whatever a flag calls them', async () => {
  await make();
  expect(await verified()).toMatchObject({ unread_files: [] });
  expect(await words()).not.toContain('not read');
  const flags = ['--signature', '--vex', '--sbom'].flatMap((flag, index) => {
    const name = `all-is-well-${index}.html`;
    writeFileSync(at(name), `<p>100.0% ${index}</p>`);
    return [flag, at(name)];
  });
  await make(RECORDS, flags);
  const names = ['all-is-well-0.html', 'all-is-well-1.html', 'all-is-well-2.html'];
  expect(await verified()).toMatchObject({ exitCode: 0, pages_state: 'same', unread_files: names });
  expect(await words()).toMatch(new RegExp(`\\nnot read +${names.join(', ')}: no record refers to them\\n`));
});

describe('what the figures and notes follow from', () => {
  const catalog = (...cves: string[]) => {
    const vulnerabilities = cves.map((cveID) => ({ cveID, dateAdded: '2026-10-01' }));
    const released = '2026-11-19T08:00:00Z';
    return JSON.stringify({
      catalogVersion: '2026-11-19',
      dateReleased: released,
      count: cves.length,
      vulnerabilities,
    });
  };
  const [open, fixed, justified] = RECORDS as [RemediationRecord, RemediationRecord, RemediationRecord];
  async function makeWithCatalog() {
    writeFileSync(at('kev.json'), catalog('CVE-2021-44228', 'CVE-2024-1111'));
    await done('kev', 'update', '--kev', at('kev.json'), '--database', at('kev.db'), '--force');
    return make([open, fixed, justified], ['--database', at('kev.db')]);
  }

  test('stands in the notes with its digest: the catalog too, which anybody can compare with a copy', async () => {
    await makeWithCatalog();
    const notes = JSON.parse(read(NOTES));
    expect(notes.catalog).toMatchObject({ file: CATALOG, digest: digestOf(read(CATALOG)) });
    const inputs = new Map(notes.inputs.map(({ file, digest }: { file: string; digest: string }) => [file, digest]));
    const files = ['remediation-records-2026-Q4.json', 'uncounted-records-2026-Q4.json', ...Object.keys(FILES)];
    expect([...inputs.keys()]).toEqual(files.toSorted());
    for (const file of files) expect(inputs.get(file)).toBe(digestOf(read(file)));
    expect(await verified()).toMatchObject({ exitCode: 0, summary: { catalog: { digest: digestOf(read(CATALOG)) } } });
    expect(await words()).toMatch(new RegExp(`\\ncatalog +2026-11-19, ${digestOf(read(CATALOG))}\\n`));
    const kept = documentOf(await run('kev', 'status', '--database', at('kev.db'), '-o', 'json'));
    expect(kept.digest).toBe(notes.catalog.digest);
  });

  test('a catalog without one of its entries is another one', async () => {
    await makeWithCatalog();
    doctor(CATALOG, () => catalog('CVE-2021-44228'));
    const { exitCode, differences } = await verified();
    expect(exitCode).toBe(12);
    expect(differences).toContainEqual({
      code: 'report.input_differs',
      path: CATALOG,
      expected: JSON.parse(read(NOTES)).catalog.digest,
      found: digestOf(read(CATALOG)),
    });
    expect(await found()).toEqual([`report.input_differs ${CATALOG}`, `report.page_changed ${PAGE}`]);
  });

  test('a catalog that cannot be read is none that the notes may leave out', async () => {
    await makeWithCatalog();
    doctor(CATALOG, () => '{}');
    doctor(NOTES, (text) => `${JSON.stringify({ ...JSON.parse(text), catalog: null }, null, 2)}\n`);
    expect(await found()).toContain(`report.document_unreadable ${CATALOG}`);
  });

  test.each<[what: string, file: string, change: (text: string) => string]>([
    ['records with other spaces', 'remediation-records-2026-Q4.json', (text) => JSON.stringify(JSON.parse(text))],
    ['other records beside', 'uncounted-records-2026-Q4.json', () => '[ ]\n'],
    ['a VEX document that no record names', 'more.vex.json', () => '{"a":1}'],
    ['an SBOM that no record names', 'more.cdx.json', () => '{"a":1}'],
    ['a scan that no record names', 'more.scan.json', () => '{"a":1}'],
  ])('%s in its place are told by name', async (_, file, change) => {
    const more = { 'more.vex.json': 'vex', 'more.cdx.json': 'sbom', 'more.scan.json': 'scan' };
    for (const name of Object.keys(more)) writeFileSync(at(name), JSON.stringify({ name }));
    await make(
      RECORDS,
      Object.entries(more).flatMap(([name, kind]) => [`--${kind}`, at(name)]),
    );
    expect(await found()).toEqual([]);
    doctor(file, change);
    expect(await found()).toContain(`report.input_differs ${file}`);
  });

  test('notes that state no digests, or of other files, are told', async () => {
    await makeWithCatalog();
    const edit = (change: (notes: Record<string, unknown>) => object) =>
      doctor(NOTES, (text) => `${JSON.stringify(change(JSON.parse(text)), null, 2)}\n`);
    edit(({ inputs: _, ...notes }) => notes);
    expect(await found()).toEqual([`report.inputs_missing ${NOTES}`, `report.page_changed ${PAGE}`]);

    await makeWithCatalog();
    edit((notes) => ({ ...notes, catalog: { ...(notes['catalog'] as object), digest: undefined } }));
    expect(await found()).toEqual([`report.inputs_missing ${NOTES}`, `report.page_changed ${PAGE}`]);

    await makeWithCatalog();
    const gone = { file: 'gone.json', digest: digestOf('gone') };
    edit((notes) => ({ ...notes, inputs: [...(notes['inputs'] as object[]).slice(1), gone] }));
    const [first] = JSON.parse(read(NOTES)).inputs;
    expect(first.file).not.toBe('remediation-records-2026-Q4.json');
    expect(await found()).toEqual([
      'report.input_differs gone.json',
      'report.input_differs remediation-records-2026-Q4.json',
      `report.page_changed ${PAGE}`,
    ]);
  });
});
