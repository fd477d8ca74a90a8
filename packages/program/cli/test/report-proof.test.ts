import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RemediationEvent, RemediationRecord } from '@colophon/records';
import { quarterlyReportSchema } from '@colophon/records';
import { voidRecord } from '@colophon/remediation-rules';
import { temporaryFolder } from '@colophon/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import {
  digestOf,
  evidence,
  FILES,
  fixedRecord,
  KINDS,
  LISTED,
  type Listed,
  openRecord,
  RECORDS,
  type ShopFile,
  scan,
} from './shop-report.ts';
import { grypeOutput, shopSbom } from './shop-scans.ts';

let folder: string;
let files: Record<string, string>;
const at = (...names: string[]) => join(folder, ...names);
const run = (...args: string[]) => runLine(args, { HOME: folder, COLOPHON_HOME: at('home') });

beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  files = { ...FILES };
});

/** Makes the report of the quarter from these records and the files as they are now. */
async function made(records: readonly RemediationRecord[] = RECORDS, ...more: string[]) {
  for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content);
  writeFileSync(at('records.json'), JSON.stringify(records));
  const given = Object.keys(files).flatMap((name) => [`--${KINDS[name as ShopFile]}`, at(name)]);
  const line = ['--period', '2026-Q4', '--at', '2026-11-20', '--records', at('records.json'), '--out', at('out')];
  const asked = line.filter((word, index) => !more.includes(word) && !more.includes(line[index - 1] ?? ''));
  const ran = await run('report', 'quarterly', ...asked, ...more, ...given, '--unsigned', '--force');
  if (ran.exitCode !== 0) throw new Error(ran.stderr);
  return ran;
}
const inFolder = (name: string) => JSON.parse(readFileSync(at('out', name), 'utf8'));
const notes = (period = '2026-Q4') => inFolder(`report-notes-${period}.json`);
async function verified() {
  const ran = await run('report', 'verify', at('out'), '--unsigned', '-o', 'json');
  return { exitCode: ran.exitCode, ...documentOf(ran) };
}
const codes = async () => (await verified()).differences.map(({ code }: { code: string }) => code);

/** Puts another document in the place of one, and makes every record and scan name that one. */
function exchange(name: ShopFile, content: string, records: readonly RemediationRecord[]): RemediationRecord[] {
  const before = digestOf(files[name]!);
  files[name] = content;
  return JSON.parse(JSON.stringify(records).replaceAll(before, digestOf(content)));
}
/** Changes a file of the report as its author could, who signs what he likes. */
function forge(name: string, change: (text: string) => string): void {
  const before = readFileSync(at('out', name), 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(at('out', name), after);
  const list = readFileSync(at('out', 'SHA256SUMS'), 'utf8');
  const [old, fresh] = [before, after].map((text) => digestOf(text).slice('sha256:'.length));
  writeFileSync(at('out', 'SHA256SUMS'), list.replace(old!, fresh!));
}

describe('a closing is proven once more', () => {
  test('by the documents in the folder alone', async () => {
    await made();
    expect(await verified()).toMatchObject({
      exitCode: 0,
      summary: {
        proven_count: 2,
        unproven_count: 0,
        scan_count: 2,
        listing_count: 5,
        unrecorded_listing_count: 0,
      },
    });
  });

  const NEW = JSON.parse(FILES['shop-2.cdx.json']);
  const rescan = (listed: readonly Listed[]) => scan('06', FILES['shop-2.cdx.json'], listed);
  const parser = { ...LISTED[2]!, version: '1.1.0' };
  test.each<[what: string, change: () => RemediationRecord[], found: string]>([
    [
      'the scan still lists it',
      () => exchange('scan-2.json', rescan([...LISTED.slice(0, 2), parser]), RECORDS),
      'remediation.still_listed',
    ],
    [
      'the SBOM still holds it',
      () => {
        const [, part] = NEW.components;
        const kept = { ...part, version: '1.0.0', purl: 'pkg:npm/parser@1.0.0' };
        const sbom = JSON.stringify({ ...NEW, components: [NEW.components[0], kept] });
        const records = exchange('shop-2.cdx.json', sbom, RECORDS);
        const again = JSON.parse(FILES['scan-2.json']);
        again.sbom.digest = digestOf(sbom);
        return exchange('scan-2.json', JSON.stringify(again), records);
      },
      'remediation.version_still_present',
    ],
    [
      'the scan is of another SBOM',
      () => exchange('scan-2.json', scan('06', FILES['shop.cdx.json'], LISTED.slice(0, 2)), RECORDS),
      'remediation.scan_of_other_sbom',
    ],
    [
      'there is no scan',
      () => {
        const [open, fixed, justified] = RECORDS as [RemediationRecord, RemediationRecord, RemediationRecord];
        const { resolution } = fixed;
        if (resolution?.kind !== 'rescan') throw new Error('not fixed');
        return [open, { ...fixed, resolution: { ...resolution, scans: [] } }, justified];
      },
      'remediation.scan_missing',
    ],
  ])('and is not where %s', async (_, change, found) => {
    const ran = await made(change());
    expect(ran.stderr).toContain('report verify will refuse this');
    const { differences } = await verified();
    const [first] = differences.filter(({ code }: { code: string }) => code === 'report.closing_unproven');
    expect(first.path).toContain(RECORDS[1]!.id);
    expect(JSON.stringify(differences)).toContain(found);
    const { unproven } = notes().closings;
    expect(unproven).toMatchObject([{ record: RECORDS[1]!.id }]);
    expect(readFileSync(at('out', 'quarterly-report-2026-Q4.html'), 'utf8')).toContain('not proven by the documents');
  });

  test('and the words of another version of the program are no reason that a person gave', async () => {
    const [open, , justified] = RECORDS as [RemediationRecord, RemediationRecord, RemediationRecord];
    const early = JSON.stringify(fixedRecord({ fixed_in_versions: [] }))
      .replaceAll('2026-10-06T10:00:00Z', '2026-10-06T06:00:00Z')
      .replace(/; the scan alone decided: [^"]*/, '');
    await made([open, JSON.parse(early), justified]);
    const { differences, summary } = await verified();
    expect(differences).toMatchObject([{ code: 'report.closing_unproven' }]);
    expect(differences[0].found).toMatch('remediation.deployed_before_sbom');
    expect(summary).toMatchObject({ proven_count: 1, unproven_count: 1 });
  });

  test('and is not where the VEX document says something else', async () => {
    const other = FILES['shop.vex.json'].replace('CVE-2026-2', 'CVE-2026-3');
    await made(exchange('shop.vex.json', other, RECORDS));
    expect(JSON.stringify(await verified())).toContain('remediation.statement_missing');
  });

  test('and is not where the record says other of its first scan than that does', async () => {
    const [open, fixed, justified] = RECORDS as [RemediationRecord, RemediationRecord, RemediationRecord];
    const [sighting] = fixed.sightings;
    const older = { ...sighting!, database_built_at: '2020-01-01T00:00:00Z' };
    await made([open, { ...fixed, sightings: [older] }, justified]);
    expect(await codes()).toEqual(['report.sighting_differs']);
    await made([open, { ...fixed, sightings: [{ ...sighting!, versions: [] }] }, justified]);
    expect(await codes()).toEqual(['report.sighting_differs']);
  });

  test('and is not where no event closes it', async () => {
    const [open, fixed, justified] = RECORDS as [RemediationRecord, RemediationRecord, RemediationRecord];
    const [first, last] = fixed.history as [RemediationEvent, RemediationEvent];
    const changes: Record<string, readonly [unknown, unknown]> = { ...first.changes };
    for (const [name, [, to]] of Object.entries(last.changes)) changes[name] = [null, to];
    await made([open, { ...fixed, history: [{ ...first, changes }] }, justified]);
    expect(await codes()).toEqual(['report.closing_unproven']);
  });
});

describe('everything that a scan lists has a record', () => {
  const many = Array.from({ length: 29 }, (_, index): Listed => ({ ...LISTED[0]!, cve: `CVE-2026-${5000 + index}` }));
  const withMany = (records: readonly RemediationRecord[]) =>
    exchange('scan.json', scan('05', FILES['shop.cdx.json'], [...LISTED, ...many]), records);

  test('29 records that were taken out before the report was made anew are noticed', async () => {
    const all = withMany([...RECORDS, ...many.map((one) => openRecord(one))]);
    await made(all);
    expect(await verified()).toMatchObject({ exitCode: 0, record_count: 32 });
    const { stderr } = await made(all.slice(0, 3));
    expect(stderr).toContain('29 without');
    const { exitCode, differences } = await verified();
    expect(exitCode).toBe(12);
    expect(differences).toMatchObject([
      {
        code: 'report.listing_without_record',
        path: 'scan.json',
        found: expect.stringMatching(/^29 without: CVE-2026-5000/),
      },
    ]);
    expect(notes().listings).toMatchObject({ without_record: 29 });
    // Who takes the note of it out, too, is told that as well.
    forge('report-notes-2026-Q4.json', (text) => text.replace('"without_record": 29', '"without_record": 0'));
    expect(await codes()).toEqual(['report.note_differs', 'report.listing_without_record', 'report.page_changed']);
  });

  test('what the scanner does not count needs none, and another name of the vulnerability is found', async () => {
    const [first] = many;
    const suppressed = { ...first!, suppressed: 'ignored by a rule' };
    await made(exchange('scan.json', scan('05', FILES['shop.cdx.json'], [...LISTED, suppressed]), RECORDS));
    expect(await verified()).toMatchObject({ exitCode: 0 });
    files = { ...FILES };
    const named = scan('05', FILES['shop.cdx.json'], [...LISTED, { ...LISTED[0]!, cve: 'GHSA-aaaa-bbbb-cccc' }]);
    const records = exchange('scan.json', named, RECORDS);
    await made(records);
    expect(await codes()).toEqual(['report.listing_without_record']);
    await made(
      records.map((record, index) => (index === 0 ? { ...record, aliases: ['GHSA-aaaa-bbbb-cccc'] } : record)),
    );
    expect(await codes()).toEqual([]);
  });

  test('a new listing in the scan that closed another record needs one', async () => {
    const more = [...LISTED.slice(0, 2), { ...LISTED[0]!, cve: 'CVE-2026-6000' }];
    await made(exchange('scan-2.json', scan('06', FILES['shop-2.cdx.json'], more), RECORDS));
    expect((await verified()).differences).toMatchObject([
      { code: 'report.listing_without_record', path: 'scan-2.json' },
    ]);
  });

  test('a record that was settled before the quarter answers it from the file beside', async () => {
    const settled = openRecord(many[0]!, {
      date_discovered: '2026-08-01',
      discovered_at: '2026-08-01T08:00:00Z',
    });
    const earlier = fixedEarlier(settled);
    const records = exchange('scan.json', scan('05', FILES['shop.cdx.json'], [...LISTED, many[0]!]), [
      ...RECORDS,
      earlier,
    ]);
    await made(records);
    expect(notes().records).toMatchObject({ counted: 3, uncounted: 1, first_discovered: '2026-08-01' });
    // It was fixed in August, and a scan of October lists it.
    expect(await codes()).toEqual(['report.listing_contradicts']);
    expect(inFolder('uncounted-records-2026-Q4.json')).toMatchObject([{ id: settled.id }]);
    forge('uncounted-records-2026-Q4.json', () => '[]\n');
    expect(await codes()).toContain('report.listing_without_record');
  });

  test('a record of the quarter cannot be hidden in the file beside', async () => {
    await made();
    const [hidden, ...rest] = inFolder('remediation-records-2026-Q4.json');
    forge('remediation-records-2026-Q4.json', () => `${JSON.stringify(rest)}\n`);
    forge('uncounted-records-2026-Q4.json', () => `${JSON.stringify([hidden])}\n`);
    expect(await codes()).toContain('report.record_stray');
  });

  test('notes and the file beside are there, and say what follows', async () => {
    await made();
    forge('SHA256SUMS', (text) => text.replace(/^.*report-notes.*\n/m, ''));
    writeFileSync(at('out', 'report-notes-2026-Q4.json'), '{}');
    expect(await codes()).toContain('report.file_unlisted');
  });
});

/** Closed in August as fixed by a build of then. */
function fixedEarlier(record: RemediationRecord): RemediationRecord {
  const { resolution } = fixedRecord();
  if (resolution?.kind !== 'rescan') throw new Error('not fixed');
  const sbom = { ...resolution.sbom, timestamp: '2026-08-09T07:00:00Z', digest: digestOf('a build of August') };
  const changes = {
    state: ['open', 'closed'],
    closed_at: [null, '2026-08-10T08:00:00Z'],
    vex_status: ['affected', 'fixed'],
    date_deployed: [null, '2026-08-10'],
  } as const;
  return {
    ...record,
    state: 'closed',
    closed_at: '2026-08-10T08:00:00Z',
    vex_status: 'fixed',
    date_deployed: '2026-08-10',
    days_to_remediate: 9,
    sla_compliance: 'not_applicable',
    resolution: { ...resolution, sbom, scans: [] },
    evidence: [evidence('scan.json')],
    history: [...record.history, { at: '2026-08-10T08:00:00Z', by: 'dana@example.com', action: 'closed', changes }],
  };
}

describe('what the figures cannot say', () => {
  test('stands in notes, and the report has the fields of the contract alone', async () => {
    const { stdout } = await made([RECORDS[0]!], '--at', '2026-10-06');
    const report = inFolder('quarterly-report-2026-Q4.json');
    expect(Object.keys(report)).toEqual(quarterlyReportSchema.required);
    expect(report.remediation_metrics.sla_compliance_rate).toBe('100.0%');
    expect(notes().nothing_due).toEqual([
      'remediation_metrics.sla_compliance_rate',
      'sla_by_severity.critical',
      'sla_by_severity.high',
      'sla_by_severity.medium',
    ]);
    expect(stdout).toMatch(/SLA rate +100.0%: nothing was due/);
    expect(await verified()).toMatchObject({ summary: { nothing_due: notes().nothing_due } });
  });

  test('a quarter before the first record says that nothing was recorded', async () => {
    const { stdout } = await made(RECORDS, '--period', '2026-Q2', '--at', '2026-06-30');
    expect(notes('2026-Q2').records).toEqual({
      counted: 0,
      uncounted: 3,
      first_discovered: '2026-10-05',
      is_before_first_record: true,
    });
    expect(stdout).toMatch(/first record +of 2026-10-05, after this/);
    expect(readFileSync(at('out', 'quarterly-report-2026-Q2.html'), 'utf8')).toContain('Nothing was recorded');
    expect(await verified()).toMatchObject({ exitCode: 0 });
    await made([], '--period', '2026-Q2', '--at', '2026-06-30');
    expect(notes('2026-Q2').records).toMatchObject({ first_discovered: null, is_before_first_record: true });
  });

  test('the hours of what is exploited are measured, and every product has its own figures', async () => {
    const till = { ...openRecord(LISTED[0]!), product: 'till', id: 'till/1', sightings: [], evidence: [] };
    await made([...RECORDS, till]);
    // From 5 October 08:00 to 6 October 10:00.
    expect(notes().exploited).toMatchObject({
      critical_exploited: { target_hours: 24, within: 0, late: 1, worst_hours: 26, average_hours: 26, known_by_day: 0 },
      high_exploited: { target_hours: 48, within: 0, late: 0, worst_hours: null },
    });
    expect(notes().products.map(({ product }: { product: string }) => product)).toEqual(['shop', 'till']);
    expect(notes().products[1]).toMatchObject({ total_cves_discovered: 1, remediation_metrics: { still_pending: 1 } });
    expect(readFileSync(at('out', 'quarterly-report-2026-Q4.html'), 'utf8')).toContain('By product');
  });

  test('a voided record is in no figure, and in the notes with who and why', async () => {
    const [open, fixed, justified] = RECORDS as [RemediationRecord, RemediationRecord, RemediationRecord];
    const voided = voidRecord(open, {
      at: '2026-11-01T08:00:00Z',
      by: 'dana@example.com',
      cause: 'mistake',
      reason: 'a test of the scanner',
    });
    if (!voided.ok) throw new Error('not voided');
    await made([voided.value, fixed, justified]);
    const report = inFolder('quarterly-report-2026-Q4.json');
    expect(report).toMatchObject({ total_cves_discovered: 2, remediation_metrics: { still_pending: 0 } });
    expect(notes().voided).toEqual([
      {
        record: open.id,
        cve: open.cve,
        component: 'left-pad',
        product: 'shop',
        cause: 'mistake',
        reason: 'a test of the scanner',
        by: 'dana@example.com',
        signer: null,
        at: '2026-11-01T08:00:00Z',
      },
    ]);
    expect(await verified()).toMatchObject({ exitCode: 0, summary: { voided_count: 1 } });
    expect(readFileSync(at('out', 'quarterly-report-2026-Q4.html'), 'utf8')).toContain('1 record set aside');
    // A scan that was made after it lists it.
    const early = { ...voided.value, closed_at: '2026-10-06T07:00:00Z' };
    const history = early.history.map((event) =>
      event.action === 'voided'
        ? { ...event, at: early.closed_at, changes: { ...event.changes, closed_at: [null, early.closed_at] as const } }
        : event,
    );
    await made([{ ...early, history }, fixed, justified]);
    expect(await codes()).toEqual(['report.listing_contradicts']);
  });

  test('a closing over the word of a person is counted as one', async () => {
    const records = JSON.parse(JSON.stringify(RECORDS));
    const [, fixed] = records;
    fixed.history.at(-1).overrides = ['remediation.component_gone'];
    await made(records);
    expect(notes().overrides).toMatchObject([{ record: fixed.id, codes: ['remediation.component_gone'] }]);
    expect(await verified()).toMatchObject({ summary: { override_count: 1 } });
  });
});

describe('the catalog', () => {
  const catalog = (dateReleased: string, ...cves: string[]) => {
    const content = {
      catalogVersion: dateReleased.slice(0, 10),
      dateReleased,
      count: cves.length,
      vulnerabilities: cves.map((cveID) => ({ cveID })),
    };
    writeFileSync(at('kev.json'), JSON.stringify(content));
    return run('kev', 'update', '--kev', at('kev.json'), '--database', at('kev.db'), '--force');
  };

  test('is named with its release and its age, and lies beside the report', async () => {
    await catalog('2026-11-19T08:00:00Z', 'CVE-2021-44228');
    const { stdout, stderr } = await made(RECORDS, '--database', at('kev.db'));
    expect(notes().catalog).toMatchObject({
      version: '2026-11-19',
      released_at: '2026-11-19T08:00:00Z',
      released_days: 1,
      stale: false,
      not_applied: [],
    });
    expect(stdout).toMatch(/catalog +2026-11-19, released 2026-11-19, 1 day before/);
    expect(stderr).not.toContain('stale');
    expect(inFolder('known-exploited-catalog-2026-Q4.json')).toMatchObject({ count: 1 });
    expect(await verified()).toMatchObject({
      exitCode: 0,
      summary: { catalog: { catalog_version: '2026-11-19', stale: false } },
    });
    forge('known-exploited-catalog-2026-Q4.json', (text) => text.replace('2026-11-19T08', '2026-11-20T08'));
    expect((await verified()).differences.map(({ path }: { path: string }) => path)).toEqual([
      'known-exploited-catalog-2026-Q4.json',
      'catalog.released_at',
      'catalog.released_days',
      'quarterly-report-2026-Q4.html',
    ]);
  });

  test('that is stale, or that nobody applied, is warned of', async () => {
    await catalog('2026-10-01T08:00:00Z', 'CVE-2021-44228', 'CVE-2026-1000');
    const { stdout, stderr } = await made(RECORDS, '--database', at('kev.db'));
    expect(stdout).toContain(': STALE');
    expect(stderr).toContain('catalog 2026-10-01 is stale');
    expect(stderr).toContain('colophon remediation escalate');
    expect(notes().catalog).toMatchObject({ stale: true, not_applied: [RECORDS[0]!.id] });
    expect(readFileSync(at('out', 'quarterly-report-2026-Q4.html'), 'utf8')).toContain('It is stale');
  });
});

describe('out of a database', () => {
  const on = (...line: string[]) => [...line, '--database', at('triage.db')];
  const owned = ['--owner', 'dana@example.com', '--tracking-id', 'SEC-7'];
  /** The SBOM and the scan of a day, as flags. */
  const build = (day: string, version: string, ...cves: string[]) => {
    const part = { name: 'parser', version };
    writeFileSync(at(`${day}.cdx.json`), JSON.stringify(shopSbom({ day, components: [part] })));
    const found = cves.map((cve) => ({ cve, ...part, fixed: '1.1.0' }));
    writeFileSync(at(`${day}.scan.json`), JSON.stringify(grypeOutput({ day, found })));
    return ['--sbom', at(`${day}.cdx.json`), '--scan', at(`${day}.scan.json`)];
  };
  const done = async (...line: string[]) => {
    const ran = await run(...line);
    expect(`${ran.exitCode} ${ran.exitCode === 0 ? '' : ran.stderr}`).toBe('0 ');
    return ran;
  };
  const report = (...more: string[]) =>
    done(...on('report', 'quarterly', '--period', '2024-Q2', '--out', at('out'), '--unsigned', '--force', ...more));

  test('a deployment before its SBOM is counted and shown with its reason, which cannot be taken out', async () => {
    await done(...on('remediation', 'open', ...build('2024-05-10', '1.0.0', 'CVE-2024-0001'), ...owned));
    const closing = ['--deployed-on', '2024-05-12', '--reason', 'the SBOM was made later', '--unsigned'];
    await done(...on('remediation', 'close', 'CVE-2024-0001', ...build('2024-05-14', '1.1.0'), ...closing));
    const { stdout } = await report();
    expect(stdout).toMatch(/overrides +1 event with a person’s reason/);
    const { overrides, deployed_before_sbom: early, closings } = notes('2024-Q2');
    expect(overrides).toMatchObject([{ action: 'closed', codes: ['remediation.deployed_before_sbom'] }]);
    expect(overrides[0].reason).toMatch(/^the SBOM was made later; /);
    expect(early).toMatchObject([{ deployed: '2024-05-12', sbom_timestamp: '2024-05-14T07:00:00Z' }]);
    expect(closings).toEqual({ proven: 1, unproven: [], reopened_since: 0 });
    expect(await verified()).toMatchObject({ exitCode: 0, summary: { override_count: 1 } });

    const records = JSON.parse((await run(...on('remediation', 'export'))).stdout);
    delete records[0].history.at(-1).overrides;
    writeFileSync(at('records.json'), JSON.stringify(records));
    await report('--records', at('records.json'));
    expect(await codes()).toEqual(['report.override_unrecorded']);
    expect(notes('2024-Q2').overrides).toHaveLength(1);
    records[0].history.at(-1).reason = records[0].history.at(-1).reason.replace('the SBOM was made later; ', '');
    writeFileSync(at('records.json'), JSON.stringify(records));
    await report('--records', at('records.json'));
    expect(await codes()).toEqual(['report.closing_unproven']);
  });

  test('what was settled in an earlier quarter answers the scans of this one', async () => {
    const first = build('2024-02-10', '1.0.0', 'CVE-2024-0001', 'CVE-2024-0002');
    await done(...on('remediation', 'open', ...first, ...owned));
    const second = build('2024-02-14', '1.0.1', 'CVE-2024-0002');
    await done(...on('remediation', 'open', ...second));
    const why = ['--deployed-on', '2024-02-15', '--reason', 'backported', '--unsigned'];
    await done(...on('remediation', 'close', 'CVE-2024-0001', ...second, ...why));
    await report();
    // The first scan lists what was closed in February; the second one closed it.
    expect(notes('2024-Q2')).toMatchObject({
      records: { counted: 1, uncounted: 1 },
      listings: { scans: 2, listings: 3, without_record: 0 },
    });
    expect(await verified()).toMatchObject({ exitCode: 0 });
  });
});

describe('what a record says of itself follows from its scans', () => {
  const [open, fixed, justified] = RECORDS as [RemediationRecord, RemediationRecord, RemediationRecord];
  /** The record with other fields, which its history tells as well. */
  const forged = (record: RemediationRecord, fields: Partial<RemediationRecord>): RemediationRecord => {
    const [first, ...rest] = record.history as [RemediationEvent, ...RemediationEvent[]];
    const told = Object.entries(fields).filter(([name]) => Object.hasOwn(first.changes, name));
    const changes = { ...first.changes, ...Object.fromEntries(told.map(([name, value]) => [name, [null, value]])) };
    return { ...record, ...fields, history: [{ ...first, changes }, ...rest] } as RemediationRecord;
  };
  const mild = { severity: 'medium', cvss_score: 5 } as const;
  const on = (day: string) => ({ date_discovered: day, discovered_at: `${day}T09:00:00Z` });

  test.each<[what: string, records: readonly RemediationRecord[]]>([
    ['milder than its sightings', [forged(open, mild), fixed, justified]],
    [
      'milder, and its sightings too',
      [forged(open, { ...mild, sightings: [{ ...open.sightings[0]!, ...mild }] }), fixed, justified],
    ],
    ['less urgent', [forged(open, { remediation_priority: 'standard' }), fixed, justified]],
    ['discovered later', [forged(open, on('2026-11-18')), fixed, justified]],
    [
      'discovered on the day it was deployed',
      [open, forged(fixed, { ...on('2026-10-06'), days_to_remediate: 0 }), justified],
    ],
    ['seen by nobody', [forged(open, { sightings: [], evidence: [] }), fixed, justified]],
  ])('and is refused where it is %s', async (_, records) => {
    await made(records);
    expect(await codes()).toEqual(['report.sighting_differs']);
  });

  const other = { ...LISTED[0]!, cve: 'CVE-2026-7777' };
  test.each([[[]], [['GHSA-aaaa-bbbb-cccc']]])(
    'nor does it answer for another CVE, also one called %j',
    async (names) => {
      const content = JSON.parse(scan('05', FILES['shop.cdx.json'], [...LISTED, other]));
      content.findings.at(-1).aliases = names;
      const aliases = ['CVE-2026-7777', 'GHSA-aaaa-bbbb-cccc'];
      await made(exchange('scan.json', JSON.stringify(content), [{ ...open, aliases }, fixed, justified]));
      expect(await codes()).toEqual(['report.listing_without_record']);
    },
  );
});
