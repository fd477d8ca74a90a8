import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRemediationRecord } from '@colophon/remediation-rules';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { type Installation, install } from './installation.ts';
import { grypeOutput, shopSbom } from './shop-scans.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let database: string;
let next = 0;

beforeAll(async () => {
  here = await install(cleanup);
});
beforeEach(() => {
  database = join(here.folder, `void-${next++}.db`);
});

const LIBRARY = { name: 'left-pad', version: '1.0.0' };
const on = (...line: string[]) => ['remediation', ...line, '--database', database];
/** Opens from a scan of the day that lists these. */
const open = (day: string, ...cves: string[]) => {
  const sbom = here.file(`sbom-${day}.json`, shopSbom({ day, components: [LIBRARY] }));
  const found = cves.map((cve) => ({ cve, ...LIBRARY }));
  const scan = here.file(`scan-${day}-${cves.length}.json`, grypeOutput({ day, found }));
  return here.document(...on('open', '--scan', scan, '--sbom', sbom));
};
const voiding = (record: string, ...more: string[]) => on('void', record, '--reason', 'a test of the scanner', ...more);
const refused = async (...line: string[]) => {
  const { exitCode, code } = await here.refusal(...line);
  return `${exitCode} ${code}`;
};

describe('a voided record', () => {
  test('stays with its reason and its signature, and is told apart in lists', async () => {
    const { opened } = await open('2024-05-10', 'CVE-2024-0001', 'CVE-2024-0002');
    const signing = ['--mistake', '--reviewer', 'dana@example.com'];
    const { records } = await here.document(...voiding('CVE-2024-0001', ...signing));
    expect(records).toMatchObject([
      {
        state: 'closed',
        resolution: { kind: 'void', cause: 'mistake' },
        sla_compliance: 'not_applicable',
        closing_signature: { signer: 'reviewer:dana@example.com' },
      },
    ]);
    expect(records[0].history.at(-1)).toMatchObject({ action: 'voided', reason: 'a test of the scanner' });
    expect(parseRemediationRecord(records[0]).ok).toBe(true);

    const listed = (await here.run(...on('list'))).stdout;
    expect(listed).toContain('void: mistake');
    expect(listed).toMatch(/2 records: 1 overdue, 1 void\n/);
    const shown = (await here.run(...on('show', records[0].id))).stdout;
    expect(shown).toMatch(/closed by +nothing: opened by mistake/);
    expect(shown).toMatch(/signed by +reviewer:dana@example.com/);
    const exported = JSON.parse((await here.run(...on('export'))).stdout);
    expect(exported).toHaveLength(2);

    const pinned = ['--certificate-identity', 'reviewer:dana@example.com', '--certificate-oidc-issuer', here.url];
    expect(await here.document(...on('verify', records[0].id, ...pinned))).toMatchObject({ ok: true });
    expect(opened).toContain(records[0].id);
  });

  test('is opened again by a later scan that lists it, with its old discovery and its old due time', async () => {
    const { records: before } = await open('2024-05-10', 'CVE-2024-0001');
    await here.document(...voiding('CVE-2024-0001', '--mistake', '--unsigned'));
    // The scan that is known says nothing new.
    expect(await open('2024-05-10', 'CVE-2024-0001')).toMatchObject({ reopened: [], opened: [] });
    const { reopened, records } = await open(new Date().toISOString().slice(0, 10), 'CVE-2024-0001');
    expect(reopened).toEqual([before[0].id]);
    const { discovered_at, due_at } = before[0];
    expect(records[0]).toMatchObject({
      state: 'open',
      discovered_at,
      due_at,
      resolution: null,
      sla_compliance: 'overdue',
    });
    expect(records[0].history.map(({ action }: { action: string }) => action)).toEqual([
      'opened',
      'voided',
      'reopened',
    ]);
  });

  test.each<[said: string, line: string[]]>([
    ['1 cli.usage', ['--unsigned']],
    ['1 cli.usage', ['--mistake', '--withdrawn-advisory', '--unsigned']],
    ['1 cli.no_signer', ['--mistake']],
    ['1 cli.no_signer', ['--mistake', '--unsigned', '--reviewer', 'dana@example.com']],
  ])('%s: %j', async (said, line) => {
    await open('2024-05-10', 'CVE-2024-0001');
    expect(await refused(...voiding('CVE-2024-0001', ...line))).toBe(said);
  });

  test('is in no figure of the signed report, whose verification checks the signature over it', async () => {
    await open('2024-05-10', 'CVE-2024-0001', 'CVE-2024-0002');
    await here.document(...voiding('CVE-2024-0001', '--mistake', '--reviewer', 'dana@example.com'));
    const out = `${database}-report`;
    const quarter = ['--period', '2024-Q2', '--reviewer', 'dana@example.com', '--database', database, '--out', out];
    expect(await here.document('report', 'quarterly', ...quarter)).toMatchObject({
      report: { total_cves_discovered: 1 },
    });
    const pinned = ['--certificate-identity', 'reviewer:dana@example.com', '--certificate-oidc-issuer', here.url];
    expect(await here.document('report', 'verify', out, ...pinned)).toMatchObject({
      summary: { voided_count: 1 },
      closing_signatures: { verified_count: 1, broken: [] },
    });
    // Somebody else's signature in the place of hers.
    const forged = readFileSync(join(out, 'uncounted-records-2024-Q2.json'), 'utf8').replace(
      'a test of the scanner',
      'withdrawn, I am sure',
    );
    writeFileSync(join(out, 'uncounted-records-2024-Q2.json'), forged);
    const ran = await here.run('report', 'verify', out, ...pinned, '--output', 'json');
    const found = documentOf(ran).differences.map(({ code }: { code: string }) => code);
    expect(found).toEqual(expect.arrayContaining(['report.file_changed', 'report.signature_broken']));
  });

  test('that nobody signed is called so by the report and by its verification', async () => {
    await open('2024-05-10', 'CVE-2024-0001', 'CVE-2024-0002');
    await here.document(...voiding('CVE-2024-0001', '--mistake', '--unsigned'));
    await here.document(...voiding('CVE-2024-0002', '--mistake', '--reviewer', 'dana@example.com'));
    const out = `${database}-report`;
    const quarter = ['--period', '2024-Q2', '--reviewer', 'dana@example.com', '--database', database, '--out', out];
    expect((await here.run('report', 'quarterly', ...quarter)).stdout).toMatch(
      /void +2 records set aside, and not counted; 1 of them unsigned\n/,
    );
    const pinned = ['--certificate-identity', 'reviewer:dana@example.com', '--certificate-oidc-issuer', here.url];
    expect((await here.run('report', 'verify', out, ...pinned)).stdout).toMatch(
      /void +2 records; 1 of them unsigned\n/,
    );
    expect(await here.document('report', 'verify', out, ...pinned)).toMatchObject({
      summary: { voided_count: 2, unsigned_void_count: 1 },
    });
  });

  test('has a reason, and was open', async () => {
    await open('2024-05-10', 'CVE-2024-0001');
    const line = ['void', 'CVE-2024-0001', '--withdrawn-advisory', '--unsigned'];
    expect(await refused(...on(...line))).toBe('1 cli.usage');
    expect(await refused(...on(...line, '--reason', 'x'.repeat(201)))).toBe('1 remediation.text_invalid');
    await here.document(...on(...line, '--reason', 'withdrawn by its CNA'));
    expect(await refused(...on(...line, '--reason', 'again'))).toBe('20 remediation.already_closed');
    expect(await refused(...on('void', 'CVE-2024-0009', ...line.slice(2), '--reason', 'x'))).toBe(
      '11 remediation.record_unknown',
    );
  });
});
