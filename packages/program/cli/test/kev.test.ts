import { existsSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { deadUrl, startPeer, temporaryFolder } from '@colophon/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, type Ran, runLine } from './command-line.ts';

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data');
const OF_2024 = join(DATA, 'kev/EugenMayer+cisa-known-exploited-mirror--known_exploited_vulnerabilities.json');
const OF_2025 = join(DATA, 'kev/cisagov+kev-data--known_exploited_vulnerabilities.json');

const LOG4J = {
  cveID: 'cve-2021-44228',
  vendorProject: 'Apache',
  product: 'Log4j2 ',
  dateAdded: '2021-12-10',
  dueDate: '2021-12-24',
  knownRansomwareCampaignUse: 'Known',
};
const GPAC = { cveID: 'CVE-2021-4043', product: 'GPAC' };
const FEED = { catalogVersion: '2024.11.19', count: 2, vulnerabilities: [LOG4J, GPAC] };
const NEXT = {
  catalogVersion: '2024.11.20',
  dateReleased: '2024-11-20T14:00:00.1234Z',
  count: 2,
  vulnerabilities: [{ ...LOG4J, dueDate: '2021-12-25' }, { cveID: 'CVE-2026-10001' }],
};
const HALF = { ...FEED, catalogVersion: '2024.11.21', count: 1, vulnerabilities: [LOG4J] };
const FINDING = {
  id: 'CVE-2021-44228',
  severity: 'critical',
  cvss: { score: 10, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H' },
  component: { name: 'log4j-core', version: '2.14.1', purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1' },
  fixedInVersions: ['2.15.0'],
  description: 'Remote code execution',
};
const OTHER = { ...FINDING, id: 'CVE-2020-0001', severity: 'low', cvss: undefined, ticket: 'SEC-7' };

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  env = { HOME: folder, COLOPHON_HOME: join(folder, 'home') };
});
const kev = (...line: string[]): Promise<Ran> => runLine(['kev', ...line], env);
const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const document = async (...line: string[]) => {
  const ran = await kev(...line, '--output', 'json');
  expect(`${ran.exitCode} ${ran.exitCode === 0 ? '' : ran.stdout}`).toBe('0 ');
  return documentOf(ran);
};
const refusal = async (...line: string[]) => {
  const ran = await kev(...line, '-o', 'json');
  const { error } = documentOf(ran);
  return { exit: ran.exitCode, ...error, codes: error.issues?.map(({ code }: { code: string }) => code) };
};

describe('kev update', () => {
  test('keeps a feed with its version, digest and times, and then says what changed', async () => {
    const first = await document('update', '--kev', file('1.json', FEED));
    expect(first).toMatchObject({
      outcome: 'updated',
      catalog_version: '2024.11.19',
      entry_count: 2,
      feed: join(folder, '1.json'),
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      fetched_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(first).not.toHaveProperty('changes');
    const second = await document('update', '--kev', file('2.json', NEXT));
    expect(second.changes).toMatchObject({
      added: [{ cveID: 'CVE-2026-10001' }],
      removed: [{ cveID: 'CVE-2021-4043' }],
      changed: [{ vulnerability: 'CVE-2021-44228', changes: { dueDate: ['2021-12-24', '2021-12-25'] } }],
    });
    expect((await document('update', '--kev', join(folder, '2.json'))).outcome).toBe('unchanged');
  });

  test('tells a person on one line each', async () => {
    await kev('update', '--kev', file('1.json', FEED));
    const { stdout, stderr } = await kev('update', '--kev', file('2.json', NEXT));
    expect(stderr).toBe('');
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^kept {2}catalog 2024\.11\.20 with 2 entries, fetched /);
    expect(lines.slice(lines.indexOf('') + 1)).toEqual([
      'since 2024.11.19: 1 added, 1 removed, 1 changed',
      '  - CVE-2021-4043  GPAC',
      '  ~ CVE-2021-44228  dueDate: 2021-12-24 → 2021-12-25',
      '  + CVE-2026-10001',
      '',
    ]);
  });

  test('asks a feed only for what changed', async () => {
    let body = JSON.stringify(FEED);
    const peer = await startPeer(onTestFinished, ({ headers }, response: ServerResponse) => {
      const etag = `"${body.length}"`;
      if (headers['if-none-match'] === etag) response.writeHead(304).end();
      else response.writeHead(200, { etag }).end(body);
    });
    env['COLOPHON_KEV_FEED'] = `${peer.url}/kev.json`;
    expect(await document('update')).toMatchObject({ outcome: 'updated', feed: `${peer.url}/kev.json` });
    expect((await document('update')).outcome).toBe('unchanged');
    body = JSON.stringify(NEXT);
    expect((await document('update')).outcome).toBe('updated');
    expect((await document('status')).checked_at).toBeDefined();
  });

  test.each([
    ['half of it', HALF, 'cli.catalog_refused', ['kev.feed_shrank']],
    ['an older one', { ...FEED, catalogVersion: '2024.11.18' }, 'cli.catalog_refused', ['kev.feed_older']],
    ['one of the future', { ...FEED, catalogVersion: '2099.01.01' }, 'cli.catalog_refused', ['kev.feed_future']],
    ['an empty one', { ...FEED, count: 0, vulnerabilities: [] }, 'cli.catalog_refused', expect.any(Array)],
    ['a wrong count', { ...FEED, count: 3 }, 'cli.catalog_invalid', ['kev.count_mismatch']],
    ['an error page', '<!doctype html><h1>SECRET</h1>', 'cli.catalog_invalid', ['json.syntax']],
    ['nothing', '', 'cli.catalog_invalid', ['json.syntax']],
    ['a broken feed', JSON.stringify(FEED).slice(0, 90), 'cli.catalog_invalid', ['json.syntax']],
    ['null', 'null', 'cli.catalog_invalid', ['kev.not_object']],
  ])('refuses %s and leaves the last good copy', async (_title, feed, code, codes) => {
    await document('update', '--kev', file('good.json', FEED));
    const refused = await refusal('update', '--kev', file('bad.json', feed));
    expect(refused).toMatchObject({ exit: 20, code, codes, checked: join(folder, 'bad.json') });
    expect(refused.message).toMatch(/catalog 2024\.11\.19 with 2 entries, fetched .*, stays$/);
    expect(JSON.stringify(refused)).not.toContain('SECRET');
    expect((await document('status')).catalog_version).toBe('2024.11.19');
  });

  describe('where one entry is odd', () => {
    const TWICE = { ...LOG4J, cveID: ' CVE-2021-44228', dateAdded: '2021-12-09', dueDate: '2021-12-31' };
    const more = (...entries: unknown[]) => {
      const vulnerabilities = [LOG4J, GPAC, { cveID: 'CVE-2026-10001' }, ...entries];
      return { ...NEXT, count: vulnerabilities.length, vulnerabilities };
    };
    const NEW = 'CVE-2026-10001';

    test.each([
      ['an id twice', TWICE, 'kev.id_duplicate', 3],
      ['an entry without an id', { product: 'x' }, 'kev.id_invalid', 3],
      ['a text for an entry', 'CVE-2026-10002', 'kev.entry_not_object', 3],
      ['a day that is none', { cveID: 'CVE-2026-10002', dateAdded: '2026-02-30' }, 'kev.date_invalid', 4],
      ['a number for a text', { cveID: 'CVE-2026-10002', product: 7 }, 'kev.field_type', 4],
    ])('%s costs no other entry, and is told wherever the catalog is used', async (_title, odd, code, count) => {
      await document('update', '--kev', file('1.json', FEED));
      const updated = await document('update', '--kev', file('2.json', more(odd)));
      expect(updated).toMatchObject({ outcome: 'updated', entry_count: count, warnings: [{ code }] });
      expect(await document('update', '--kev', join(folder, '2.json'))).toMatchObject({
        outcome: 'unchanged',
        warnings: [{ code }],
      });
      expect((await document('show', NEW)).entry.cveID).toBe(NEW);
      const findings = file('findings.json', [{ ...FINDING, id: NEW }]);
      for (const flags of [[], ['--kev', join(folder, '2.json')]]) {
        const ran = await kev('enrich', findings, ...flags, '-o', 'json');
        expect([ran.exitCode, documentOf(ran)[0].cisa_kev.is_exploited]).toEqual([0, true]);
        expect(ran.stderr).toContain(`[${code}]`);
      }
      if (code === 'kev.date_invalid') expect((await kev('show', 'CVE-2026-10002')).exitCode).toBe(0);
    });

    test('of two entries the earlier days and the stricter use count, in either order', async () => {
      for (const list of [
        [TWICE, { ...LOG4J, knownRansomwareCampaignUse: 'Unknown' }],
        [{ ...LOG4J, knownRansomwareCampaignUse: 'Unknown' }, TWICE],
      ]) {
        const feed = file('twice.json', { ...FEED, vulnerabilities: list });
        expect((await document('show', 'CVE-2021-44228', '--kev', feed)).entry).toMatchObject({
          dateAdded: '2021-12-09',
          dueDate: '2021-12-24',
          knownRansomwareCampaignUse: 'Known',
        });
      }
    });

    test('a list that is broken in many places is refused, and so is one that lost kept entries to it', async () => {
      const many = Array.from({ length: 20 }, (_, index) => ({ cveID: `CVE-2020-${20_000 + index}` }));
      await document('update', '--kev', file('good.json', { ...FEED, count: 20, vulnerabilities: many }));
      const broken = more(...many, ...Array(6).fill({ product: 'x' }));
      expect(await refusal('update', '--kev', file('bad.json', broken))).toMatchObject({
        code: 'cli.catalog_invalid',
        codes: Array(6).fill('kev.id_invalid'),
      });
      const lost = more(...many.slice(6));
      expect((await refusal('update', '--kev', file('lost.json', lost))).codes).toEqual(['kev.feed_shrank']);
      const wrong = { ...more(...many, TWICE), count: 23 };
      expect((await refusal('update', '--kev', file('wrong.json', wrong))).codes).toContain('kev.count_mismatch');
      expect((await document('status')).entry_count).toBe(20);
    });
  });

  test('takes by force what is not believed, and says so', async () => {
    await document('update', '--kev', file('good.json', FEED));
    const { exitCode, stderr } = await kev('update', '--kev', file('half.json', HALF), '--force');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('[kev.feed_shrank]');
    expect((await document('status')).catalog_version).toBe('2024.11.21');
  });

  test('a peer that is down, or has no catalog, is told by its exit', async () => {
    await document('update', '--kev', file('good.json', FEED));
    expect(await refusal('update', '--kev', await deadUrl())).toMatchObject({
      exit: 3,
      code: 'feeds.catalog_unreachable',
    });
    const peer = await startPeer(onTestFinished, (_, response) => response.writeHead(404).end('SECRET'));
    const refused = await refusal('update', '--kev', peer.url);
    expect(refused).toMatchObject({ exit: 11, code: 'feeds.catalog_not_found' });
    expect(JSON.stringify(refused)).not.toContain('SECRET');
    expect((await document('status')).catalog_version).toBe('2024.11.19');
  });

  test.each([
    [[], 'cli.usage'],
    [['--kev', 'ftp://feed.example/kev.json'], 'feeds.catalog_address_refused'],
    [['--kev', 'http://feed.example/kev.json'], 'feeds.catalog_address_refused'],
    [['--kev', 'https://dana:geheim@feed.example/kev.json'], 'feeds.catalog_address_refused'],
    [['--kev', 'none.json'], 'feeds.catalog_file_unreadable'],
    [['--kev', 'none.json', '--timeout', '0'], 'cli.usage'],
  ])('%j is a mistake that is told, and no login is repeated', async (flags, code) => {
    const refused = await refusal('update', ...flags);
    expect(refused).toMatchObject({ exit: 1, code });
    expect(JSON.stringify(refused)).not.toContain('geheim');
  });
});

describe('without a catalog', () => {
  test.each([['status'], ['show', 'CVE-2021-44228'], ['history'], ['enrich', 'findings.json']])(
    'kev %s says which command brings one, and makes no database',
    async (...line) => {
      file('findings.json', [FINDING]);
      const args = line.map((word) => (word === 'findings.json' ? join(folder, word) : word));
      expect(await refusal(...args)).toMatchObject({
        exit: 11,
        code: 'cli.no_database',
        next: expect.stringContaining('kev update'),
      });
      expect(existsSync(join(folder, 'home'))).toBe(false);
    },
  );

  test('a database without one says the same', async () => {
    await refusal('update', '--kev', file('bad.json', '{}'));
    for (const line of [['status'], ['history']]) {
      expect(await refusal(...line)).toMatchObject({ exit: 11, code: 'cli.no_catalog' });
    }
  });
});

describe('with two catalogs', () => {
  beforeEach(async () => {
    await document('update', '--kev', file('1.json', FEED));
    await document('update', '--kev', file('2.json', NEXT));
  });

  test('status says which, how many, from where and how old', async () => {
    expect(await document('status')).toMatchObject({
      catalog_version: '2024.11.20',
      entry_count: 2,
      ransomware_count: 1,
      feed: join(folder, '2.json'),
      released_at: '2024-11-20T14:00:00.1234Z',
      days_since_check: 0,
    });
  });

  test('show has one entry, whatever the case, and exit 11 for another', async () => {
    expect(await document('show', 'cve-2021-44228')).toMatchObject({
      vulnerability: 'CVE-2021-44228',
      entry: { cveID: 'CVE-2021-44228', product: 'Log4j2' },
    });
    expect((await kev('show', 'CVE-2021-44228')).stdout).toMatch(/^vendorProject +Apache$/m);
    expect(await refusal('show', 'CVE-2021-4043')).toMatchObject({ exit: 11, code: 'cli.not_in_catalog' });
    expect(await refusal('show', 'log4j')).toMatchObject({ exit: 1, code: 'cli.usage' });
  });

  test('history says what changed in each, and what happened to one CVE', async () => {
    const { catalogs, omitted_count } = await document('history');
    expect(catalogs).toMatchObject([
      { catalog_version: '2024.11.19' },
      { catalog_version: '2024.11.20', changes: { added_count: 1, removed_count: 1, changed_count: 1 } },
    ]);
    expect(catalogs[0]).not.toHaveProperty('changes');
    expect(omitted_count).toBe(0);
    expect(await document('history', '--last', '1')).toMatchObject({
      catalogs: [{ catalog_version: '2024.11.20', changes: { added_count: 1 } }],
      omitted_count: 1,
    });
    const eventsOf = async (cve: string) =>
      (await document('history', cve)).events.map((one: { event: string }) => one.event);
    expect(await eventsOf('CVE-2021-4043')).toEqual(['first_seen', 'removed']);
    expect(await eventsOf('CVE-2021-44228')).toEqual(['first_seen', 'changed']);
    expect(await eventsOf('CVE-2026-10001')).toEqual(['added']);
    expect(await eventsOf('CVE-2000-0001')).toEqual([]);
  });

  test('what people read is not wider than the terminal, and a digest is whole', async () => {
    const text = (words: number) => 'a component of it '.repeat(words).trimEnd();
    const long = { ...NEXT, catalogVersion: '2024.11.21' };
    const vulnerabilities = [
      ...NEXT.vulnerabilities,
      {
        ...FEED.vulnerabilities[0],
        cveID: 'CVE-2026-20002',
        vendorProject: text(3),
        product: text(2),
        shortDescription: text(25),
      },
    ];
    await kev('update', '--kev', file('3.json', { ...long, count: vulnerabilities.length, vulnerabilities }));
    const { digest } = await document('status');
    const shown = await Promise.all([
      kev('status'),
      kev('show', 'CVE-2026-20002'),
      kev('diff', '2024.11.20', '2024.11.21'),
      kev('update', '--kev', join(folder, '3.json')),
    ]);
    expect(shown.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    for (const line of shown.flatMap(({ stdout }) => stdout.split('\n'))) {
      const isWord = !line.trim().includes(' ');
      expect(isWord ? 0 : line.length, line).toBeLessThanOrEqual(80);
    }
    expect(shown[0]!.stdout).toContain(`\n  ${digest}\n`);
    expect(shown[1]!.stdout.replaceAll(/\s+/g, ' ')).toContain(text(25));
  });

  test('diff compares versions, digests and files', async () => {
    const { digest } = await document('status');
    for (const [older, newer] of [
      ['2024.11.19', '2024.11.20'],
      [join(folder, '1.json'), digest],
    ] as const) {
      expect(await document('diff', older, newer)).toMatchObject({
        from: { catalog_version: '2024.11.19' },
        to: { catalog_version: '2024.11.20' },
        removed: [{ cveID: 'CVE-2021-4043' }],
      });
    }
    expect((await kev('diff', '2024.11.20', '2024.11.20')).stdout).toBe(
      '2024.11.20 (2 entries) → 2024.11.20 (2 entries): no entry changed\n',
    );
    expect(await refusal('diff', '2024.11.19', '2026.1')).toMatchObject({ exit: 11, code: 'cli.no_catalog' });
    expect(await refusal('diff', 'a/none.json', '2024.11.19')).toMatchObject({ exit: 1, code: 'cli.file_unreadable' });
  });

  test('enrich uses the newest of them, and warns when it is stale', async () => {
    const findings = file('findings.json', [FINDING]);
    const fresh = await kev('enrich', findings, '-o', 'json', '--at', '2024-11-21');
    expect(documentOf(fresh)[0].cisa_kev.due_date).toBe('2021-12-25');
    expect(fresh.stderr).not.toContain('warning');
    const stale = await kev('enrich', findings, '-o', 'json', '--at', '2025-01-21');
    expect(documentOf(stale)).toHaveLength(1);
    expect(stale.stderr).toContain('warning catalog 2024.11.20 is stale');
  });
});

describe('kev enrich', () => {
  const enrich = async (findings: unknown, ...flags: string[]) =>
    document('enrich', '--kev', file('kev.json', FEED), file('findings.json', findings), ...flags);

  test('gives back the same array with the fields of the contract, its members and its order kept', async () => {
    const enriched = await enrich([OTHER, { ...FINDING, published: '2021-12-10' }], '--at', '2026-11-21T12:00:00Z');
    expect(enriched).toMatchObject([
      {
        id: 'CVE-2020-0001',
        ticket: 'SEC-7',
        cisa_kev: { is_exploited: false, date_added: null, vendor: null, product: null },
        remediation_priority: 'standard',
        remediation_due_at: '2026-12-21T12:00:00Z',
      },
      {
        ...FINDING,
        cisa_kev: {
          is_exploited: true,
          date_added: '2021-12-10',
          days_since_publication: 1807,
          vendor: 'Apache',
          product: 'Log4j2',
          due_date: '2021-12-24',
          known_ransomware_use: true,
        },
        remediation_priority: 'critical-exploited',
        remediation_due_at: '2026-11-22T12:00:00Z',
      },
    ]);
  });

  test('what it wrote can be enriched again, from standard input’s form or from none', async () => {
    const once = await enrich([FINDING, OTHER, FINDING], '--at', '2026-11-21');
    expect(once).toHaveLength(3);
    expect(await enrich(once, '--at', '2026-11-21')).toEqual(once);
    expect(await enrich([])).toEqual([]);
  });

  test('reads a scanner’s output too', async () => {
    const grype = {
      matches: [
        {
          vulnerability: { id: 'GHSA-jfh8-c2jp-5v3q', severity: 'Critical', fix: { versions: [], state: 'unknown' } },
          relatedVulnerabilities: [{ id: 'CVE-2021-44228' }],
          artifact: { name: 'log4j-core', version: '2.14.1', type: 'java-archive', purl: FINDING.component.purl },
        },
      ],
      descriptor: { name: 'grype', version: '0.90.0' },
    };
    expect(await enrich(grype)).toMatchObject([
      { cisa_kev: { is_exploited: true }, remediation_priority: 'critical-exploited' },
    ]);
  });

  test('merges what several files say', async () => {
    const files = [file('a.json', [FINDING, OTHER]), file('b.json', [FINDING])];
    const ran = await kev('enrich', '--kev', file('kev.json', FEED), ...files, '-o', 'json');
    expect(documentOf(ran)).toHaveLength(2);
    expect(ran.stderr).toContain('2 scans with 3 findings, 2 after merging');
  });

  test('says that nothing is known to be exploited', async () => {
    const { stderr } = await kev('enrich', '--kev', file('kev.json', FEED), file('f.json', [OTHER]));
    expect(stderr).toMatch(/^1 finding, none known to be exploited: 1 standard; /);
  });

  test('shows people the most urgent first', async () => {
    const files = [file('kev.json', FEED), file('findings.json', [OTHER, FINDING])] as const;
    const { stdout, stderr } = await kev('enrich', '--kev', files[0], files[1], '--at', '2026-11-21', '--wide');
    const lines = stdout.trimEnd().split('\n');
    expect(lines[1]).toMatch(/^critical-exploited +2026-11-22T00:00:00Z +CVE-2021-44228 .* 2021-12-10, by ransomware$/);
    expect(lines[2]).toMatch(/^standard +2026-12-21T00:00:00Z +CVE-2020-0001 /);
    expect(stderr).toMatch(
      /^2 findings, 1 known to be exploited: 1 critical-exploited, 1 standard; due times count from 2026-11-21T00:00:00Z; /,
    );
    expect((await kev('enrich', '--kev', files[0], file('none.json', []))).stdout).toBe('no findings\n');
  });

  test.each([
    ['critical-exploited', [FINDING], 21],
    ['standard', [OTHER], 21],
    ['high', [OTHER], 0],
    ['critical-exploited', [{ ...FINDING, suppressed: 'vex' }], 0],
    ['standard', [{ ...OTHER, severity: 'unknown' }], 0],
  ])('--fail-on %s of %j ends with %i', async (priority, findings, exitCode) => {
    const ran = await kev(
      ...['enrich', '--kev', file('kev.json', FEED), file('f.json', findings)],
      ...['--fail-on', priority, '-o', 'json'],
    );
    expect(ran.exitCode).toBe(exitCode);
    expect(documentOf(ran)).toHaveLength(1);
  });

  test.each([
    [['--at', 'yesterday'], 1, 'cli.usage'],
    [['--at', '2026-02-30'], 1, 'cli.usage'],
    [['--at', '9999-12-31'], 1, 'cli.usage'],
    [['--fail-on', 'severe'], 1, 'cli.usage'],
    [['--kev', 'https://feed.example/kev.json'], 1, 'cli.usage'],
    [['--kev', 'none.json'], 1, 'cli.file_unreadable'],
  ])('%j ends with %i and %s', async (flags, exit, code) => {
    const findings = file('findings.json', [FINDING]);
    const kevFlags = flags[0] === '--kev' ? [] : ['--kev', file('kev.json', FEED)];
    expect(await refusal('enrich', findings, ...kevFlags, ...flags)).toMatchObject({ exit, code });
  });

  test('a catalog or findings that cannot be read are refused with every issue', async () => {
    const [findings, good] = [file('findings.json', [FINDING]), file('kev.json', FEED)];
    expect(await refusal('enrich', findings, '--kev', file('bad.json', { ...FEED, count: 9 }))).toMatchObject({
      exit: 20,
      code: 'cli.catalog_invalid',
      codes: ['kev.count_mismatch'],
    });
    for (const bad of ['', 'null', '{}', [{ ...FINDING, id: 1 }]]) {
      const refused = await refusal('enrich', file('bad.json', bad), '--kev', good);
      expect(refused).toMatchObject({ exit: 20, code: 'cli.scan_invalid' });
    }
  });
});

test('a catalog that a vulnerability enters makes its open record more urgent, once', async () => {
  const quiet = { ...FEED, count: 1, vulnerabilities: [GPAC] };
  const next = { ...FEED, catalogVersion: '2024.11.20' };
  await document('update', '--kev', file('1.json', quiet));
  const grype = {
    matches: [
      {
        vulnerability: { id: 'CVE-2021-44228', severity: 'Critical', fix: { versions: [], state: 'unknown' } },
        relatedVulnerabilities: [],
        artifact: { name: 'log4j-core', version: '2.14.1', type: 'java-archive', purl: FINDING.component.purl },
      },
    ],
    descriptor: { name: 'grype', version: '0.90.0', timestamp: new Date().toISOString() },
  };
  const people = ['--by', 'dana@example.com', '--owner', 'dana@example.com', '--tracking-id', 'SEC-1'];
  const opened = await runLine(
    ['remediation', 'open', '--scan', file('grype.json', grype), '--product-name', 'shop', ...people],
    env,
  );
  expect(opened.exitCode).toBe(0);
  const { records } = await document('update', '--kev', file('2.json', next));
  expect(records).toMatchObject([
    {
      product: 'shop',
      cve: 'CVE-2021-44228',
      component: 'log4j-core',
      cisa_kev: true,
      remediation_priority: 'critical-exploited',
      due_at: expect.stringMatching(/Z$/),
    },
  ]);
  expect(await document('update', '--kev', join(folder, '2.json'))).toMatchObject({
    outcome: 'unchanged',
    records: [],
  });
});

test.skipIf(!existsSync(OF_2024) || !existsSync(OF_2025))(
  'the real catalogs: 2024, then 2025, and not back',
  async () => {
    expect(await document('update', '--kev', OF_2024)).toMatchObject({
      catalog_version: '2024.10.22',
      entry_count: 1199,
    });
    const { changes } = await document('update', '--kev', OF_2025);
    expect([changes.added.length, changes.removed.length, changes.changed.length]).toEqual([206, 1, 48]);
    expect(await refusal('update', '--kev', OF_2024)).toMatchObject({
      exit: 20,
      codes: ['kev.feed_shrank', 'kev.feed_older'],
    });
    const { events } = await document('history', 'CVE-2021-4043');
    expect(events.map(({ event }: { event: string }) => event)).toEqual(['first_seen', 'removed']);
  },
);
