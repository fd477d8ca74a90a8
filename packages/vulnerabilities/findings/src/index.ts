export type { CvssVersion } from './cvss/cvss-metrics.ts';
export { AliasGroups, MOST_CVES } from './finding/alias-groups.ts';
export {
  type AssessmentOptions,
  assessFindings,
  assessFindingsList,
} from './finding/assess-findings.ts';
export type { AssessmentNote } from './finding/assessment-note.ts';
export { BUILD_QUALIFIERS, buildQualifier } from './finding/build-qualifier.ts';
export { combinedFindings } from './finding/combined-findings.ts';
export {
  identifyComponent,
  purlType,
  sameComponent,
  statedVersion,
} from './finding/component-identity.ts';
export { ComponentLookup } from './finding/component-lookup.ts';
export type { ExploitationClaim } from './finding/exploitation-claim.ts';
export { isUncounted } from './finding/finding.ts';
export { parseFindings } from './finding/parse-findings.ts';
export { AssessmentMemory } from './finding/read-reported.ts';
export type { ReportedVulnerability, StatedScore } from './finding/reported-vulnerability.ts';
export type { ScannerReading } from './finding/scan.ts';
export { isScanRecord, parseScanRecord, scanRecord } from './finding/scan-record.ts';
export { isCve, isMalformedCve, normaliseVulnerabilityId } from './finding/vulnerability-id.ts';
export { withdrawalOf } from './finding/withdrawn-advisory.ts';
export { acceptCatalog } from './known-exploited/accept-catalog.ts';
export type { KnownExploitedCatalog, KnownExploitedEntry } from './known-exploited/catalog.ts';
export { type CatalogAge, catalogAge } from './known-exploited/catalog-age.ts';
export type { EntryChange } from './known-exploited/catalog-changes-result.ts';
export { parseCveId } from './known-exploited/catalog-entry.ts';
export { type CatalogChanges, compareCatalogs, compareEntries } from './known-exploited/compare-catalogs.ts';
export { disputeNotes } from './known-exploited/disputed-exploitation.ts';
export { enrichFindings, findEntry } from './known-exploited/enrich-findings.ts';
export { MAX_CATALOG_BYTES, parseCatalog } from './known-exploited/parse-catalog.ts';
export { decidePriority, dueAt, PRIORITY_HOURS, type PriorityInput } from './priority/priority.ts';
