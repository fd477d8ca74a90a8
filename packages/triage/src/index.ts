export { DAY_MS, dayNumber, dayOf, formatDay, formatInstant, parseInstant } from './calendar/calendar.ts';
export type { Cvss, Finding, FindingReport } from './finding/finding.ts';
export type { FindingComponent, ReportedVulnerability, StatedScore } from './finding/reported-vulnerability.ts';
export type { ScannedSbom, Scanner, ScannerReading, ScanRecord, UnreadEntry } from './finding/scan.ts';
export { SEVERITIES, type Severity } from './finding/severity.ts';
export type { KnownExploitedCatalog, KnownExploitedEntry } from './known-exploited/catalog.ts';
export { type EnrichmentOptions, enrichFindings, findEntry } from './known-exploited/enrich-findings.ts';
export type { CisaKev, EnrichedFinding } from './known-exploited/enriched-finding.ts';
export {
  decidePriority,
  dueAt,
  PRIORITY_HOURS,
  type PriorityInput,
  REMEDIATION_PRIORITIES,
  type RemediationPriority,
} from './priority/priority.ts';
export {
  type ClosingSignature,
  DECISIONS,
  type Decision,
  type EvidenceReference,
  type RecordedSbom,
  type RecordedScan,
  type RemediationEvent,
  type RemediationRecord,
  type Resolution,
  type Sighting,
  SLA_COMPLIANCES,
  type SlaCompliance,
} from './remediation/remediation-record.ts';
export {
  VEX_JUSTIFICATIONS,
  VEX_STATUSES,
  type VexDocument,
  type VexFormat,
  type VexJustification,
  type VexProduct,
  type VexStatement,
  type VexStatus,
  type VexSubject,
} from './vex/vex-document.ts';
