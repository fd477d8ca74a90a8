import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRemediationRecord } from '@colophon/remediation-rules';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CONTEXT, type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let database: string;
let next = 0;

beforeAll(async () => {
  here = await install(cleanup);
});
beforeEach(() => {
  database = join(here.folder, `records-${next++}.db`);
});

/** An SBOM of the shop as it was built on a day of May 2024. */
function sbom(day: number, version: string): string {
  const purl = `pkg:maven/org.apache.logging.log4j/log4j-core@${version}`;
  const serial = String(day).padStart(12, '0');
  return here.file(`shop-${day}.cdx.json`, {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:00000000-0000-4000-8000-${serial}`,
    version: 1,
    metadata: {
      timestamp: `2024-05-${day}T07:00:00Z`,
      component: {
        type: 'application',
        'bom-ref': 'shop',
        name: 'shop',
        version: `1.0.${day}`,
        purl: 'pkg:generic/shop',
      },
    },
    components: [{ type: 'library', 'bom-ref': 'log4j', name: 'log4j-core', version, purl }],
  });
}

/** What grype says of it on that day. */
function grype(day: number, version?: string): string {
  const matches = version === undefined ? [] : [matchOf(version)];
  const db = { status: { built: `2024-05-${day}T01:00:00Z`, valid: true } };
  const descriptor = { name: 'grype', version: '0.100.0', timestamp: `2024-05-${day}T09:00:00Z`, db };
  return here.file(`grype-${day}-${matches.length}.json`, {
    matches,
    source: { type: 'sbom-file' },
    distro: {},
    descriptor,
  });
}

function matchOf(version: string) {
  const id = 'CVE-2021-44228';
  const cvss = [{ version: '3.1', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', metrics: { baseScore: 10 } }];
  return {
    vulnerability: {
      id,
      namespace: 'nvd:cpe',
      severity: 'Critical',
      cvss,
      fix: { versions: ['2.15.0'], state: 'fixed' },
    },
    relatedVulnerabilities: [],
    matchDetails: [],
    artifact: {
      name: 'log4j-core',
      version,
      type: 'java-archive',
      purl: `pkg:maven/org.apache.logging.log4j/log4j-core@${version}`,
    },
  };
}

const on = (...line: string[]) => ['remediation', ...line, '--database', database];
const open = (...more: string[]) =>
  here.document(...on('open', '--scan', grype(10, '2.14.1'), '--sbom', sbom(10, '2.14.1'), ...more));
const owned = ['--owner', 'dana@example.com', '--tracking-id', 'SEC-7'];
const rescan = () => ['--scan', grype(20), '--sbom', sbom(20, '2.17.1'), '--deployed-on', '2024-05-21'];
const refused = async (...line: string[]) => {
  const { exitCode, code, ...error } = await here.refusal(...on(...line));
  return { said: `${exitCode} ${code}`, ...error };
};

describe('from a scan to a signed record', () => {
  test('a record is opened, decided on, closed by a silent re-scan, signed, and opened again where it comes back', async () => {
    const { opened, records } = await open(...owned);
    expect(records).toMatchObject([
      { cve: 'CVE-2021-44228', date_discovered: '2024-05-10', sla_compliance: 'overdue' },
    ]);
    const [id] = opened;
    await here.document(...on('update', id.slice(0, 6), '--decision', 'patch', '--status', 'affected'));

    const out = join(here.folder, 'closed.json');
    const closed = await here.document(
      ...on('close', 'cve-2021-44228', ...rescan(), '--reviewer', 'dana@example.com', '--out', out),
    );
    expect(closed.records).toMatchObject([
      { vex_status: 'fixed', patch_version: '2.17.1', days_to_remediate: 11, sla_compliance: 'out_of_sla' },
    ]);
    expect(closed.records[0].closing_signature.signer).toBe('reviewer:dana@example.com');
    const pinned = ['--certificate-identity', 'reviewer:dana@example.com', '--certificate-oidc-issuer', here.url];
    await here.document('verify-blob', out, '--document', '--bundle', `${out}.sigstore.json`, ...pinned);

    expect(await here.document(...on('verify', id, ...pinned))).toMatchObject({
      ok: true,
      record_id: id,
      vulnerability: 'CVE-2021-44228',
      signature: { is_person: true },
    });
    const others = ['--certificate-identity', 'reviewer:eve@example.com', '--certificate-oidc-issuer', here.url];
    expect((await here.refusal(...on('verify', id, ...others))).exitCode).toBe(12);

    // A name in the history is only written there; who signed stands apart.
    const page = (await here.run(...on('show', id))).stdout;
    for (const line of page.split('\n')) {
      expect(line.trim().includes(' ') ? line.length : 0, line).toBeLessThanOrEqual(80);
    }
    expect(page).toMatch(/^\S+ +opened +\S+ \(declared\)/m);
    expect(page).toMatch(/^\S+ +closed +dana@example\.com \(declared\)/m);
    expect(page).toMatch(/^signed by +reviewer:dana@example\.com, bundle$/m);

    const kept = join(here.folder, 'kept.sigstore.json');
    const { exitCode } = await here.run(...on('evidence', closed.records[0].closing_signature.bundle, '--out', kept));
    expect(exitCode).toBe(0);
    expect(readFileSync(kept)).toEqual(readFileSync(`${out}.sigstore.json`));
    const bundle = Buffer.from(closed.records[0].closing_signature.bundle.slice('sha256:'.length), 'hex');
    const printed = await here.run(...on('evidence', `sha256-${bundle.toString('base64')}`));
    expect(printed.stdout).toBe(readFileSync(kept, 'utf8'));

    const again = ['open', '--scan', grype(25, '2.14.1'), '--sbom', sbom(25, '2.14.1')];
    expect(await here.document(...on(...again))).toMatchObject({ opened: [], reopened: [id] });
    expect(await refused('verify', id, ...pinned)).toMatchObject({ said: '10 cli.no_signature' });
    const { record } = await here.document(...on('show', id));
    expect(record.history.map(({ action }: { action: string }) => action)).toEqual([
      'opened',
      'updated',
      'closed',
      'reopened',
    ]);
  });

  test('another signer’s bundle beside --out stays, and the record stays open', async () => {
    const { opened } = await open(...owned);
    const out = here.file('taken.json', 'somebody else’s');
    await here.document('sign-blob', out, ...CONTEXT);
    const before = [readFileSync(out), readFileSync(`${out}.sigstore.json`)];
    const close = (file: string) => ['close', opened[0], ...rescan(), '--reviewer', 'dana@example.com', '--out', file];
    expect(await refused(...close(out))).toMatchObject({ said: '1 cli.file_taken', checked: `${out}.sigstore.json` });
    const plain = here.file('plain.json', '');
    here.file('plain.json.sigstore.json', 'no bundle');
    expect(await refused(...close(plain))).toMatchObject({ said: '1 cli.file_taken' });
    expect([readFileSync(out), readFileSync(`${out}.sigstore.json`)]).toEqual(before);
    const { record } = await here.document(...on('show', opened[0]));
    expect(record.history.map(({ action }: { action: string }) => action)).toEqual(['opened']);

    // Her own may be replaced: by the record after it was opened and closed again.
    const own = join(here.folder, 'own.json');
    await here.document(...on(...close(own)));
    const first = readFileSync(`${own}.sigstore.json`);
    await here.document(...on('open', '--scan', grype(25, '2.14.1'), '--sbom', sbom(25, '2.14.1')));
    const later = ['--scan', grype(27), '--sbom', sbom(27, '2.17.1'), '--deployed-on', '2024-05-27'];
    await here.document(...on('close', opened[0], ...later, '--reviewer', 'dana@example.com', '--out', own));
    expect(readFileSync(`${own}.sigstore.json`)).not.toEqual(first);
  });

  test('a component that is gone is closed over the word of a person', async () => {
    await open(...owned);
    const bom = JSON.parse(readFileSync(sbom(20, '2.17.1'), 'utf8'));
    const components = [{ type: 'library', name: 'tiny-log', version: '1.0.0', purl: 'pkg:maven/acme/tiny-log@1.0.0' }];
    const files = ['--scan', grype(20), '--sbom', here.file('shop-without.cdx.json', { ...bom, components })];
    const closing = ['close', 'CVE-2021-44228', ...files, '--deployed-on', '2024-05-21', '--unsigned'];
    expect(await refused(...closing)).toMatchObject({
      said: '20 remediation.component_gone',
      found: 'new in it: pkg:maven/acme/tiny-log@1.0.0',
    });
    const { records } = await here.document(...on(...closing, '--reason', ' replaced by tiny-log '));
    expect(records[0]).toMatchObject({ vex_status: 'fixed', decision: 'remove' });
    expect(records[0].history.at(-1).reason).toMatch(/^replaced by tiny-log; grype lists it no more/);
  });

  test('what is exported is what is listed, and every record of it can be read', async () => {
    await open(...owned);
    const file = join(here.folder, 'records.json');
    expect((await here.run(...on('export', '--out', file))).exitCode).toBe(0);
    const records = JSON.parse(readFileSync(file, 'utf8'));
    expect(records.map((record: unknown) => parseRemediationRecord(record).ok)).toEqual([true]);
    expect(await here.document(...on('list'))).toEqual({ ok: true, records });
  });

  test('a signed statement closes it as not affected, in the words of the product', async () => {
    const { opened } = await open(...owned);
    const vex = join(here.folder, 'shop.vex.json');
    const about = ['--vulnerability', 'CVE-2021-44228', '--product', 'pkg:generic/shop'];
    const part = ['--subcomponent', 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1'];
    const why = ['--status', 'not_affected', '--justification', 'vulnerable_code_not_in_execute_path'];
    expect(
      (await here.run('vex', 'create', ...about, ...part, ...why, '--author', 'dana@example.com', '--out', vex))
        .exitCode,
    ).toBe(0);
    const pinned = ['--certificate-identity', 'reviewer:dana@example.com', '--certificate-oidc-issuer', here.url];
    const close = ['close', opened[0], '--vex', vex, '--unsigned', ...pinned];
    expect(await refused(...close)).toMatchObject({ said: '10 cli.no_signature' });
    await here.document('vex', 'sign', vex, '--reviewer', 'dana@example.com');
    const policy = here.file('eve.yaml', 'version: 1\nvex: { authors: [{ signers: ["reviewer:eve@example.com"] }] }\n');
    expect(await refused(...close, '--remediation-policy', policy)).toMatchObject({
      said: '20 remediation.signer_not_allowed',
    });
    const { records } = await here.document(...on(...close));
    expect(records).toMatchObject([{ vex_status: 'not_affected', affected: false, closing_signature: null }]);
  });
});

describe('what is refused', () => {
  test('every condition that is not met is told at once, with what was expected and found', async () => {
    const { opened } = await open(...owned);
    const proof = ['--scan', grype(10, '2.14.1'), '--sbom', sbom(10, '2.14.1')];
    const { said, issues } = await refused('close', opened[0], ...proof, '--unsigned');
    expect(said).toBe('20 remediation.sbom_not_newer');
    expect(issues.map(({ code }: { code: string }) => code)).toEqual([
      'remediation.sbom_not_newer',
      'remediation.sbom_not_later',
      'remediation.version_still_present',
      'remediation.still_listed',
      'remediation.deployment_missing',
    ]);
    expect(issues[2]).toMatchObject({
      expected: '2.15.0',
      found: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
    });
    const { exitCode, stderr } = await here.run(...on('close', opened[0], ...proof, '--unsigned'));
    expect(exitCode).toBe(20);
    for (const { message } of issues) expect(stderr).toContain(message);
  });

  test.each<[said: string, line: string[]]>([
    ['1 cli.usage', ['close', 'ID', '--unsigned']],
    ['1 cli.usage', ['close', 'ID', '--sbom', 'x', '--unsigned']],
    ['1 cli.usage', ['close', 'ID', '--scan', 'x', '--sbom', 'y', '--vex', 'z', '--unsigned']],
    ['1 cli.no_signer', ['close', 'ID', '--scan', 'x', '--sbom', 'y']],
    ['1 cli.no_signer', ['close', 'ID', '--scan', 'x', '--sbom', 'y', '--unsigned', '--reviewer', 'dana@example.com']],
    ['1 cli.usage', ['close', 'ID', 'ID', '--scan', 'x', '--sbom', 'y', '--unsigned', '--out', 'z']],
    ['1 cli.usage', ['close', 'ID', '--scan', 'x', '--sbom', 'y', '--unsigned', '--out', 'z']],
    ['1 cli.usage', ['update']],
    ['1 cli.usage', ['update', 'ID', '--owner', 'eve@example.com', '--by', 'Dana']],
    ['1 cli.usage', ['update', 'ID', '--status', 'exploited']],
    ['1 remediation.owner_invalid', ['update', 'ID', '--owner', 'Dana']],
    ['1 remediation.date_invalid', ['update', 'ID', '--deployed-on', '21.5.2024']],
    ['1 remediation.date_in_future', ['update', 'ID', '--deployed-on', '2999-01-01']],
    ['1 cli.usage', ['update', 'ID']],
    ['1 remediation.nothing_to_change', ['update', 'ID', '--decision', 'undecided']],
    ['20 remediation.status_needs_proof', ['update', 'ID', '--status', 'fixed']],
    ['11 remediation.record_unknown', ['show', 'CVE-2021-44229']],
    ['11 remediation.record_unknown', ['update', '--vulnerability', 'CVE-2021-44229', '--owner', 'eve@example.com']],
  ])('%s: %j', async (said, line) => {
    const { opened } = await open(...owned);
    expect(await refused(...line.map((word) => (word === 'ID' ? opened[0] : word)))).toMatchObject({ said });
  });

  test('a CVE whose records are all closed is not updated in silence', async () => {
    await open(...owned);
    await here.document(...on('close', 'CVE-2021-44228', ...rescan(), '--unsigned'));
    const line = ['update', '--vulnerability', 'CVE-2021-44228', '--owner', 'eve@example.com'];
    expect(await refused(...line)).toMatchObject({ said: '20 remediation.already_closed' });
  });

  test('a list that a misspelt name empties says that there are others', async () => {
    await open(...owned);
    expect((await here.run(...on('list', '--product-name', 'Shpo'))).stdout).toContain(
      'no such record among 1: colophon remediation list',
    );
    expect(await here.document(...on('list', '--product-name', 'Shpo'))).toMatchObject({ records: [] });
    expect((await here.run(...on('list', '--closed'))).stdout).toBe('no records\n');
  });

  test('a document that nobody kept is not found', async () => {
    await open(...owned);
    const { exitCode, stderr } = await here.run(...on('evidence', '0'.repeat(64)));
    expect(exitCode).toBe(11);
    expect(stderr).toContain('remediation.document_unknown');
  });

  test('nothing was recorded where nobody opened anything', async () => {
    expect(await refused('list')).toMatchObject({ said: '11 cli.no_database' });
  });

  test.each<[said: string, more: string[]]>([
    ['1 remediation.owner_invalid', ['--owner', 'Dana Example']],
    ['11 cli.not_listed', ['--vulnerability', 'CVE-2021-44229']],
    ['1 cli.usage', ['--priority', 'urgent']],
    ['20 remediation.sbom_other_artifact', ['--product-name', 'till']],
  ])('nothing is opened: %s with %j', async (said, more) => {
    const line = ['open', '--scan', grype(10, '2.14.1'), '--sbom', sbom(10, '2.14.1'), ...more];
    expect(await refused(...line)).toMatchObject({ said });
  });

  test('a policy decides when an owner is needed', async () => {
    const policy = here.file('policy.yaml', 'version: 1\nowner: { required: opening }\n');
    const line = ['open', '--scan', grype(10, '2.14.1'), '--sbom', sbom(10, '2.14.1'), '--remediation-policy'];
    expect(await refused(...line, policy)).toMatchObject({ said: '20 remediation.owner_missing' });
    const broken = here.file('broken.yaml', 'version: 1\nowners: {}\n');
    expect(await refused(...line, broken)).toMatchObject({ said: '1 cli.policy_invalid' });
  });

  test('what a policy wants of a missing owner and tracking id is told of both', async () => {
    const policy = here.file(
      'both.yaml',
      'version: 1\nname: acme\nowner: { required: opening }\ntracking_id: { required: opening, pattern: "ACME-[0-9]+" }\n',
    );
    const line = ['open', '--scan', grype(10, '2.14.1'), '--sbom', sbom(10, '2.14.1'), '--remediation-policy', policy];
    const { issues } = await refused(...line);
    expect(issues).toMatchObject([
      { path: '--owner', message: expect.stringContaining('policy acme requires an owner') },
      { path: '--tracking-id', message: expect.stringContaining('ACME-[0-9]+') },
    ]);
  });
});

test('what is opened can be chosen, and a scan without SBOM or database says later what it lacks', async () => {
  const lower = await open('--vulnerability', ' cve-2021-44228 ', '--priority', 'critical');
  expect(lower.opened).toHaveLength(1);
  expect(await open('--priority', 'standard')).toMatchObject({ records: [] });
  const urgent = await here.document(...on('list', '--priority', 'critical', '--priority', 'high'));
  expect(urgent.records).toHaveLength(1);
  expect(await here.document(...on('list', '--priority', 'standard'))).toMatchObject({ records: [] });
  const bare = ['open', '--scan', grype(10, '2.14.1'), '--product-name', 'till', ...owned];
  const { opened } = await here.document(...on(...bare));
  expect(await refused('close', opened[0], ...rescan(), '--unsigned')).toMatchObject({
    issues: expect.arrayContaining([expect.objectContaining({ code: 'remediation.sbom_unknown' })]),
  });
});

test('a catalog makes records more urgent, and people see it in the list', async () => {
  await open(...owned);
  const catalog = here.file('kev.json', {
    catalogVersion: '2024.05.11\u001b[2J',
    count: 1,
    vulnerabilities: [{ cveID: 'CVE-2021-44228' }],
  });
  const { records } = await here.document(...on('escalate', '--kev', catalog));
  expect(records).toMatchObject([{ remediation_priority: 'critical-exploited', cisa_kev: true }]);
  expect(await here.document(...on('escalate', '--kev', catalog))).toMatchObject({ records: [] });
  // What a catalog calls itself stays on its line.
  expect((await here.run(...on('escalate', '--kev', catalog))).stdout).toContain('catalog 2024.05.11\\u{1b}[2J says');
  const { stdout } = await here.run(...on('list', '--overdue', '--wide'));
  expect(stdout).toMatch(/critical-exploited +CVE-2021-44228 +log4j-core .* OVERDUE 2024-05-17T09:00:00Z/);
  expect(await here.document(...on('list', '--closed'))).toMatchObject({ records: [] });
});
