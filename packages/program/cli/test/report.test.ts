import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RemediationRecord } from '@colophon/records';
import { signedBytes } from '@colophon/remediation';
import { DocumentStore, openSqlDatabase, RemediationStore } from '@colophon/store';
import { temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { CONTEXT, type Installation, install } from './installation.ts';
import { keptRecord, patchedRecord } from './report-records.ts';
import { digestOf, evidence, FILES, KINDS, RECORDS, type ShopFile } from './shop-report.ts';

const SCANNED = [evidence('shop.cdx.json'), evidence('scan.json')];
const NAME = 'quarterly-report-2026-Q4';
/** What an unsigned report of these records has. */
const ALL = [
  'SHA256SUMS',
  `${NAME}.html`,
  `${NAME}.json`,
  'remediation-records-2026-Q4.json',
  'report-basis-2026-Q4.json',
  'report-notes-2026-Q4.json',
  'sboms-2026-Q4.json',
  'uncounted-records-2026-Q4.json',
  'vulnerability-scans-2026-Q4.json',
  ...Object.keys(FILES),
];

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const out = () => at('out');
const given = (from = folder) => Object.entries(KINDS).flatMap(([name, kind]) => [`--${kind}`, join(from, name)]);
const SIGNERS = ['--reviewer', '--key', '--identity-token', '--agent-name', '--context'];
const line = (...more: string[]) => {
  const unsigned = more.some((word) => SIGNERS.includes(word)) ? [] : ['--unsigned'];
  return ['report', 'quarterly', '--period', '2026-Q4', '--at', '2026-11-20', ...unsigned, ...more];
};
const env = () => ({ HOME: folder, COLOPHON_HOME: at('home') });
const run = (...args: string[]) => runLine(args, env());
const report = (...more: string[]) =>
  run(
    ...line('--records', at('records.json'), ...given(), ...(more.includes('--out') ? [] : ['--out', out()]), ...more),
  );
async function refusal(...args: string[]): Promise<{ exitCode: number; code: string; [fact: string]: unknown }> {
  const ran = await run(...args, '-o', 'json');
  return { exitCode: ran.exitCode, ...documentOf(ran).error };
}
const records = (list: readonly unknown[]) => writeFileSync(at('records.json'), JSON.stringify(list));

beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  for (const [name, content] of Object.entries(FILES)) writeFileSync(at(name), content);
  records(RECORDS);
});

describe('a report', () => {
  test('is a folder with everything that it names, which sha256sum checks', async () => {
    const ran = await report();
    expect(ran.exitCode).toBe(0);
    expect(readdirSync(out()).sort()).toEqual(ALL.toSorted());
    expect(readFileSync(join(out(), 'shop.cdx.json'), 'utf8')).toBe(FILES['shop.cdx.json']);
    const made = JSON.parse(readFileSync(join(out(), `${NAME}.json`), 'utf8'));
    expect(made).toMatchObject({
      period: '2026-Q4',
      total_cves_discovered: 3,
      remediation_metrics: { still_pending: 1, patched_within_sla: 1, marked_not_affected_with_vex: 1 },
      artifacts: {
        sbom: 'sboms-2026-Q4.json',
        vulnerability_scan: 'vulnerability-scans-2026-Q4.json',
        vex_documents: ['shop.vex.json'],
        remediation_records: 'remediation-records-2026-Q4.json',
      },
    });
    const { status } = spawnSync('sh', ['-c', 'sha256sum --strict -c SHA256SUMS'], { cwd: out() });
    expect(status).toBe(0);
    expect(readFileSync(join(out(), 'SHA256SUMS'), 'utf8').split('\n')).toHaveLength(ALL.length);
  });

  test('is the one document on standard output, byte for byte, and what a reader must know is beside it', async () => {
    const ran = await report('-o', 'json');
    const made = documentOf(ran);
    expect(`${JSON.stringify(made.report, null, 2)}\n`).toBe(readFileSync(join(out(), `${NAME}.json`), 'utf8'));
    expect(made.notes).toEqual(JSON.parse(readFileSync(join(out(), 'report-notes-2026-Q4.json'), 'utf8')));
    expect(made).toMatchObject({ out: out(), signatures: [] });
    expect(ran.stderr).toContain('this report is not signed');
    expect(ran.stderr).toContain('no stored signature: shop.vex.json');
  });

  test('tells people the figures and the next command', async () => {
    const { stdout } = await report();
    expect(stdout).toContain('as of the end of 2026-11-20, with the quarter not over');
    expect(stdout).toContain('50.0%');
    expect(stdout).toMatch(/critical +1 of 1 day: pass\n +high +46 of 7 days: FAIL\n +medium +nothing due/);
    expect(stdout).toContain(`colophon report verify ${out()} --unsigned`);
  });

  test('has the same bytes from the same records in any order and in every zone', async () => {
    const program = join(import.meta.dirname, '../bin/colophon.js');
    const folders = ['Pacific/Kiritimati', 'America/Los_Angeles'].map((TZ, index) => {
      records(index === 0 ? RECORDS : RECORDS.toReversed());
      const { status, stderr } = spawnSync(
        process.execPath,
        [program, ...line('--records', at('records.json'), ...given(), '--out', at(TZ.replace('/', '-')))],
        { env: { PATH: process.env['PATH'], ...env(), TZ }, encoding: 'utf8' },
      );
      expect(`${status} ${stderr}`).toMatch(/^0 note: this report is not signed/);
      return at(TZ.replace('/', '-'));
    });
    for (const name of ALL) {
      const [one, other] = folders.map((path) => readFileSync(join(path, name), 'utf8'));
      expect(one).toBe(other);
    }
  });

  test('of one product has its records alone', async () => {
    records([...RECORDS, keptRecord({ product: 'till', cve: 'CVE-2026-9' })]);
    await report('--product-name', 'shop');
    expect(JSON.parse(readFileSync(join(out(), 'remediation-records-2026-Q4.json'), 'utf8'))).toHaveLength(3);
    expect(documentOf(await run('report', 'verify', out(), '--unsigned', '-o', 'json'))).toMatchObject({ ok: true });
  });

  test('goes beside the caller where no folder is named', async () => {
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
    expect((await run(...line('--records', at('records.json'), ...given()))).exitCode).toBe(0);
    expect(existsSync(at(NAME, 'SHA256SUMS'))).toBe(true);
  });

  test('of many records has pages, all of them listed', async () => {
    records(Array.from({ length: 700 }, (_, index) => keptRecord({ cve: `CVE-2026-${5000 + index}` })));
    await run(...line('--records', at('records.json'), '--out', out()));
    const pages = readdirSync(out()).filter((name) => name.endsWith('.html'));
    expect(pages).toHaveLength(4);
    for (const page of pages) expect(readFileSync(join(out(), 'SHA256SUMS'), 'utf8')).toContain(`  ${page}\n`);
  });

  test('of nothing is a report too, and says what it does not rest on', async () => {
    records([]);
    const ran = await run(...line('--records', at('records.json'), '--out', out(), '-o', 'json'));
    expect(documentOf(ran)).toMatchObject({
      report: { total_cves_discovered: 0, artifacts: { sbom: 'sboms-2026-Q4.json' } },
    });
    expect(ran.stderr).toContain('no record rests on an SBOM');
    expect((await run('report', 'verify', out(), '--unsigned')).exitCode).toBe(0);
  });
});

describe('out of a database', () => {
  const ALL_FILES = Object.keys(FILES) as ShopFile[];
  async function fillDatabase(documents: readonly ShopFile[] = ALL_FILES): Promise<string> {
    const db = await openSqlDatabase(at('triage.db'));
    const kept = documents.map((name) => ({
      digest: digestOf(FILES[name]),
      kind: KINDS[name],
      name,
      bytes: Buffer.from(FILES[name]),
      addedAt: '2026-10-05T08:00:00Z',
    }));
    await (await RemediationStore.open(db)).insert(RECORDS.map(rowOf));
    await (await DocumentStore.open(db)).put(kept);
    await db.close();
    return at('triage.db');
  }
  const rowOf = (record: RemediationRecord) => ({
    id: record.id,
    revision: 1,
    product: record.product,
    cve: record.cve,
    isOpen: record.state === 'open',
    discoveredAt: record.discovered_at,
    document: JSON.stringify(record),
  });

  test('it has the very bytes that were kept', async () => {
    const database = await fillDatabase();
    expect((await run(...line('--database', database, '--out', out()))).exitCode).toBe(0);
    for (const [name, content] of Object.entries(FILES)) expect(readFileSync(join(out(), name), 'utf8')).toBe(content);
    await report('--out', at('from-files'));
    expect(readFileSync(join(out(), 'SHA256SUMS'))).toEqual(readFileSync(at('from-files', 'SHA256SUMS')));
  });

  test('a document that is not kept is refused by its name, and nothing is left behind', async () => {
    const database = await fillDatabase(ALL_FILES.filter((name) => name !== 'scan.json'));
    const before = readdirSync(folder).sort();
    expect(await refusal(...line('--database', database, '--out', out()))).toMatchObject({
      exitCode: 11,
      code: 'report.document_not_kept',
      message: expect.stringContaining('scan.json'),
      checked: digestOf(FILES['scan.json']),
    });
    expect(readdirSync(folder).filter((name) => !name.startsWith('triage.db'))).toEqual(
      before.filter((name) => !name.startsWith('triage.db')),
    );
    expect((await run(...line('--database', database, '--scan', at('scan.json'), '--out', out()))).exitCode).toBe(0);
  });

  test('that knows of no exploited vulnerability, for want of a catalog, says so', async () => {
    const database = await fillDatabase();
    const counting = () => run(...line('--database', database, '--out', out(), '--force'));
    expect((await counting()).stderr).toContain('no known-exploited catalog is kept');
    writeFileSync(
      at('kev.json'),
      '{"catalogVersion":"2026.11.20","count":1,"vulnerabilities":[{"cveID":"CVE-2026-0009"}]}',
    );
    expect((await run('kev', 'update', '--kev', at('kev.json'), '--database', database)).exitCode).toBe(0);
    expect((await counting()).stderr).not.toContain('known-exploited');
    expect((await report('--out', at('from-files'))).stderr).not.toContain('known-exploited');
  });

  test('where nothing was ever recorded says so', async () => {
    expect(await refusal(...line('--out', out()))).toMatchObject({ exitCode: 11, code: 'cli.no_database' });
  });
});

describe('what is refused', () => {
  test.each<[string, string[], number, string]>([
    ['a month', ['--period', '2026-11'], 1, 'report.day_invalid'],
    ['a quarter to come', ['--period', '2027-Q1'], 1, 'report.day_invalid'],
    ['a day before the quarter', ['--at', '2026-09-30'], 1, 'report.day_invalid'],
    ['a day to come', ['--at', '2999-01-01'], 1, 'report.day_invalid'],
    ['a day that is none', ['--at', '2026-02-30'], 1, 'cli.usage'],
    ['what is neither a day nor a time', ['--at', 'tomorrow'], 1, 'cli.usage'],
    ['a product that no record is of', ['--product-name', 'shpo'], 11, 'report.no_records'],
  ])('%s', async (_, more, exitCode, code) => {
    const args = line('--records', at('records.json'), ...given(), '--out', out());
    // The one flag that is wrong takes the place of the right one.
    const right = args.indexOf(more[0]!);
    if (right >= 0) args.splice(right, 2);
    expect(await refusal(...args, ...more)).toMatchObject({ exitCode, code });
    expect(existsSync(out())).toBe(false);
  });

  test.each<[string, string, string]>([
    ['what is no JSON', '{', 'json.syntax'],
    ['what holds no records', '{"a":1}', 'json.syntax'],
    ['null', 'null', 'json.syntax'],
    ['a record that is none', '[{"id":"x"}]', 'remediation.field_missing'],
  ])('%s', async (_, content, code) => {
    writeFileSync(at('records.json'), content);
    const refused = await refusal(...line('--records', at('records.json'), '--out', out()));
    expect(refused).toMatchObject({ exitCode: 20, code: 'report.records_invalid' });
    expect((refused['issues'] as { code: string }[])[0]!.code).toBe(code);
  });

  test.each([5, null, {}, []])('records that give %j for a reason are none', async (reason) => {
    records(RECORDS.map((record) => ({ ...record, history: record.history.map((event) => ({ ...event, reason })) })));
    const refused = await refusal(...line('--records', at('records.json'), ...given(), '--out', out()));
    expect(refused).toMatchObject({ exitCode: 20, code: 'report.records_invalid' });
  });

  test('records whose dates deny each other, by their ids', async () => {
    const early = patchedRecord('2026-10-01', { id: 'the-one' });
    records([...RECORDS, early]);
    const refused = await refusal(...line('--records', at('records.json'), ...given(), '--out', out()));
    expect(refused).toMatchObject({ exitCode: 20, code: 'report.records_invalid' });
    expect(JSON.stringify(refused['issues'])).toContain('the-one');
  });

  test('a folder with other files, whatever is forced; a report in it is replaced by force alone', async () => {
    mkdirSync(out());
    expect((await report()).exitCode).toBe(0);
    expect(await refusal(...line('--records', at('records.json'), ...given(), '--out', out()))).toMatchObject({
      exitCode: 1,
      code: 'report.folder_taken',
    });
    const before = readFileSync(join(out(), 'SHA256SUMS'), 'utf8');
    records(RECORDS.slice(0, 2));
    expect((await report('--force')).exitCode).toBe(0);
    expect(readFileSync(join(out(), 'SHA256SUMS'), 'utf8')).not.toBe(before);
    expect(existsSync(join(out(), 'shop.vex.json'))).toBe(true);
    expect(
      await refusal(...line('--records', at('records.json'), ...given(), '--out', folder, '--force')),
    ).toMatchObject({
      code: 'report.folder_taken',
    });
    expect(existsSync(at('records.json'))).toBe(true);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

describe('an auditor', () => {
  const verify = async (...more: string[]) => {
    const ran = await run('report', 'verify', out(), '--unsigned', '-o', 'json', ...more);
    return { exitCode: ran.exitCode, ...documentOf(ran) };
  };
  const differs = async () => {
    const found = await verify();
    expect(found).toMatchObject({ exitCode: 12, ok: false });
    return found.differences as { code: string; path: string; expected: string; found: string }[];
  };
  /** Changes a file, and makes the list of checksums true again. */
  const forge = (name: string, change: (text: string) => string) => {
    const path = join(out(), name);
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, change(before));
    const list = join(out(), 'SHA256SUMS');
    const [old, fresh] = [before, readFileSync(path)].map((content) => digestOf(content).slice('sha256:'.length));
    writeFileSync(list, readFileSync(list, 'utf8').replace(old!, fresh!));
    expect(readFileSync(path, 'utf8')).not.toBe(before);
  };
  beforeEach(() => report());

  test('finds a whole report right', async () => {
    const { signature, ...found } = await verify();
    expect(signature).toBeUndefined();
    expect(found).toMatchObject({
      exitCode: 0,
      ok: true,
      period: '2026-Q4',
      as_of: '2026-11-20',
      record_count: 3,
      file_count: ALL.length - 1,
      pages_state: 'same',
      differences: [],
    });
  });

  test.each(ALL.filter((name) => name !== 'SHA256SUMS' && !/basis/.test(name)))(
    'sees that %s was changed',
    async (name) => {
      writeFileSync(join(out(), name), `${readFileSync(join(out(), name), 'utf8')} `);
      expect((await differs()).map(({ code, path }) => `${code} ${path}`)).toContain(`report.file_changed ${name}`);
    },
  );
  test.each(['scan.json', 'shop.cdx.json', 'shop.vex.json', 'remediation-records-2026-Q4.json', `${NAME}.json`])(
    'sees that %s is missing',
    async (name) => {
      rmSync(join(out(), name));
      expect((await differs()).map(({ code, path }) => `${code} ${path}`)).toContain(`report.file_missing ${name}`);
    },
  );
  test('sees a file, a link and a folder that nobody listed', async () => {
    writeFileSync(join(out(), 'more.json'), '{}');
    symlinkSync(at('scan.json'), join(out(), 'link.json'));
    mkdirSync(join(out(), 'folder'));
    expect((await differs()).map(({ code, path }) => `${code} ${path}`)).toEqual([
      'report.file_unlisted folder',
      'report.file_unlisted link.json',
      'report.file_unlisted more.json',
    ]);
  });
  test('counts again, and says which figure was made better', async () => {
    forge(`${NAME}.json`, (text) =>
      text.replace('"50.0%"', '"99.0%"').replace('"still_pending": 1', '"still_pending": 0'),
    );
    expect(await differs()).toEqual([
      { code: 'report.figure_differs', path: 'remediation_metrics.still_pending', expected: '1', found: '0' },
      {
        code: 'report.figure_differs',
        path: 'remediation_metrics.sla_compliance_rate',
        expected: '"50.0%"',
        found: '"99.0%"',
      },
    ]);
    const ran = await run('report', 'verify', out(), '--unsigned');
    expect(ran.stdout).toMatch(/remediation_metrics\.still_pending {2}report\.figure_differs\n/);
  });
  test('makes the pages again, and says where they are not what follows from the records', async () => {
    forge(`${NAME}.html`, (text) => text.replace('3</a></span>CVEs discovered', '2</a></span>CVEs discovered'));
    expect(await verify()).toMatchObject({ exitCode: 12, pages_state: 'changed' });
    const ran = await run('report', 'verify', out(), '--unsigned');
    expect(ran.stdout).toMatch(/\npages +changed: not those that this version makes from them/);
  });
  test('with documents that only flags named makes the same pages again', async () => {
    writeFileSync(at('more.cdx.json'), '{}');
    writeFileSync(at('scan.json.asc'), '-----');
    const more = ['--sbom', at('more.cdx.json'), '--signature', at('scan.json.asc'), '--force'];
    expect((await report(...more)).exitCode).toBe(0);
    expect(await verify()).toMatchObject({ exitCode: 0, pages_state: 'same' });
  });
  test('sees a page that the report does not have', async () => {
    const page = '<p>All is well.</p>';
    writeFileSync(join(out(), `${NAME}-cves.html`), page);
    const list = readFileSync(join(out(), 'SHA256SUMS'), 'utf8');
    const line = `${digestOf(page).slice('sha256:'.length)}  ${NAME}-cves.html\n`;
    writeFileSync(join(out(), 'SHA256SUMS'), list + line);
    expect(await verify()).toMatchObject({ exitCode: 12, pages_state: 'changed' });
  });
  test('sees a field too many and a field too few', async () => {
    forge(`${NAME}.json`, (text) => text.replace('"high": 1,', '"high": 1, "none": 0,').replace('"cisa_kev": 1,', ''));
    expect((await differs()).map(({ path, found }) => `${path} ${found}`)).toEqual([
      'cves_by_severity.none 0',
      'cve_sources.cisa_kev nothing',
    ]);
  });
  test('sees a record that was taken out, by the numbers', async () => {
    forge('remediation-records-2026-Q4.json', (text) => JSON.stringify(JSON.parse(text).slice(1)));
    expect((await differs()).map(({ path }) => path)).toContain('total_cves_discovered');
  });
  test('sees a record that was put in and counts nowhere', async () => {
    const earlier = patchedRecord('2026-03-01', { cve: 'CVE-2026-8', date_discovered: '2026-02-01' });
    forge('remediation-records-2026-Q4.json', (text) => JSON.stringify([...JSON.parse(text), earlier]));
    expect((await differs()).map(({ code, path }) => `${code} ${path}`)).toEqual([
      'report.record_stray remediation-records-2026-Q4.json',
      'report.input_differs remediation-records-2026-Q4.json',
      `report.page_changed ${NAME}.html`,
    ]);
  });
  test('sees a record that was changed where its history says otherwise', async () => {
    forge('remediation-records-2026-Q4.json', (text) => text.replaceAll('"severity":"critical"', '"severity":"low"'));
    expect((await differs()).map(({ path }) => path)).not.toEqual([]);
    forge('remediation-records-2026-Q4.json', (text) => text.replace('"cisa_kev":true', '"cisa_kev":false'));
    expect((await differs()).map(({ path }) => path)).toContain('report.records_invalid');
  });
  test('sees another day, product or period in the basis', async () => {
    forge('report-basis-2026-Q4.json', (text) => text.replace('2026-11-20', '2026-10-06'));
    expect((await differs()).length).toBeGreaterThan(0);
  });
  test('sees a VEX document that the report does not name, and an artifact that is no file of the folder', async () => {
    forge(`${NAME}.json`, (text) => text.replace(/"vex_documents": \[[^\]]*\]/, '"vex_documents": []'));
    expect((await differs()).map(({ code, path }) => `${code} ${path}`)).toEqual([
      'report.artifact_differs artifacts.vex_documents',
      'report.input_differs shop.vex.json',
      `report.page_changed ${NAME}.html`,
    ]);
    forge(`${NAME}.json`, (text) => text.replace('"sboms-2026-Q4.json"', '"../records.json"'));
    expect((await differs()).map(({ path }) => path)).toContain('artifacts.sbom');
  });
  test('sees that a list of several names what is not there', async () => {
    const other = { ...evidence('shop.cdx.json'), digest: digestOf('two'), name: 'two.cdx.json' };
    writeFileSync(at('two.cdx.json'), 'two');
    records([...RECORDS, keptRecord({ cve: 'CVE-2026-7', evidence: [...SCANNED, other] })]);
    expect((await report('--sbom', at('two.cdx.json'), '--force')).exitCode).toBe(0);
    expect(await verify()).toMatchObject({ ok: true });
    forge('sboms-2026-Q4.json', (text) => text.replace('two.cdx.json', 'three.cdx.json'));
    expect((await differs()).map(({ code, path }) => `${code} ${path}`)).toEqual([
      'report.artifact_differs sboms-2026-Q4.json',
      'report.artifact_differs artifacts.sbom',
      'report.input_differs two.cdx.json',
      `report.page_changed ${NAME}.html`,
    ]);
  });
  test('sees a list that leaves one out, and a document in the place of another', async () => {
    const other = { ...evidence('shop.cdx.json'), digest: digestOf('two'), name: 'two.cdx.json' };
    writeFileSync(at('two.cdx.json'), 'two');
    records([...RECORDS, keptRecord({ cve: 'CVE-2026-7', evidence: [...SCANNED, other] })]);
    expect((await report('--sbom', at('two.cdx.json'), '--force')).exitCode).toBe(0);
    forge('sboms-2026-Q4.json', (text) =>
      JSON.stringify({ ...JSON.parse(text), files: JSON.parse(text).files.slice(1) }),
    );
    forge(`${NAME}.json`, (text) => text.replace('"vulnerability-scans-2026-Q4.json"', '"shop.cdx.json"'));
    const differences = (await differs()).map(({ code, path, expected }) => `${code} ${path} ${expected}`);
    const [page, ...others] = differences.toReversed();
    expect(page).toContain(`report.page_changed ${NAME}.html`);
    expect(others.toReversed()).toEqual([
      'report.artifact_differs artifacts.vulnerability_scan scan.json',
      'report.artifact_differs artifacts.sbom shop-2.cdx.json',
      'report.artifact_differs artifacts.vulnerability_scan scan-2.json',
      ...(['scan-2.json', 'scan.json', 'shop-2.cdx.json'] as const).map(
        (name) => `report.input_differs ${name} ${digestOf(FILES[name])}`,
      ),
      `report.note_differs listings.unchecked_scans ["shop.cdx.json"]`,
    ]);
  });
  test('follows no link out of the folder', async () => {
    rmSync(join(out(), 'scan.json'));
    symlinkSync(at('scan.json'), join(out(), 'scan.json'));
    const [missing] = await differs();
    expect(missing).toMatchObject({ code: 'report.file_missing', path: 'scan.json' });
    expect(missing!.found).toMatch(/links are not followed/);
  });
  test.each<[string, () => void, number, string]>([
    ['no folder', () => rmSync(out(), { recursive: true }), 1, 'cli.file_unreadable'],
    ['a folder without a list', () => rmSync(join(out(), 'SHA256SUMS')), 13, 'report.invalid'],
    [
      'a link for a list',
      () => {
        renameSync(join(out(), 'SHA256SUMS'), at('list'));
        symlinkSync(at('list'), join(out(), 'SHA256SUMS'));
      },
      13,
      'report.invalid',
    ],
    [
      'a link for a signature',
      () => symlinkSync(at('scan.json'), join(out(), 'SHA256SUMS.sigstore.json')),
      13,
      'report.invalid',
    ],
    ['a list that is none', () => writeFileSync(join(out(), 'SHA256SUMS'), 'x\n'), 13, 'report.invalid'],
    ['no basis', () => rmSync(join(out(), 'report-basis-2026-Q4.json')), 13, 'report.invalid'],
    ['a basis that is none', () => writeFileSync(join(out(), 'report-basis-2026-Q4.json'), '{}'), 13, 'report.invalid'],
  ])('is told that it is %s', async (_, spoil, exitCode, code) => {
    spoil();
    expect(await refusal('report', 'verify', out(), '--unsigned')).toMatchObject({ exitCode, code });
  });
  test('does not take a report that nobody signed for a signed one', async () => {
    expect(await refusal('report', 'verify', out())).toMatchObject({ exitCode: 10, code: 'report.signature_missing' });
  });
});

describe('signed', () => {
  const undo: Array<() => void | Promise<void>> = [];
  let here: Installation;
  let signed: string;
  const reviewer = () => ['--certificate-identity', 'reviewer:dana@example.com', '--certificate-oidc-issuer', here.url];
  beforeAll(async () => {
    here = await install((step) => undo.push(step));
    for (const [name, content] of Object.entries<string>(FILES)) here.file(name, content);
    const vex = join(here.folder, 'shop.vex.json');
    await here.document('sign-blob', vex, ...CONTEXT);
    const bundle = `${vex}.sigstore.json`;
    const signature = {
      kind: 'signature',
      digest: digestOf(readFileSync(bundle)),
      name: 'shop.vex.json.sigstore.json',
    } as const;
    const statement = RECORDS[2]!;
    here.file('records.json', [RECORDS[0], RECORDS[1], { ...statement, evidence: [...statement.evidence, signature] }]);
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });
  const make = (...more: string[]) => {
    const flags = [...given(here.folder), '--signature', join(here.folder, 'shop.vex.json.sigstore.json')];
    const records = more.includes('--records') ? [] : ['--records', join(here.folder, 'records.json')];
    return line(...records, ...flags, ...more);
  };

  test('by a person it is verified by that name, with every file bound to the signature', async () => {
    signed = join(here.folder, 'signed');
    const ran = await here.run(...make('--reviewer', 'dana@example.com', '--out', signed, ...here.pinned));
    expect(`${ran.exitCode} ${ran.stderr}`).toBe('0 ');
    expect(ran.stdout).toMatch(/signed +by reviewer:dana@example.com, log index \d+ and \d+\n/);
    // What it says next can be run as it stands.
    expect(ran.stdout).toContain(`colophon report verify ${signed} ${reviewer().join(' ')}\n`);
    expect(ran.stdout).toMatch(/VEX +1 verified: agent:code-writer\n/);
    expect(readdirSync(signed)).toContain(`${NAME}.json.sigstore.json`);
    expect(await here.document('report', 'verify', signed, ...reviewer())).toMatchObject({
      ok: true,
      signature: {
        signer: 'reviewer:dana@example.com',
        certificate_identity: { issuer: here.url },
        signed_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
      },
      pages_state: 'same',
      // It is signed by the agent, and the auditor asked for the person.
      vex_documents: [{ state: 'unchecked', code: 'identity.subject_mismatch' }],
    });
    await here.document(
      'verify-blob',
      join(signed, `${NAME}.json`),
      '--document',
      '--bundle',
      join(signed, `${NAME}.json.sigstore.json`),
      ...reviewer(),
    );
  });

  test('by somebody else it is not verified', async () => {
    expect(await here.refusal('report', 'verify', signed, ...here.pinned)).toMatchObject({
      exitCode: 12,
      code: 'identity.subject_mismatch',
    });
  });

  test('and changed, with the checksums made true again, the signature over them is broken', async () => {
    const copy = join(here.folder, 'copy');
    cpSync(signed, copy, { recursive: true });
    const before = readFileSync(join(copy, 'scan.json'));
    writeFileSync(join(copy, 'scan.json'), '{"matches":[1]}');
    const list = join(copy, 'SHA256SUMS');
    expect(await here.run('report', 'verify', copy, ...reviewer())).toMatchObject({ exitCode: 12 });
    const [old, fresh] = [before, '{"matches":[1]}'].map((one) => digestOf(one).slice('sha256:'.length));
    writeFileSync(list, readFileSync(list, 'utf8').replace(old!, fresh!));
    expect(await here.refusal('report', 'verify', copy, ...reviewer())).toMatchObject({ exitCode: 12 });
  });

  test('without its own signature it is not signed', async () => {
    const copy = join(here.folder, 'stripped');
    cpSync(signed, copy, { recursive: true });
    const missing = async () => here.refusal('report', 'verify', copy, ...reviewer());
    rmSync(join(copy, `${NAME}.json.sigstore.json`));
    expect(await missing()).toMatchObject({
      code: 'report.signature_missing',
      message: expect.stringMatching(/is missing$/),
    });
    rmSync(join(copy, 'SHA256SUMS.sigstore.json'));
    expect(await missing()).toMatchObject({
      code: 'report.signature_missing',
      message: expect.stringMatching(/is missing$/),
    });
  });

  test('a record that was signed when it was closed is checked by that signature, and its bundle is in the folder', async () => {
    const [open, closed, justified] = RECORDS as [RemediationRecord, RemediationRecord, RemediationRecord];
    const others = [open, justified];
    const bytes = here.file('closed.json', Buffer.from(signedBytes(closed)));
    await here.document('sign-blob', bytes, ...CONTEXT);
    const bundle = readFileSync(`${bytes}.sigstore.json`);
    const signature = { bundle: digestOf(bundle), signer: 'agent:code-writer' };
    const path = here.file('closed-records.json', [...others, { ...closed, closing_signature: signature }]);
    const made = join(here.folder, 'closed');
    const args = ['--signature', `${bytes}.sigstore.json`, ...CONTEXT, '--out', made];
    expect(await here.run(...make(...args, '--records', path))).toMatchObject({ exitCode: 0 });
    expect(readdirSync(made)).toContain('CVE-2021-44228-shop_CVE.sigstore.json');
    expect(await here.document('report', 'verify', made, ...here.pinned)).toMatchObject({
      ok: true,
      closing_signatures: { verified_count: 1, unchecked_count: 0, unsigned_count: 1, broken: [] },
    });
    expect(await here.document('report', 'verify', made, '--unsigned')).toMatchObject({
      closing_signatures: { unchecked_count: 1 },
    });
    // Who signed is no part of what is signed, so the record's own word for it is compared.
    const alices = here.file('alices.json', [
      ...others,
      { ...closed, closing_signature: { ...signature, signer: 'reviewer:alice@example.com' } },
    ]);
    expect(await here.run(...make(...args, '--records', alices, '--force'))).toMatchObject({ exitCode: 0 });
    const another = await here.run('report', 'verify', made, ...here.pinned, '-o', 'json');
    expect(another.exitCode).toBe(12);
    expect(documentOf(another).differences).toMatchObject([{ code: 'report.signature_broken' }]);
    const changed = here.file('changed.json', [
      ...others,
      { ...closed, component: 'other', closing_signature: signature },
    ]);
    expect(await here.run(...make(...args, '--records', changed, '--force'))).toMatchObject({ exitCode: 0 });
    const ran = await here.run('report', 'verify', made, ...here.pinned, '-o', 'json');
    expect(ran.exitCode).toBe(12);
    expect(documentOf(ran).differences).toEqual([
      {
        code: 'report.signature_broken',
        path: `record ${closed.id}`,
        expected: 'a signature that holds',
        found: 'artifact.mismatch',
      },
    ]);
  });

  test('a VEX document whose signature is over other bytes is refused, and nothing is signed', async () => {
    const file = here.file('other.json', 'other');
    await here.document('sign-blob', file, ...CONTEXT);
    const bundle = readFileSync(`${file}.sigstore.json`);
    const statement = RECORDS[2]!;
    const signature = { kind: 'signature', digest: digestOf(bundle), name: 'other.sigstore.json' } as const;
    const path = here.file('wrong.json', [{ ...statement, evidence: [...statement.evidence, signature] }]);
    const wrong = join(here.folder, 'wrong');
    const signed = ['--signature', `${file}.sigstore.json`, '--out', wrong, ...here.pinned];
    const args = make(...signed, '--records', path);
    expect(await here.refusal(...args)).toMatchObject({ exitCode: 12, code: 'report.statement_signature_broken' });
    expect(existsSync(wrong)).toBe(false);
  });

  test('a signature that nobody was named for is said to be unchecked', async () => {
    const ran = await here.run(...make('--out', join(here.folder, 'unchecked')));
    expect(ran.stderr).toContain('signed, and not verified: shop.vex.json');
  });

  test('where no signature can be had nothing is left behind', async () => {
    const away = join(here.folder, 'away');
    const args = make(
      '--reviewer',
      'dana@example.com',
      '--rekor-url',
      'http://127.0.0.1:1',
      '--fulcio-url',
      'http://127.0.0.1:1',
      '--out',
      away,
    );
    const ran = await here.run(...args);
    expect([3, 4]).toContain(ran.exitCode);
    expect(existsSync(away)).toBe(false);
    expect(readdirSync(here.folder).filter((name) => name.includes('away'))).toEqual([]);
  });
});

test('the report of a quarter that is over does not change with the day on which it is made', async () => {
  vi.useFakeTimers({ now: new Date('2027-03-01T00:00:00Z'), toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const quarter = ['report', 'quarterly', '--period', '2026-Q4', '--records', at('records.json'), ...given()];
  await run(...quarter, '--unsigned', '--out', out());
  vi.setSystemTime(new Date('2027-06-01T00:00:00Z'));
  await run(...quarter, '--unsigned', '--out', at('later'));
  expect(readFileSync(join(out(), 'SHA256SUMS'))).toEqual(readFileSync(at('later', 'SHA256SUMS')));
  expect(readFileSync(join(out(), 'report-basis-2026-Q4.json'), 'utf8')).toContain('"as_of": "2026-12-31"');
});

test('the day of the report may be given as a time, which counts in UTC', async () => {
  const quarter = ['report', 'quarterly', '--period', '2026-Q4', '--records', at('records.json'), ...given()];
  await run(...quarter, '--unsigned', '--at', '2026-11-20', '--out', out());
  const late = await run(...quarter, '--unsigned', '--at', '2026-11-20T22:30:00-01:00', '--out', at('later'));
  expect(late.exitCode).toBe(0);
  expect(readFileSync(at('later', 'SHA256SUMS'))).toEqual(readFileSync(join(out(), 'SHA256SUMS')));
  const next = await run(...quarter, '--unsigned', '--at', '2026-11-20T23:30:00-01:00', '--out', at('next'));
  expect(next.exitCode).toBe(0);
  expect(readFileSync(at('next', 'report-basis-2026-Q4.json'), 'utf8')).toContain('"as_of": "2026-11-21"');
});
