import { openSource } from '@colophon/publishing';
import { DEFAULT_REMEDIATION_POLICY as policy } from '@colophon/remediation-rules';
import { CatalogStore, DocumentStore, openSqlDatabase } from '@colophon/store';
import { expect, onTestFinished, test } from 'vitest';
import { publishedPlace, sbomOf, scannerWith } from '../../test/published-place.ts';
import { RemediationDesk } from '../desk/remediation-desk.ts';
import { type RescanPublicationOptions, rescanPublication } from './rescan-publication.ts';

const NOW = '2026-11-21T13:00:00Z';
const SHOP = { artifact: 'shop', version: '1.0.0' };

/** A place with one SBOM, and a desk over an empty database. */
async function published() {
  const db = await openSqlDatabase(':memory:');
  onTestFinished(() => db.close());
  const source = await openSource(await publishedPlace(['shop', '1.0.0', 'left@1.0.0']), { env: {} });
  const [catalogs, desk] = [await CatalogStore.open(db), await RemediationDesk.over(db)];
  const rescan = (vulnerable: Record<string, string>, more: Partial<RescanPublicationOptions> = {}) =>
    rescanPublication({
      ...{ source, name: SHOP, db, catalogs, env: {}, policy, now: () => NOW },
      signal: new AbortController().signal,
      run: scannerWith(vulnerable),
      ...more,
    });
  return { db, catalogs, desk, rescan };
}

test('what a scan lists is opened once, in the name of the schedule, however often it is scanned', async () => {
  const { desk, rescan } = await published();
  const vulnerable = { 'left@1.0.0': 'CVE-2026-0001 CVE-2026-0002' };
  expect(await rescan(vulnerable, { owner: 'dana@example.com' })).toEqual({
    findings: 2,
    opened: 2,
    reopened: 0,
    gone: 0,
  });
  expect(await rescan(vulnerable)).toEqual({ findings: 2, opened: 0, reopened: 0, gone: 0 });
  const records = await desk.list({ isOpen: true }, NOW);
  expect(records.map(({ cve, product, owner, scanner }) => [cve, product, owner, scanner])).toEqual([
    ['CVE-2026-0001', 'shop', 'dana@example.com', 'grype'],
    ['CVE-2026-0002', 'shop', 'dana@example.com', 'grype'],
  ]);
  expect(records[0]?.history).toMatchObject([{ action: 'opened', by: 'colophon', at: NOW }]);
  expect(records[0]?.sightings[0]).toMatchObject({ database_built_at: '2026-11-21T12:00:00Z' });
});

test('what becomes known after the release is opened later', async () => {
  const { desk, rescan } = await published();
  await rescan({});
  expect(await desk.list({}, NOW)).toEqual([]);
  expect(await rescan({ 'left@1.0.0': 'CVE-2026-0003' })).toMatchObject({ opened: 1 });
});

test('the kept catalog decides how urgent it is', async () => {
  const { catalogs, desk, rescan } = await published();
  const bytes = new TextEncoder().encode(
    '{"catalogVersion":"2026.11.21","count":1,"vulnerabilities":[{"cveID":"CVE-2026-0001"}]}',
  );
  const digest = `sha256:${Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')}`;
  await catalogs.add({ digest, catalogVersion: '2026.11.21', feed: 'kev.json', fetchedAt: NOW, count: 1 }, bytes);
  await rescan({ 'left@1.0.0': 'CVE-2026-0001 CVE-2026-0002' });
  const records = await desk.list({}, NOW);
  expect(records.map(({ cve, cisa_kev, remediation_priority }) => [cve, cisa_kev, remediation_priority])).toEqual([
    ['CVE-2026-0001', true, 'high-exploited'],
    ['CVE-2026-0002', false, 'high'],
  ]);
});

test('what the scanner calls exploited and the kept catalog does not have is counted', async () => {
  const { desk, rescan } = await published();
  const run = scannerWith({ 'left@1.0.0': 'CVE-2026-0001 CVE-2026-0002' });
  const exploiting: typeof run = async (request) => {
    const ran = await run(request);
    const text = new TextDecoder()
      .decode(ran.output)
      .replaceAll('"CVE-2026-0002"', '"CVE-2026-0002","knownExploited":[{"cve":"CVE-2026-0002"}]');
    return { ...ran, output: new TextEncoder().encode(text) };
  };
  expect(await rescan({}, { run: exploiting })).toMatchObject({ opened: 2, disputed: 1 });
  expect((await desk.list({}, NOW)).map(({ cve, sightings }) => [cve, sightings[0]?.exploited])).toEqual([
    ['CVE-2026-0001', undefined],
    ['CVE-2026-0002', 'CVE-2026-0002'],
  ]);
});

test('what is listed no more stays open, and what closes it is kept', async () => {
  const { db, desk, rescan } = await published();
  await rescan({ 'left@1.0.0': 'CVE-2026-0001 CVE-2026-0002' });
  const documents = await DocumentStore.open(db);
  const before = (await documents.list('scan')).length;
  expect(await rescan({ 'left@1.0.0': 'CVE-2026-0002' })).toEqual({ findings: 1, opened: 0, reopened: 0, gone: 1 });
  expect(await desk.list({ isOpen: true }, NOW)).toHaveLength(2);
  expect(await documents.list('scan')).toHaveLength(before + 1);
  const [sbom] = await documents.list('sbom');
  expect((await documents.get(sbom!.digest))?.bytes).toEqual(sbomOf('shop', '1.0.0', 'left@1.0.0'));
});

test('the silence of another scanner says nothing', async () => {
  const { rescan } = await published();
  await rescan({ 'left@1.0.0': 'CVE-2026-0001' });
  const trivy: RescanPublicationOptions['run'] = async () => ({
    scanner: { name: 'trivy', version: '0.66.0' },
    output: new TextEncoder().encode('{"SchemaVersion":2,"ArtifactName":"x","ArtifactType":"cyclonedx","Results":[]}'),
    startedAt: NOW,
    log: '',
  });
  expect(await rescan({}, { run: trivy })).toMatchObject({ findings: 0, gone: 0 });
});

test.each([
  ['is no output of a scanner', async () => ({ output: new TextEncoder().encode('{"a":1}') }), /^scan\./],
  ['is no JSON', async () => ({ output: new TextEncoder().encode('Segmentation fault') }), /^(?:scan|json)\./],
])('what %s opens nothing and has its code', async (_title, said, code) => {
  const { desk, rescan } = await published();
  const run: RescanPublicationOptions['run'] = async () => ({
    ...{ scanner: { name: 'grype' }, startedAt: NOW, log: '' },
    ...(await said()),
  });
  await expect(rescan({}, { run })).rejects.toMatchObject({ code: expect.stringMatching(code) });
  expect(await desk.list({}, NOW)).toEqual([]);
});

test('a scan of something else opens nothing, by the same rule as at the desk', async () => {
  const { desk, rescan } = await published();
  const run: RescanPublicationOptions['run'] = (request) => {
    const bytes = sbomOf('shop', '1.0.0', 'right@1.0.0');
    return scannerWith({ 'right@1.0.0': 'CVE-2026-0001' })({ ...request, target: { kind: 'sbom', bytes } });
  };
  await expect(rescan({}, { run })).rejects.toMatchObject({ code: 'remediation.scan_unrelated' });
  expect(await desk.list({}, NOW)).toEqual([]);
});

test('nothing is written once the run is ended', async () => {
  const { desk, rescan } = await published();
  const controller = new AbortController();
  const run: RescanPublicationOptions['run'] = async (request) => {
    const scanned = await scannerWith({ 'left@1.0.0': 'CVE-2026-0001' })(request);
    controller.abort(new Error('lost'));
    return scanned;
  };
  await expect(rescan({}, { run, signal: controller.signal })).rejects.toThrow('lost');
  expect(await desk.list({}, NOW)).toEqual([]);
});

test('a version that is not published any more is an error', async () => {
  const { rescan } = await published();
  await expect(rescan({}, { name: { artifact: 'shop', version: '2.0.0' } })).rejects.toMatchObject({
    code: 'publishing.not_found',
  });
});
