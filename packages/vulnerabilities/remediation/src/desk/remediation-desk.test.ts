import { join } from 'node:path';
import { enrichFindings, type KnownExploitedCatalog } from '@colophon/findings';
import type { Finding, ScanRecord } from '@colophon/records';
import { DEFAULT_REMEDIATION_POLICY } from '@colophon/remediation-rules';
import { openSqlDatabase, type SqlDatabase } from '@colophon/store';
import { temporaryFolder } from '@colophon/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ClosingFiles } from './closing.ts';
import { type OpenRequest, RemediationDesk, signedBytes } from './remediation-desk.ts';
import { readInventory } from './sbom-inventory.ts';

const BY = 'dana@example.com';
const FOUND_AT = '2026-11-02T08:00:00Z';
const CLOSED_AT = '2026-11-12T09:00:00Z';
const utf8 = new TextEncoder();

let db: SqlDatabase;
let desk: RemediationDesk;
const cleanUps: Array<() => void> = [];
beforeEach(async () => {
  db = await openSqlDatabase(
    join(
      temporaryFolder((work) => cleanUps.push(work)),
      'remediation.db',
    ),
  );
  desk = await RemediationDesk.over(db);
});
afterEach(async () => {
  await db.close();
  for (const work of cleanUps.splice(0)) work();
});

function sbomFile(build: number, version: string) {
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:00000000-0000-4000-8000-00000000000${build}`,
    version: 1,
    metadata: {
      timestamp: `2026-11-0${build}T07:00:00Z`,
      component: { type: 'application', name: 'shop', version: `1.0.${build}`, purl: `pkg:generic/shop@1.0.${build}` },
    },
    components: ['left-pad', 'right-pad'].map((name) => ({
      type: 'library',
      name,
      version,
      purl: `pkg:npm/${name}@${version}`,
    })),
  };
  return { name: `shop-${build}.cdx.json`, bytes: utf8.encode(JSON.stringify(bom)) };
}
const OLD = sbomFile(2, '1.3.0');
const NEW = sbomFile(9, '1.3.1');

function findingOf(cve: string, name: string): Finding {
  return {
    id: cve,
    severity: 'high',
    cvss: { score: 7.5 },
    component: { name, version: '1.3.0', purl: `pkg:npm/${name}@1.3.0` },
    fixedInVersions: ['1.3.1'],
    description: '',
    aliases: [],
    reportedBy: [],
  };
}
const FINDINGS = [findingOf('CVE-2026-1000', 'left-pad'), findingOf('CVE-2026-1001', 'right-pad')];

function scanOf(sbom: typeof OLD, findings: readonly Finding[], at = FOUND_AT): ScanRecord {
  const inventory = readInventory(sbom.bytes);
  if (!inventory.ok) throw new Error('unreadable');
  return {
    format: 'colophon-scan/v1',
    scanner: { name: 'grype', databaseBuiltAt: at },
    scannedAt: at,
    sbom: inventory.value.sbom,
    source: { name: 'grype.json', digest: `sha256:${'0'.repeat(64)}` },
    findings,
    unread: [],
  };
}

function catalogOf(...ids: string[]): KnownExploitedCatalog {
  const entries = new Map(ids.map((cveID) => [cveID, { cveID }] as const));
  return { catalogVersion: '2026.11.05', count: ids.length, entries };
}

function request(findings = FINDINGS, more: Partial<OpenRequest> = {}): OpenRequest {
  const scan = scanOf(OLD, findings);
  const enriched = enrichFindings(findings, catalogOf(), { at: FOUND_AT });
  const who = { by: BY, owner: BY, trackingId: 'SEC-1', policy: DEFAULT_REMEDIATION_POLICY };
  return { at: FOUND_AT, scans: [{ scan, findings: enriched }], sbom: OLD, ...who, ...more };
}

const rescan = (findings: readonly Finding[] = []): ClosingFiles => ({
  kind: 'rescan',
  sbom: NEW,
  scans: [scanOf(NEW, findings, '2026-11-10T08:00:00Z')],
  deployed: '2026-11-11',
});
const closing = { at: CLOSED_AT, by: BY, policy: DEFAULT_REMEDIATION_POLICY, files: rescan() };

test('what is opened is kept with the documents that it rests on', async () => {
  const { opened } = await desk.open(request());
  expect(await desk.list({}, FOUND_AT)).toEqual(opened);
  for (const { digest, kind } of opened[0]!.evidence) expect((await desk.document(digest)).kind).toBe(kind);
  const sbom = opened[0]!.evidence.find(({ kind }) => kind === 'sbom')!;
  expect((await desk.document(sbom.digest)).bytes).toEqual(OLD.bytes);
  expect((await desk.open(request())).unchanged).toHaveLength(2);
});

test('two scans at once are one record of each, with what both know', async () => {
  const trivy = { ...scanOf(OLD, FINDINGS), scanner: { name: 'trivy', databaseBuiltAt: FOUND_AT } };
  const [grype] = request().scans;
  const { opened } = await desk.open(request(FINDINGS, { scans: [grype!, { ...grype!, scan: trivy }] }));
  expect(opened.map(({ sightings }) => sightings.map(({ scanner }) => scanner))).toEqual([
    ['grype', 'trivy'],
    ['grype', 'trivy'],
  ]);
});

test('who opens the same at the same time makes one record of it', async () => {
  const openings = await Promise.all(Array.from({ length: 4 }, () => desk.open(request())));
  expect(openings.flatMap(({ opened }) => opened)).toHaveLength(2);
  expect(await desk.list({}, FOUND_AT)).toHaveLength(2);
});

test('a record is named by its id, the beginning of it, or its CVE in any spelling', async () => {
  const { opened } = await desk.open(request());
  const { id } = opened[0]!;
  for (const name of [id, id.slice(0, 8), id.toUpperCase().slice(0, 12), 'CVE-2026-1000', ' cve-2026-1000 ']) {
    expect((await desk.find(name, FOUND_AT)).id).toBe(id);
  }
  await expect(desk.find('CVE-2026-1009', FOUND_AT)).rejects.toMatchObject({
    code: 'remediation.record_unknown',
    facts: { found: expect.stringContaining('CVE-2026-1000') },
  });
  await expect(desk.find('', FOUND_AT)).rejects.toMatchObject({ code: 'remediation.record_unknown' });
  await desk.open(request([findingOf('CVE-2026-1000', 'right-pad')]));
  await expect(desk.find('CVE-2026-1000', FOUND_AT)).rejects.toMatchObject({ code: 'remediation.record_ambiguous' });
  expect(await desk.findAll('CVE-2026-1000', FOUND_AT)).toHaveLength(2);
});

test('a record that cannot be read is in the way of no other one', async () => {
  const { opened } = await desk.open(request());
  const broken = opened.find(({ cve }) => cve === 'CVE-2026-1001')!;
  await db.write([{ text: "UPDATE remediation SET document = '{}' WHERE id = ?", values: [broken.id], changes: 1 }]);
  for (const name of ['CVE-2026-1000', opened.find((one) => one !== broken)!.id]) {
    expect(await desk.find(name, FOUND_AT)).toMatchObject({ cve: 'CVE-2026-1000' });
    expect(await desk.findAll(name, FOUND_AT)).toHaveLength(1);
  }
  expect(await desk.list({ cve: 'CVE-2026-1000' }, FOUND_AT)).toHaveLength(1);
  await expect(desk.find(broken.id, FOUND_AT)).rejects.toMatchObject({ code: 'remediation.field_missing' });
});

test('what is open is listed first, and of that what is due soonest', async () => {
  const scored = (cve: string, score: number) => ({ ...findingOf(cve, 'left-pad'), cvss: { score } });
  await desk.open(request([...FINDINGS, scored('CVE-2026-1002', 9.8), scored('CVE-2026-1003', 4)]));
  await desk.close(['CVE-2026-1002'], closing);
  const listed = await desk.list({}, FOUND_AT);
  expect(listed.map(({ cve }) => cve)).toEqual(['CVE-2026-1000', 'CVE-2026-1001', 'CVE-2026-1003', 'CVE-2026-1002']);
});

test('what merely got another package URL is seen by the SBOM that is kept, and what had it before is not', async () => {
  const withMore = ({ name, bytes }: typeof OLD, ...purls: string[]) => {
    const bom = JSON.parse(new TextDecoder().decode(bytes));
    const more = purls.map((purl) => ({ type: 'library', name: 'left-pad', version: '1.3.0', purl }));
    return { name, bytes: utf8.encode(JSON.stringify({ ...bom, components: [...bom.components, ...more] })) };
  };
  const webjar = 'pkg:maven/org.webjars/left-pad@1.3.0';
  const old = withMore(OLD, webjar);
  await desk.open(request(FINDINGS, { sbom: old, scans: [{ ...request().scans[0]!, scan: scanOf(old, FINDINGS) }] }));
  const close = (...purls: string[]) => {
    const sbom = withMore(NEW, ...purls);
    const files = { ...rescan(), sbom, scans: [scanOf(sbom, [], '2026-11-10T08:00:00Z')] } as ClosingFiles;
    return desk.close(['CVE-2026-1000'], { ...closing, files });
  };
  await expect(close(webjar, 'pkg:generic/left-pad@1.3.0')).rejects.toMatchObject({
    code: 'remediation.version_still_present',
    facts: { found: 'pkg:generic/left-pad@1.3.0' },
  });
  expect(await close(webjar)).toMatchObject([{ vex_status: 'fixed' }]);
});

test('what was taken in under another name is still what it was made from', async () => {
  await desk.open(request());
  const vendored = (version: string, name = 'left-pad') => ({
    type: 'library',
    name: 'padding-vendored',
    version: '0.0.0-vendored',
    pedigree: {
      ancestors: [{ name: 'middle', pedigree: { ancestors: [{ name, version, purl: `pkg:npm/${name}@${version}` }] } }],
    },
  });
  const close = (component: object, more: object = {}) => {
    const bom = JSON.parse(new TextDecoder().decode(NEW.bytes));
    const sbom = { ...NEW, bytes: utf8.encode(JSON.stringify({ ...bom, components: [component] })) };
    const files = { ...rescan(), sbom, scans: [scanOf(sbom, [], '2026-11-10T08:00:00Z')] } as ClosingFiles;
    return desk.close(['CVE-2026-1000'], { ...closing, files, ...more });
  };
  await expect(close(vendored('1.3.0'), { reason: 'removed' })).rejects.toMatchObject({
    code: 'remediation.version_still_present',
    facts: { found: 'pkg:npm/left-pad@1.3.0' },
  });
  await expect(close(vendored('1.3.0', 'tail-pad'))).rejects.toMatchObject({ code: 'remediation.component_gone' });
  expect(await close(vendored('1.3.1'))).toMatchObject([{ decision: 'patch', patch_version: '1.3.1' }]);
});

test('what an SBOM holds that is no text is nothing', () => {
  const bom = JSON.parse(new TextDecoder().decode(NEW.bytes));
  const components = [{ name: 'a', version: 1, purl: [], pedigree: { ancestors: [7, { name: 8 }] } }, { name: null }];
  const inventory = readInventory(utf8.encode(JSON.stringify({ ...bom, components })));
  expect(inventory).toMatchObject({ ok: true, value: { components: [{ name: 'shop' }, { name: 'a' }] } });
});

test('of two who change the same record at once one gets a conflict, and nothing of it is written', async () => {
  await desk.open(request());
  const change = (tracking_id: string) =>
    desk.update(['CVE-2026-1000'], { tracking_id }, { at: CLOSED_AT, by: BY, policy: DEFAULT_REMEDIATION_POLICY });
  const results = await Promise.allSettled([change('SEC-2'), change('SEC-3')]);
  const lost = results.filter(({ status }) => status === 'rejected');
  expect(lost).toEqual([expect.objectContaining({ reason: expect.objectContaining({ code: 'store.conflict' }) })]);
  const record = await desk.find('CVE-2026-1000', CLOSED_AT);
  expect(record.history).toHaveLength(2);
  expect(['SEC-2', 'SEC-3']).toContain(record.tracking_id);
});

test('a change that one of several records does not take is made to none', async () => {
  await desk.open(request());
  const context = { at: CLOSED_AT, by: BY, policy: DEFAULT_REMEDIATION_POLICY };
  await desk.update(['CVE-2026-1000'], { decision: 'patch' }, context);
  const both = desk.update(['CVE-2026-1000', 'CVE-2026-1001'], { vex_status: 'affected' }, context);
  await expect(both).rejects.toMatchObject({ code: 'vex.transition_action_missing' });
  expect((await desk.list({}, CLOSED_AT)).map(({ vex_status }) => vex_status)).toEqual([
    'under_investigation',
    'under_investigation',
  ]);
});

test('a change that some of several records say already is made to the others, and to none a second time', async () => {
  await desk.open(request());
  const context = { at: CLOSED_AT, by: BY, policy: DEFAULT_REMEDIATION_POLICY };
  await desk.update(['CVE-2026-1000'], { tracking_id: 'SEC-2' }, context);
  const both = () => desk.update(['CVE-2026-1000', 'CVE-2026-1001'], { tracking_id: 'SEC-2' }, context);
  const changed = await both();
  expect(changed.map(({ cve }) => cve).sort()).toEqual(['CVE-2026-1000', 'CVE-2026-1001']);
  expect(changed.map(({ tracking_id, history }) => [tracking_id, history.length])).toEqual([
    ['SEC-2', 2],
    ['SEC-2', 2],
  ]);
  await expect(both()).rejects.toMatchObject({ code: 'remediation.nothing_to_change' });
});

test('closed records are signed over their canonical form, and the signature is kept', async () => {
  await desk.open(request());
  const signed: Uint8Array[] = [];
  const sign = async (canonical: Uint8Array) => {
    signed.push(canonical);
    return { bundle: utf8.encode(`{"over":${signed.length}}`), signer: `reviewer:${BY}` };
  };
  const records = await desk.close(['CVE-2026-1000', 'CVE-2026-1001'], { ...closing, sign });
  expect(records.map(({ state, vex_status }) => `${state} ${vex_status}`)).toEqual(['closed fixed', 'closed fixed']);
  for (const [index, record] of (await Promise.all(records.map(({ id }) => desk.find(id, CLOSED_AT)))).entries()) {
    expect(signedBytes(record)).toEqual(signed[index]);
    expect(JSON.parse(new TextDecoder().decode(signed[index]))).toMatchObject({
      id: record.id,
      closing_signature: null,
    });
    expect(record.closing_signature).toMatchObject({ signer: `reviewer:${BY}` });
    const bundle = await desk.document(record.closing_signature!.bundle);
    expect(new TextDecoder().decode(bundle.bytes)).toBe(`{"over":${index + 1}}`);
  }
  const sbom = records[0]!.evidence.filter(({ kind }) => kind === 'sbom');
  expect(await Promise.all(sbom.map(async ({ digest }) => (await desk.document(digest)).name))).toEqual([
    OLD.name,
    NEW.name,
  ]);
});

test('nobody is asked to sign what does not hold, for any of the records', async () => {
  await desk.open(request());
  const sign = () => Promise.reject(new Error('asked'));
  const component = { name: 'right-pad', version: '1.3.1', purl: 'pkg:npm/right-pad@1.3.1' };
  const files = rescan([{ ...FINDINGS[1]!, component }]);
  await expect(desk.close(['CVE-2026-1000', 'CVE-2026-1001'], { ...closing, files, sign })).rejects.toMatchObject({
    code: 'remediation.still_listed',
  });
  expect(await desk.list({ isOpen: true }, CLOSED_AT)).toHaveLength(2);
});

test('a signer that fails leaves the record open', async () => {
  await desk.open(request());
  const sign = () => Promise.reject(new Error('the log is down'));
  await expect(desk.close(['CVE-2026-1000'], { ...closing, sign })).rejects.toThrow('the log is down');
  expect((await desk.find('CVE-2026-1000', CLOSED_AT)).state).toBe('open');
});

test('a statement may call the product by what the kept SBOM says that it is', async () => {
  await desk.open(request());
  const vex = { name: 'shop.vex.json', bytes: utf8.encode('{}') };
  const files = (purl: string): ClosingFiles => ({
    kind: 'statement',
    vex,
    document: {
      shape: 'openvex',
      statements: [
        {
          vulnerability: { name: 'CVE-2026-1000' },
          timestamp: FOUND_AT,
          products: [{ purl, subcomponents: [{ purl: 'pkg:npm/left-pad' }] }],
          status: 'not_affected',
          justification: 'vulnerable_code_not_present',
        },
      ],
    },
    signature: {
      name: 'shop.vex.json.asc',
      bytes: utf8.encode('signature'),
      verified: {
        digest: 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
        signer: BY,
        names: [BY],
        isPerson: true,
      },
    },
  });
  await expect(desk.close(['CVE-2026-1000'], { ...closing, files: files('pkg:generic/till') })).rejects.toMatchObject({
    code: 'remediation.statement_missing',
  });
  const [closed] = await desk.close(['CVE-2026-1000'], { ...closing, files: files('pkg:generic/shop') });
  expect(closed).toMatchObject({ vex_status: 'not_affected', affected: false });
  expect(closed!.evidence.map(({ kind }) => kind).sort()).toEqual(['sbom', 'scan', 'signature', 'vex']);
});

test('a catalog raises open records once, and answers with them', async () => {
  await desk.open(request());
  const actor = { at: '2026-11-05T00:00:00Z', by: 'colophon' };
  const raised = await desk.escalate(catalogOf('CVE-2026-1000'), actor);
  expect(raised).toEqual([expect.objectContaining({ cve: 'CVE-2026-1000', remediation_priority: 'high-exploited' })]);
  expect(await desk.escalate(catalogOf('CVE-2026-1000'), actor)).toEqual([]);
  const [first] = await desk.list({}, actor.at);
  expect(first).toMatchObject({ cve: 'CVE-2026-1000', due_at: '2026-11-07T00:00:00Z' });
});

test('a record that somebody changed in the database is not believed', async () => {
  const { opened } = await desk.open(request());
  const { id } = opened[0]!;
  const text = "UPDATE remediation SET document = REPLACE(document, 'under_investigation', 'fixed') WHERE id = ?";
  await db.write([{ text, values: [id] }]);
  await expect(desk.list({}, FOUND_AT)).rejects.toMatchObject({ code: 'remediation.field_invalid' });
});

test('an unreadable SBOM closes nothing', async () => {
  await desk.open(request());
  const files = { ...rescan(), sbom: { name: 'x.json', bytes: utf8.encode('{}') } } as ClosingFiles;
  await expect(desk.close(['CVE-2026-1000'], { ...closing, files })).rejects.toMatchObject({
    code: 'remediation.sbom_incomplete',
  });
});
