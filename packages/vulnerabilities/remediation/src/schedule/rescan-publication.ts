import { assessFindings, enrichFindings, type KnownExploitedCatalog, scanRecord } from '@colophon/findings';
import { fetchPublication, type PublishingSource } from '@colophon/publishing';
import type { PublicationName } from '@colophon/publishing/publication-rules';
import { digestOf, type EnrichedFinding, type ScannedSbom, type ScanRecord } from '@colophon/records';
import type { Opening, RemediationPolicy } from '@colophon/remediation-rules';
import { readScannerOutput, runScanner, type ScannerRequest, type ScannerRun } from '@colophon/scanners';
import { type CatalogStore, DocumentStore, type SqlDatabase } from '@colophon/store';
import { newestCatalog } from '../catalog-refresh/kept-catalog.ts';
import { documentOf, type EvidenceFile, keepScan } from '../desk/evidence.ts';
import { RemediationDesk } from '../desk/remediation-desk.ts';
import { readInventory } from '../desk/sbom-inventory.ts';
import { RefusedDocument } from './refused-document.ts';
import type { Rescanned } from './rescan-job.ts';

/** Who is named in the history of what a schedule does. */
const BY = 'colophon';

export type RescanPublicationOptions = {
  readonly source: PublishingSource;
  readonly name: PublicationName;
  readonly db: SqlDatabase;
  readonly catalogs: CatalogStore;
  readonly scanner?: ScannerRequest['scanner'];
  readonly env: NodeJS.ProcessEnv;
  readonly policy: RemediationPolicy;
  /** For records that are opened; an e-mail address. */
  readonly owner?: string | undefined;
  /** RFC 3339 in UTC. */
  readonly now: () => string;
  readonly signal: AbortSignal;
  /** Stands in for an installed scanner. */
  readonly run?: (request: ScannerRequest) => Promise<ScannerRun>;
};

/**
 * Scans a published SBOM and opens records for what it lists. An open record that the same scanner lists no more stays
 * open, since only a person closes one: SBOM and scan are kept for that (contract §3).
 * @throws what fetching, scanning and opening throw
 */
export async function rescanPublication(options: RescanPublicationOptions): Promise<Rescanned> {
  const { source, name, db, catalogs, policy, owner, now, signal } = options;
  const { document: bytes } = await fetchPublication(source, name);
  const scans = await scansOf(bytes, options);
  // What begins to be written now is not to be cut off, and nothing is begun after the end.
  signal.throwIfAborted();
  const at = now();
  const kept = await newestCatalog(catalogs);
  const catalog: KnownExploitedCatalog = kept?.catalog ?? { catalogVersion: '', count: 0, entries: new Map() };
  const desk = await RemediationDesk.over(db);
  const sbom: EvidenceFile = { name: `${name.artifact}-${name.version}.cdx.json`, bytes };
  const toOpen = scans.map((scan) => ({ scan, findings: enrichFindings(scan.findings, catalog, { at }) }));
  const opening = await desk.open({
    scans: toOpen,
    sbom,
    product: name.artifact,
    policy,
    at,
    by: BY,
    ...(kept !== undefined && { catalogVersion: kept.catalog.catalogVersion }),
    ...(owner !== undefined && { owner }),
  });
  const gone = await goneFrom(desk, opening, scans, name.artifact, at);
  if (gone > 0) {
    const documents = scans.map((scan) => keepScan(scan, at).document);
    await (await DocumentStore.open(db)).put([documentOf('sbom', sbom, at), ...documents]);
  }
  const disputed = toOpen.flatMap(({ findings }) => findings).filter(isDisputed).length;
  return {
    findings: scans.reduce((sum, { findings }) => sum + findings.length, 0),
    opened: opening.opened.length,
    reopened: opening.reopened.length,
    gone,
    ...(disputed > 0 && { disputed }),
  };
}

/** Whether a scanner calls it exploited, and the catalog does not have it. */
function isDisputed({ cisa_kev }: EnrichedFinding): boolean {
  return cisa_kev.disputed_by !== undefined;
}

async function scansOf(bytes: Uint8Array, options: RescanPublicationOptions): Promise<readonly ScanRecord[]> {
  const { name, scanner, env, signal, run = runScanner } = options;
  const scanned = await run({ scanner, target: { kind: 'sbom', bytes }, env, signal });
  const read = readScannerOutput(scanned.output);
  if (!read.ok) {
    const [first] = read.issues;
    throw new RefusedDocument(
      first?.code ?? 'scan.invalid',
      `${scanned.scanner.name}: ${first?.message ?? 'no findings'}`,
    );
  }
  const inventory = readInventory(bytes);
  const sbom: ScannedSbom = inventory.ok ? inventory.value.sbom : { digest: digestOf(bytes) };
  const source = {
    name: `${name.artifact}-${name.version}.${scanned.scanner.name}.json`,
    digest: digestOf(scanned.output),
  };
  return read.value.map((reading) => {
    // What an output does not say of its scanner is known from the run.
    const whole = { scannedAt: scanned.startedAt, ...reading, scanner: { ...scanned.scanner, ...reading.scanner } };
    return scanRecord(whole, assessFindings([reading], { at: scanned.startedAt }).findings, source, sbom);
  });
}

/** How many open records of the product were seen by these scanners and are listed by none of them now. */
async function goneFrom(
  desk: RemediationDesk,
  { opened, reopened, updated, unchanged }: Opening,
  scans: readonly ScanRecord[],
  product: string,
  at: string,
): Promise<number> {
  const listed = new Set([...opened, ...reopened, ...updated, ...unchanged].map(({ id }) => id));
  const scanners = new Set(scans.map(({ scanner }) => scanner.name));
  const open = await desk.list({ isOpen: true, product }, at);
  return open.filter(({ id, sightings }) => !listed.has(id) && sightings.some((one) => scanners.has(one.scanner)))
    .length;
}
