import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let database: string;
let next = 0;

beforeAll(async () => {
  here = await install(cleanup);
});
beforeEach(() => {
  database = join(here.folder, `closing-${next++}.db`);
});

type Part = {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly [member: string]: unknown;
};

/** A component by its package URL. */
function part(purl: string, more: object = {}): Part {
  const [, path = '', version = ''] = /^pkg:[^/]+\/([^@?]+)@([^?]+)/.exec(purl) ?? [];
  return { name: path.split('/').at(-1)!, version: decodeURIComponent(version), purl, ...more };
}

const serial = (day: number) => `urn:uuid:00000000-0000-4000-8000-${String(day).padStart(12, '0')}`;

/** An SBOM of the shop as it was built on a day of May 2024. */
function sbom(day: number, components: readonly object[], more: object = {}): string {
  return here.file(`proof-${next}-${day}.cdx.json`, {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serial(day),
    version: 1,
    metadata: {
      timestamp: `2024-05-${day}T07:00:00Z`,
      component: { type: 'application', 'bom-ref': 'shop', name: 'shop', version: `1.0.${day}` },
    },
    components: components.map((one) => ({ type: 'library', ...one })),
    ...more,
  });
}

type Match = {
  readonly id?: string;
  readonly part: Part;
  readonly fixed?: readonly string[];
  readonly description?: string;
};

/** What grype says on that day. */
function grype(day: number, matches: readonly Match[]): string {
  const db = { status: { built: `2024-05-${day}T01:00:00Z`, valid: true } };
  const descriptor = { name: 'grype', version: '0.100.0', timestamp: `2024-05-${day}T09:00:00Z`, db };
  return here.file(`proof-${next}-${day}-grype.json`, {
    matches: matches.map(({ id = 'CVE-2024-1000', part: { name, version, purl }, fixed = [], description = '' }) => ({
      vulnerability: { id, severity: 'High', description, cvss: [], fix: { versions: fixed, state: 'fixed' } },
      relatedVulnerabilities: [],
      matchDetails: [],
      artifact: { name, version, type: 'x', purl },
    })),
    source: { type: 'sbom-file' },
    distro: {},
    descriptor,
  });
}

const on = (...line: string[]) => ['remediation', ...line, '--database', database];
const owned = ['--owner', 'dana@example.com', '--tracking-id', 'SEC-7'];
const open = (matches: readonly Match[], components: readonly object[], ...more: string[]) =>
  here.document(...on('open', '--scan', grype(10, matches), '--sbom', sbom(10, components), ...owned, ...more));
const closing = (records: readonly string[], scan: string, bom: string, ...more: string[]) =>
  on('close', ...records, '--scan', scan, '--sbom', bom, '--deployed-on', '2024-05-21', '--unsigned', ...more);
const codesOf = async (line: readonly string[]): Promise<string[]> => {
  const { exitCode, code, issues = [{ code }] } = await here.refusal(...line);
  expect(exitCode).toBe(20);
  return issues.map((issue: { code: string }) => issue.code);
};
const list = async (...flags: string[]) => (await here.document(...on('list', ...flags))).records;
const lastEvent = async (id: string) => (await here.document(...on('show', id))).record.history.at(-1);

const LEFT = part('pkg:npm/left-pad@1.0.0');
const LEFT_FIXED = part('pkg:npm/left-pad@1.0.1');
const RIGHT = part('pkg:npm/right-pad@2.0.0');

/** By type: a vulnerable version, and the same one written otherwise. */
const SPELLINGS: ReadonlyArray<readonly [type: string, version: string, other: string]> = [
  ['npm', '1.0.0', '1.0.0+build.7'],
  ['npm', '1.0.0', 'v1.0.0'],
  ['pypi', '1.0', '1.0.0'],
  ['pypi', '1.0', 'v1.0'],
  ['maven/org.acme', '2.14.0', '2.14.00'],
  ['maven/org.acme', '2.14.0', '2.14'],
  ['gem', '1.0', '1.0.0'],
  ['nuget', '1.0.0', '1.0'],
  ['deb/debian', '1.0-1', '0:1.0-1'],
  ['generic', '1.0', 'v1.0'],
];

describe('a version that is written otherwise', () => {
  test('of forty records none is closed by empty scans of versions that differ in spelling alone', async () => {
    const of = (which: 1 | 2) =>
      Array.from({ length: 40 }, (_, index) => {
        const spelling = SPELLINGS[index % SPELLINGS.length]!;
        return part(`pkg:${spelling[0]}/part-${index}@${encodeURIComponent(spelling[which])}`);
      });
    const { opened } = await open(
      of(1).map((one) => ({ part: one, fixed: ['9.9.9'] })),
      of(1),
    );
    expect(opened).toHaveLength(40);
    const codes = await codesOf(closing(opened, grype(20, []), sbom(20, of(2))));
    expect(codes.filter((code) => code === 'remediation.version_still_present')).toHaveLength(36);
    expect(codes.filter((code) => code === 'remediation.version_alike')).toHaveLength(4);
    expect(await list('--open')).toHaveLength(40);
  });

  test('no reason closes it where the order of versions says that it is the same', async () => {
    const { opened } = await open([{ part: LEFT }], [LEFT]);
    const bom = sbom(20, [part('pkg:npm/left-pad@v1.0.0')]);
    expect(await codesOf(closing(opened, grype(20, []), bom, '--reason', 'it is another one'))).toEqual([
      'remediation.version_still_present',
    ]);
  });
});

describe('a version that closes nothing by itself', () => {
  test.each<[code: string, fixed: string[], version: string]>([
    ['remediation.version_older', [], '0.9.0'],
    ['remediation.version_older', ['1.0.1'], '0.9.0'],
    ['remediation.version_below_fix', ['1.2.0'], '1.1.0'],
    ['remediation.version_below_fix', ['1.2.5', '2.0.1'], '2.0.0'],
  ])('%s: fixed in %j, and there is %s', async (code, fixed, version) => {
    const { opened } = await open([{ part: LEFT, fixed }], [LEFT]);
    const line = closing(opened, grype(20, []), sbom(20, [part(`pkg:npm/left-pad@${version}`)]));
    expect(await codesOf(line)).toEqual([code]);
    const { records } = await here.document(...line, '--reason', 'our fork has the fix');
    expect(records[0].history.at(-1)).toMatchObject({
      reason: expect.stringMatching(/^our fork has the fix; grype lists it no more/),
      overrides: [code],
    });
  });

  test.each<[what: string, before: string, fixed: string[], after: string, because: RegExp]>([
    [
      'has no order',
      'pkg:generic/zlib@1.2.11',
      ['1.2.12'],
      'pkg:generic/zlib@1.2.12',
      /the version order of \w+ is not known/,
    ],
    ['has no known fix', 'pkg:npm/left-pad@1.0.0', [], 'pkg:npm/left-pad@1.0.1', /no fixed version is known/],
    [
      'is patched by its distribution',
      'pkg:deb/ubuntu/openssl@3.0.2-0ubuntu1.8?distro=ubuntu-22.04',
      ['3.0.8'],
      'pkg:deb/ubuntu/openssl@3.0.2-0ubuntu1.9?distro=ubuntu-22.04',
      /the distribution does not use the version numbers/,
    ],
  ])('where it %s, the clean scan decides, and the record says so', async (_, before, fixed, after, because) => {
    const { opened } = await open([{ part: part(before), fixed }], [part(before)]);
    await here.document(...closing(opened, grype(20, []), sbom(20, [part(after)])));
    expect((await lastEvent(opened[0])).reason).toMatch(because);
  });

  const RPM = 'pkg:rpm/redhat/openssl@1.2-3';
  test.each<[what: string, before: string, after: string, because: RegExp | undefined]>([
    ['left out', `${RPM}?epoch=1`, 'pkg:rpm/redhat/openssl@1.2-4', /one version has an epoch and another has none/],
    ['added', RPM, 'pkg:rpm/redhat/openssl@1%3A1.2-4', undefined],
    ['written otherwise', `${RPM}?epoch=1`, 'pkg:rpm/redhat/openssl@1%3A1.2-4', undefined],
    [
      'left out',
      'pkg:deb/debian/perl@1%3A1.2-3',
      'pkg:deb/debian/perl@1.2-4',
      /one version has an epoch and another has none/,
    ],
  ])('an upgrade whose epoch is %s is no older version: %s, %s', async (_, before, after, because) => {
    const { opened } = await open([{ part: part(before), fixed: ['1:1.2-4'] }], [part(before)]);
    await here.document(...closing(opened, grype(20, []), sbom(20, [part(after)])));
    const { reason, overrides } = await lastEvent(opened[0]);
    expect(overrides).toBeUndefined();
    if (because === undefined) expect(reason).not.toMatch(/decided/);
    else expect(reason).toMatch(because);
  });

  test('a vulnerable version without its epoch closes nothing', async () => {
    const { opened } = await open([{ part: part(`${RPM}?epoch=1`) }], [part(`${RPM}?epoch=1`)]);
    expect(await codesOf(closing(opened, grype(20, []), sbom(20, [part(RPM)])))).toEqual([
      'remediation.version_still_present',
    ]);
  });

  test('a scan that says the epochs is one of an SBOM that does not', async () => {
    expect((await open([{ part: part(`${RPM}?epoch=1`) }], [part(RPM)])).opened).toHaveLength(1);
  });

  test('a fix of the branch closes it, and the record names no doubt', async () => {
    const log4j = part('pkg:maven/org.apache.logging.log4j/log4j-core@2.12.1');
    const { opened } = await open([{ part: log4j, fixed: ['2.3.1', '2.12.2', '2.15.0'] }], [log4j]);
    const patched = part('pkg:maven/org.apache.logging.log4j/log4j-core@2.12.4');
    await here.document(...closing(opened, grype(20, []), sbom(20, [patched])));
    expect(await lastEvent(opened[0])).not.toHaveProperty('overrides');
    expect((await lastEvent(opened[0])).reason).not.toMatch(/decided/);
  });
});

describe('a version whose numbers stand below every fix, where no order decides', () => {
  test.each<[before: string, fixed: string[], after: string]>([
    ['pkg:bitnami/redis@7.0.0-0', ['7.0.5'], 'pkg:bitnami/redis@7.0.0-3'],
    ['pkg:bitnami/redis@7.0.0-0', ['6.2.7', '7.0.5'], 'pkg:bitnami/redis@7.0.0-3'],
    ['pkg:bitnami/redis@7.0.0-0', ['7.0.0-5'], 'pkg:bitnami/redis@7.0.0-3'],
    ['pkg:github/actions/download-artifact@v3.0.0', ['3.0.3'], 'pkg:github/actions/download-artifact@v3.0.2'],
    ['pkg:github/actions/download-artifact@v3', ['4.1.3'], 'pkg:github/actions/download-artifact@v4.1.1'],
    ['pkg:conan/openssl@3.0.7', ['3.0.8'], 'pkg:conan/openssl@3.0.7-1'],
    ['pkg:generic/openssl@1.1.1j', ['1.1.2'], 'pkg:generic/openssl@1.1.1k'],
    ['pkg:npm/left-pad@1.0.0.1', ['1.0.5.0'], 'pkg:npm/left-pad@1.0.0.2'],
    ['pkg:npm/left-pad@1.0.0', ['1.0.5.0'], 'pkg:npm/left-pad@1.0.1'],
  ])('closes nothing by a clean scan alone: %s, fixed in %j, and there is %s', async (before, fixed, after) => {
    const { opened } = await open([{ part: part(before), fixed }], [part(before)]);
    const line = closing(opened, grype(20, []), sbom(20, [part(after)]));
    expect(await codesOf(line)).toEqual(['remediation.version_below_fix']);
    const { records } = await here.document(...line, '--reason', 'the fix was taken over');
    expect(records[0].history.at(-1).overrides).toEqual(['remediation.version_below_fix']);
  });

  test.each<[before: string, fixed: string[], after: string]>([
    ['pkg:bitnami/redis@7.0.0-0', ['7.0.5'], 'pkg:bitnami/redis@7.0.5-0'],
    ['pkg:bitnami/redis@7.0.0-0', ['6.2.7', '7.0.5'], 'pkg:bitnami/redis@6.2.9-1'],
    ['pkg:bitnami/redis@7.0.0-0', ['7.0.0-2'], 'pkg:bitnami/redis@7.0.0-3'],
    ['pkg:bitnami/redis@7.0.0-0', ['7.0.0-2'], 'pkg:bitnami/redis@7.0.1'],
    ['pkg:bitnami/redis@7.0.0-0', [], 'pkg:bitnami/redis@7.0.0-3'],
    ['pkg:github/actions/download-artifact@v3', ['4.1.3'], 'pkg:github/actions/download-artifact@v4.1.7'],
    ['pkg:generic/openssl@1.1.1j', ['1.1.1k'], 'pkg:generic/openssl@1.1.1k'],
    ['pkg:github/acme/act@3f2c1d9', ['4.1.3'], 'pkg:github/acme/act@1e5a7b3c9d'],
    ['pkg:generic/thing@stable', ['2.0'], 'pkg:generic/thing@edge'],
  ])('is not what a genuine fix is taken for: %s, fixed in %j, and there is %s', async (before, fixed, after) => {
    const { opened } = await open([{ part: part(before), fixed }], [part(before)]);
    await here.document(...closing(opened, grype(20, []), sbom(20, [part(after)])));
    expect(await lastEvent(opened[0])).not.toHaveProperty('overrides');
  });
});

describe('a gem that is built for another platform', () => {
  test.each<[code: string, before: string, fixed: string[], after: string]>([
    ['version_alike', 'nokogiri@1.0.0-x86_64-linux', [], 'nokogiri@1.0.0-arm64-darwin'],
    ['version_alike', 'nokogiri@1.0.0-arm64-darwin', ['1.0.5'], 'nokogiri@1.0.0-x86_64-linux'],
    ['version_alike', 'nokogiri@1.0.0-x86_64-linux-musl', ['1.0.5'], 'nokogiri@1.0.0'],
    ['version_alike', 'nokogiri@1.0.0', ['1.0.5'], 'nokogiri@1.0.0-java'],
    ['version_below_fix', 'nokogiri@1.0.0-x86_64-linux', ['1.0.5'], 'nokogiri@1.0.4-x86_64-linux'],
    ['version_older', 'nokogiri@1.0.0-x86_64-linux', ['1.0.5'], 'nokogiri@0.9.0-x86_64-linux'],
  ])('%s: %s, fixed in %j, and there is %s', async (code, before, fixed, after) => {
    const was = part(`pkg:gem/${before}`);
    const { opened } = await open([{ part: was, fixed }], [was]);
    const line = closing(opened, grype(20, []), sbom(20, [part(`pkg:gem/${after}`)]));
    expect(await codesOf(line)).toEqual([`remediation.${code}`]);
    const { records } = await here.document(...line, '--reason', 'that build has no libxml2');
    expect(records[0].history.at(-1).overrides).toEqual([`remediation.${code}`]);
  });

  test.each<[before: string, after: string]>([
    ['nokogiri@1.0.0-x86_64-linux', 'nokogiri@1.0.5-x86_64-linux'],
    ['nokogiri@1.0.0-java', 'nokogiri@1.0.5-java'],
    ['nokogiri@1.0.0-x86_64-linux', 'nokogiri@1.0.5-arm64-darwin'],
  ])('is fixed in the version of the fix: %s, and there is %s', async (before, after) => {
    const was = part(`pkg:gem/${before}`);
    const { opened } = await open([{ part: was, fixed: ['1.0.5'] }], [was]);
    await here.document(...closing(opened, grype(20, []), sbom(20, [part(`pkg:gem/${after}`)])));
    expect(await lastEvent(opened[0])).not.toHaveProperty('overrides');
  });
});

describe('another build of the package', () => {
  const DEB = 'pkg:deb/debian/curl@7.88.1-1?arch=amd64&distro=debian-12.5';
  test.each<[what: string, purl: string, codes: string[]]>([
    ['of another distribution', 'pkg:deb/debian/curl@8.5.0-2?arch=amd64&distro=debian-13', ['package_changed']],
    ['for another machine', 'pkg:deb/debian/curl@8.5.0-2?arch=arm64&distro=debian-12.5', ['package_changed']],
    ['of another vendor', 'pkg:deb/ubuntu/curl@8.5.0-2?arch=amd64&distro=debian-12.5', ['component_gone']],
    ['of another kind', 'pkg:npm/curl@8.5.0', ['component_gone']],
  ])('is not what was patched: %s', async (_, purl, codes) => {
    const { opened } = await open([{ part: part(DEB) }], [part(DEB)]);
    const line = closing(opened, grype(20, []), sbom(20, [part(purl)]));
    const expected = codes.map((code) => `remediation.${code}`);
    expect(await codesOf(line)).toEqual(expected);
    const { records } = await here.document(...line, '--reason', 'a new base image');
    expect(records[0].history.at(-1).overrides).toEqual(expected);
  });

  test('a point release of the distribution is the same one', async () => {
    const { opened } = await open([{ part: part(DEB) }], [part(DEB)]);
    const bom = sbom(20, [part('pkg:deb/debian/curl@7.88.1-2?arch=amd64&distro=debian-12.7')]);
    await here.document(...closing(opened, grype(20, []), bom));
    expect(await lastEvent(opened[0])).not.toHaveProperty('overrides');
  });
});

describe('a scan and the SBOM that it is said to be of', () => {
  test('a scan of something else opens nothing, unless somebody says why it counts', async () => {
    const line = on('open', '--scan', grype(10, [{ part: RIGHT }]), '--sbom', sbom(10, [LEFT]), ...owned);
    expect(await codesOf(line)).toEqual(['remediation.scan_unrelated']);
    const { records } = await here.document(...line, '--reason', 'the scanner has names of its own');
    expect(records[0].history[0]).toMatchObject({
      reason: expect.stringMatching(/^the scanner has names of its own; listed by grype/),
      overrides: ['remediation.scan_unrelated'],
    });
  });

  test('a scan of another version of the product is one of something else', async () => {
    const older = { part: part('pkg:npm/left-pad@0.9.0') };
    const line = on('open', '--scan', grype(10, [older]), '--sbom', sbom(10, [LEFT]), ...owned);
    expect(await codesOf(line)).toEqual(['remediation.scan_unrelated']);
  });

  test('a kept scan that names an SBOM by its digest is held against that one, also without --sbom', async () => {
    await open([{ part: LEFT }], [LEFT]);
    const kept = join(here.folder, `kept-${next}.json`);
    const other = grype(11, [{ id: 'CVE-2024-2', part: RIGHT }]);
    await here.run('scan', 'import', other, '--sbom', sbom(10, [LEFT]), '--record', kept);
    expect(await codesOf(on('open', '--scan', kept, ...owned))).toEqual(['remediation.scan_unrelated']);
  });

  test('a scan of something else closes nothing', async () => {
    const { opened } = await open([{ part: LEFT }], [LEFT]);
    const foreign = grype(20, [{ id: 'CVE-2024-2', part: part('pkg:npm/other@1.0.0') }]);
    const line = closing(opened, foreign, sbom(20, [LEFT_FIXED]));
    expect(await codesOf(line)).toEqual(['remediation.scan_unrelated']);
    const { records } = await here.document(...line, '--reason', 'looked at by hand');
    expect(records[0].history.at(-1).overrides).toEqual(['remediation.scan_unrelated']);
    const page = (await here.run(...on('show', opened[0]))).stdout.replace(/\s+/g, ' ');
    expect(page).toContain('(set aside: remediation.scan_unrelated)');
  });

  test('of a scan that matches in part the rest is named', async () => {
    const line = on('open', '--scan', grype(10, [{ part: LEFT }, { id: 'CVE-2024-2', part: RIGHT }]));
    const { exitCode, stderr } = await here.run(...line, '--sbom', sbom(10, [LEFT]), ...owned);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /warning not in the SBOM, of 2 components that .*grype\.json lists: pkg:npm\/right-pad@2\.0\.0/,
    );
  });

  test('an output that names another SBOM is refused, whatever anybody says', async () => {
    const { opened } = await open([{ part: LEFT }], [LEFT]);
    const vdr = (day: number) =>
      here.file(`vdr-${next}-${day}.json`, {
        bomFormat: 'CycloneDX',
        specVersion: '1.5',
        metadata: {
          timestamp: '2024-05-20T09:00:00Z',
          tools: [{ name: 'trivy', version: '0.40.0' }],
        },
        vulnerabilities: [
          {
            id: 'CVE-2024-7',
            affects: [{ ref: `${serial(day).replace('urn:uuid', 'urn:cdx')}/1#pkg:npm/left-pad@1.0.1` }],
          },
        ],
      });
    const line = (day: number) => [
      ...closing(opened, grype(20, []), sbom(20, [LEFT_FIXED]), '--reason', 'x'),
      ...['--scan', vdr(day), '--database-time', '2024-05-20T01:00:00Z'],
    ];
    expect(await codesOf(line(19))).toEqual(['remediation.scan_of_other_sbom']);
    await here.document(...line(20));
  });
});

describe('a scanner that falls silent', () => {
  const both = [{ part: LEFT }, { id: 'CVE-2024-2', part: RIGHT }];

  test('about a component that is unchanged closes nothing', async () => {
    const { opened, records } = await open(both, [LEFT, RIGHT]);
    const { id } = records.find(({ component }: { component: string }) => component === 'left-pad');
    const silent = closing([id], grype(20, []), sbom(20, [LEFT_FIXED, RIGHT]));
    expect(await here.refusal(...silent)).toMatchObject({
      code: 'remediation.scanner_silent',
      found: 'pkg:npm/right-pad@2.0.0',
    });
    await here.document(...silent, '--reason', 'its advisory was withdrawn');
    expect((await lastEvent(id)).overrides).toEqual(['remediation.scanner_silent']);
    expect(opened).toHaveLength(2);
  });

  test.each<[what: string, rest: Match[], components: Part[]]>([
    ['it still lists it', [{ id: 'CVE-2024-2', part: RIGHT }], [LEFT_FIXED, RIGHT]],
    ['it lists something else of it', [{ id: 'CVE-2024-3', part: RIGHT }], [LEFT_FIXED, RIGHT]],
    ['that was upgraded too', [], [LEFT_FIXED, part('pkg:npm/right-pad@2.0.1')]],
    ['that is gone', [], [LEFT_FIXED]],
  ])('and about others only where that can be: %s', async (_, rest, components) => {
    const { records } = await open(both, [LEFT, RIGHT]);
    const { id } = records.find(({ component }: { component: string }) => component === 'left-pad');
    await here.document(...closing([id], grype(20, rest), sbom(20, components)));
    expect(await lastEvent(id)).not.toHaveProperty('overrides');
  });

  test('an empty scan closes the only record there is', async () => {
    const { opened } = await open([{ part: LEFT, fixed: ['1.0.1'] }], [LEFT]);
    await here.document(...closing(opened, grype(20, []), sbom(20, [LEFT_FIXED])));
    expect(await lastEvent(opened[0])).not.toHaveProperty('overrides');
  });
});

describe('a deployment', () => {
  const line = (opened: string[], when: string, ...more: string[]) =>
    on(
      ...['close', ...opened, '--scan', grype(20, []), '--sbom', sbom(20, [LEFT_FIXED])],
      ...['--deployed-on', when, '--unsigned', ...more],
    );

  test.each(['2024-05-19', '2024-05-20T06:59:59Z'])('before the SBOM that proves it is refused: %s', async (when) => {
    const { opened } = await open([{ part: LEFT }], [LEFT]);
    expect(await codesOf(line(opened, when))).toEqual(['remediation.deployed_before_sbom']);
    await here.document(...line(opened, when, '--reason', 'the SBOM was made of what ran'));
    expect((await lastEvent(opened[0])).overrides).toEqual(['remediation.deployed_before_sbom']);
  });

  test('that was said before counts in the same way', async () => {
    const { opened } = await open([{ part: LEFT }], [LEFT]);
    await here.document(...on('update', opened[0], '--deployed-on', '2024-05-12'));
    const [, ...rest] = line(opened, 'x');
    const unsaid = ['remediation', ...rest.filter((word) => word !== '--deployed-on' && word !== 'x')];
    expect(await codesOf(unsaid)).toEqual(['remediation.deployed_before_sbom']);
  });

  test.each(['2024-05-20', '2024-05-20T07:00:00Z'])('on its day is in order: %s', async (when) => {
    const { opened } = await open([{ part: LEFT }], [LEFT]);
    await here.document(...line(opened, when));
    expect(await lastEvent(opened[0])).not.toHaveProperty('overrides');
  });
});

describe('vendored code', () => {
  const vendored = (name: string, value: string) => ({
    ...part('pkg:npm/own@1.0.0'),
    name: 'left-pad-vendored',
    version: '0.0.0-vendored',
    purl: undefined,
    properties: [{ name, value }],
  });

  test.each([
    ['vendor:source-package', 'left-pad@1.0.0'],
    ['acme:source-package', 'left-pad@v1.0.0'],
    ['vendor:source-package', 'pkg:npm/left-pad@1.0.0'],
  ])('of the vulnerable version is the component: %s %s', async (name, value) => {
    const { opened } = await open([{ part: LEFT }], [LEFT]);
    const line = closing(opened, grype(20, []), sbom(20, [RIGHT, vendored(name, value)]), '--reason', 'copied in');
    expect(await codesOf(line)).toEqual(['remediation.version_still_present']);
  });

  test('of a fixed version is in nobody’s way', async () => {
    const { opened } = await open([{ part: LEFT, fixed: ['1.0.1'] }], [LEFT]);
    const bom = sbom(20, [RIGHT, vendored('vendor:source-package', 'left-pad@1.0.1')]);
    const { records } = await here.document(...closing(opened, grype(20, []), bom));
    expect(records[0]).toMatchObject({ decision: 'patch', patch_version: '1.0.1' });
  });
});

describe('an advisory that was withdrawn', () => {
  const osv = (withdrawn?: string) =>
    here.file(`osv-${next}-${withdrawn === undefined}.json`, {
      results: [
        {
          source: { path: 'bom.json', type: 'sbom' },
          packages: [
            {
              package: { name: 'left-pad', version: '1.0.0', ecosystem: 'npm' },
              vulnerabilities: [{ id: 'GHSA-aaaa-bbbb-cccc', aliases: ['CVE-2024-1000'], summary: 's', withdrawn }],
              groups: [{ ids: ['GHSA-aaaa-bbbb-cccc'], aliases: ['CVE-2024-1000'] }],
            },
          ],
        },
      ],
    });

  test.each<[what: string, scan: () => string, said: RegExp]>([
    ['osv-scanner', () => osv('2024-05-02T00:00:00Z'), /withdrawn: 2024-05-02T00:00:00Z/],
    ['NVD', () => grype(10, [{ part: LEFT, description: 'Rejected reason: not a flaw' }]), /Rejected reason/],
    ['NVD once', () => grype(10, [{ part: LEFT, description: '** REJECT ** DO NOT USE' }]), /REJECT/],
    ['GitHub', () => grype(10, [{ part: LEFT, description: 'Withdrawn Advisory: none' }]), /Withdrawn Advisory/],
  ])('is opened, and says so everywhere: %s', async (_, scan, said) => {
    const line = on('open', '--scan', scan(), '--sbom', sbom(10, [LEFT]), ...owned);
    const { exitCode, stderr } = await here.run(...line);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(said)]);
    const [record] = await list();
    expect(record.sightings[0].withdrawn).toMatch(said);
    expect((await here.run(...on('list'))).stdout).toContain('under_investigation, withdrawn');
    expect((await here.run(...on('show', record.id))).stdout).toMatch(/^withdrawn +/m);
  });

  test('is learned of by a record that is open already, and taken back', async () => {
    const opened = async (scan: string) =>
      here.document(...on('open', '--scan', scan, '--sbom', sbom(10, [LEFT]), ...owned));
    await opened(osv());
    expect((await list())[0].sightings[0]).not.toHaveProperty('withdrawn');
    expect((await opened(osv('2024-05-02T00:00:00Z'))).updated).toHaveLength(1);
    const [record] = await list();
    expect(record.sightings[0].withdrawn).toMatch(/2024-05-02/);
    expect(record.history.at(-1).reason).toMatch(/does not count it: withdrawn/);
    expect((await opened(osv())).updated).toHaveLength(1);
    expect((await list())[0].sightings[0]).not.toHaveProperty('withdrawn');
  });
});

describe('a version that its ecosystem takes for none', () => {
  test.each([
    ['npm', '1.0.0', '1.0.0_1'],
    ['npm', '1.0.0', '1.0.0-'],
    ['npm', '1.0.0', '=1.0.0'],
    ['pypi', '1.0.0', '1.0.0_x'],
    ['maven/org.acme', '2.14.0', '=2.14.0'],
    ['deb/debian', '1.0-1', '1.0-1_'],
    ['gem', '1.0', '1.0_'],
    ['golang/x.example', 'v1.0.0', 'v1.0.0.'],
    ['composer/acme', '1.0.0', 'dev-main'],
    ['generic', '1.0', '1.0_'],
  ])('closes nothing by itself: %s %s as %s', async (type, before, after) => {
    const [old, other] = [before, after].map((version) => part(`pkg:${type}/thing@${encodeURIComponent(version)}`));
    const { opened } = await open([{ part: old!, fixed: ['9.9.9'] }], [old!]);
    const line = closing(opened, grype(20, []), sbom(20, [other!]));
    expect(await codesOf(line)).toEqual([expect.stringMatching(/^remediation\.version_(?:unreadable|alike)$/)]);
    await here.document(...line, '--reason', 'built from the branch with the fix');
    expect((await lastEvent(opened[0])).overrides).toEqual([
      expect.stringMatching(/^remediation\.version_(?:unreadable|alike)$/),
    ]);
  });
});

describe('an honest patch', () => {
  test('leaves the versions alone that were there before and that no scanner listed', async () => {
    const [unaffected, vulnerable, fixed] = ['1.9.0', '2.0.0', '2.0.1'].map((one) => part(`pkg:npm/left-pad@${one}`));
    const listed = [{ part: vulnerable!, fixed: ['2.0.1'] }];
    const { opened } = await open(listed, [unaffected!, vulnerable!]);
    // Who goes back to a version that was not there has to say why.
    const older = part('pkg:npm/left-pad@1.8.0');
    const codes = await codesOf(closing(opened, grype(20, []), sbom(20, [older, fixed!])));
    expect(codes).toEqual(['remediation.version_older']);
    await here.document(...closing(opened, grype(21, []), sbom(21, [unaffected!, fixed!])));
    const { action, overrides } = await lastEvent(opened[0]);
    expect({ action, overrides }).toEqual({ action: 'closed', overrides: undefined });
  });

  test.each([
    ['apk/alpine/musl', '1.2.4-r1', '1.2.4-r2', 'alpine-3.19.1', '3.19.2'],
    ['rpm/redhat/bash', '5.1-1.el9', '5.1-2.el9', 'rhel-9.2', 'redhat-9.4'],
    ['deb/debian/bash', '5.1-1', '5.1-2', 'debian-12', '12.5'],
  ])('is one where another generator names the distribution otherwise: %s', async (name, before, after, one, other) => {
    const old = part(`pkg:${name}@${before}?distro=${one}`);
    const fixed = part(`pkg:${name}@${after}?distro=${other}`);
    const { opened } = await open([{ part: old, fixed: [after] }], [old]);
    await here.document(...closing(opened, grype(20, []), sbom(20, [fixed])));
    const { action, overrides } = await lastEvent(opened[0]);
    expect({ action, overrides }).toEqual({ action: 'closed', overrides: undefined });
  });
});
