import { enrichFindings, type KnownExploitedCatalog } from '@colophon/findings';
import type { Finding, RemediationRecord, ScannedSbom, ScanRecord } from '@colophon/records';
import { type Opening, type OpeningContext, openRecords } from '../src/remediation/open-records.ts';
import type { RemediationIssue, RemediationResult } from '../src/remediation/remediation-issue.ts';
import { DEFAULT_REMEDIATION_POLICY } from '../src/remediation/remediation-policy.ts';
import type { RescanProof } from '../src/remediation/rescan-proof.ts';
import type { KeptScan } from '../src/remediation/sighting.ts';

export const FOUND_AT = '2026-11-02T08:00:00Z';
export const CLOSED_AT = '2026-11-12T09:00:00Z';
export const LOG4J = {
  name: 'log4j-core',
  version: '2.14.1',
  purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
};
export const BY = 'dana@example.com';

export const digestOf = (character: string) => `sha256:${character.repeat(64)}`;

export function findingOf(more: Partial<Finding> = {}): Finding {
  return {
    id: 'CVE-2021-44228',
    severity: 'critical',
    cvss: { score: 10 },
    component: LOG4J,
    fixedInVersions: ['2.15.0'],
    description: '',
    aliases: ['GHSA-jfh8-c2jp-5v3q'],
    reportedBy: [],
    ...more,
  };
}

export function sbomOf(more: Partial<ScannedSbom> = {}): ScannedSbom {
  return {
    digest: digestOf('a'),
    serialNumber: 'urn:uuid:00000000-0000-4000-8000-000000000001',
    version: 1,
    timestamp: '2026-11-02T07:00:00Z',
    artifact: 'shop',
    artifactVersion: '1.0.0',
    ...more,
  };
}

/** The SBOM of the build after the patch. */
export const NEWER_SBOM = sbomOf({
  digest: digestOf('b'),
  serialNumber: 'urn:uuid:00000000-0000-4000-8000-000000000002',
  timestamp: '2026-11-10T07:00:00Z',
  artifactVersion: '1.0.1',
});

export function scanOf(more: Partial<ScanRecord> = {}, digest = digestOf('c')): KeptScan {
  const record: ScanRecord = {
    format: 'colophon-scan/v1',
    scanner: { name: 'grype', version: '0.90.0', databaseBuiltAt: '2026-11-01T00:00:00Z' },
    scannedAt: FOUND_AT,
    sbom: sbomOf(),
    source: { name: 'grype.json', digest: digestOf('0') },
    findings: [findingOf()],
    unread: [],
    ...more,
  };
  return { record, digest, name: 'grype.json' };
}

/** Silent, of the newer SBOM, with a newer database. */
export function rescanOf(more: Partial<ScanRecord> = {}): KeptScan {
  return scanOf(
    {
      scanner: { name: 'grype', version: '0.91.0', databaseBuiltAt: '2026-11-09T00:00:00Z' },
      scannedAt: '2026-11-10T08:00:00Z',
      sbom: NEWER_SBOM,
      findings: [],
      ...more,
    },
    digestOf('d'),
  );
}

export function proofOf(more: Partial<RescanProof> = {}): RescanProof {
  return {
    kind: 'rescan',
    sbom: NEWER_SBOM,
    components: [{ ...LOG4J, version: '2.17.1', purl: LOG4J.purl.replace('2.14.1', '2.17.1') }],
    scans: [rescanOf()],
    deployed: '2026-11-11',
    ...more,
  };
}

export function catalogOf(...ids: string[]): KnownExploitedCatalog {
  const entries = new Map(ids.map((cveID) => [cveID, { cveID }] as const));
  return { catalogVersion: '2026.11.05', count: ids.length, entries };
}

type Opened = Partial<Omit<OpeningContext, 'scan'>> & {
  readonly scan?: KeptScan;
  readonly exploited?: readonly string[];
};

/** Opens everything that a scan lists. */
export function openAll({ exploited = [], scan = scanOf(), ...more }: Opened = {}): RemediationResult<Opening> {
  const at = more.at ?? FOUND_AT;
  return openRecords(enrichFindings(scan.record.findings, catalogOf(...exploited), { at }), {
    at,
    by: BY,
    scan,
    catalogVersion: '2026.11.01',
    owner: BY,
    trackingId: 'SEC-1',
    policy: DEFAULT_REMEDIATION_POLICY,
    known: [],
    ...more,
  });
}

export function done<T>(result: RemediationResult<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.issues, null, 1));
  return result.value;
}

export function codesOf(
  result: RemediationResult<unknown> | { ok: false; issues: readonly RemediationIssue[] },
): string[] {
  return result.ok ? [] : result.issues.map(({ code }) => code);
}

/** The one record of the story. */
export function openedRecord(more: Opened = {}): RemediationRecord {
  return done(openAll(more)).opened[0]!;
}
