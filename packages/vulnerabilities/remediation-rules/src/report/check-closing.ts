import type { RemediationEvent, RemediationRecord, Resolution, ScannedSbom } from '@colophon/records';
import type { VexDocument } from '@colophon/vex';
import { evidenceOf } from '../remediation/record-evidence.ts';
import { type RemediationIssue, withoutOverridden } from '../remediation/remediation-issue.ts';
import { DEFAULT_REMEDIATION_POLICY } from '../remediation/remediation-policy.ts';
import { listedNoMore, type RescanProof, rescanIssues } from '../remediation/rescan-proof.ts';
import { type KeptScan, recordedSbom, recordedScan } from '../remediation/sighting.ts';
import { statementIssues } from '../remediation/statement-proof.ts';
import { nameOf, otherWords, sightingDifferences } from './check-sightings.ts';
import type { RecordTimeline } from './record-timeline.ts';
import { type RecordedClosing, recordedClosing } from './recorded-closing.ts';
import type { ReportDifference } from './report-difference-result.ts';

/** An SBOM as a proof needs it. */
export type ProofSbom = Pick<RescanProof, 'components' | 'vendored'> & {
  readonly sbom: ScannedSbom;
  /** What a VEX statement may call the documented artifact. */
  readonly identifiers: readonly string[];
};

/** The documents that a closing rests on, by digest; undefined for what is not there or cannot be read. */
export type ClosingDocuments = {
  sbom(digest: string): ProofSbom | undefined;
  scan(digest: string): KeptScan | undefined;
  vex(digest: string): VexDocument | undefined;
};

/** What a closing turns out to be. */
export type CheckedClosing = {
  readonly record: RemediationRecord;
  /** None where it was proven. */
  readonly differences: readonly ReportDifference[];
  /** Codes of the conditions that a person's reason set aside, sorted. */
  readonly overrides: readonly string[];
};

/** Digests of every document that has to be read to check a closing. */
export function documentsOfClosing(record: RemediationRecord): Readonly<Record<'sbom' | 'scan' | 'vex', Set<string>>> {
  const { resolution, sightings } = record;
  const seenIn = sightings.flatMap(({ sbom }) => sbom?.digest ?? []);
  const scans = new Set([...evidenceOf(record, 'scan'), ...sightings.map(({ scan }) => scan)]);
  if (resolution?.kind === 'rescan') {
    for (const { scan } of resolution.scans) scans.add(scan);
    return { sbom: new Set([...seenIn, resolution.sbom.digest]), scan: scans, vex: new Set() };
  }
  const vex = resolution?.kind === 'statement' ? [resolution.document] : [];
  return { sbom: new Set(seenIn), scan: scans, vex: new Set(vex) };
}

/**
 * The proof of a closed record once more, by the rules by which it was closed, from the documents alone. What is not
 * asked again: who may look after it, and who may speak in VEX, which a policy said that is not among the documents.
 * @param others every record that the report knows of
 */
export function checkClosing(
  record: RemediationRecord,
  others: RecordTimeline,
  documents: ClosingDocuments,
): CheckedClosing {
  const closing = recordedClosing(record);
  if (closing === undefined) {
    return failed(record, [unproven(record, 'an event that closes it, as the last of its history', 'another one')]);
  }
  const seen = sightingDifferences(record, documents);
  const { resolution } = record;
  const checked =
    resolution?.kind === 'rescan'
      ? checkRescan(record, closing, resolution, others, documents)
      : resolution?.kind === 'statement'
        ? checkStatement(record, closing, resolution, documents)
        : failed(record, [unproven(record, 'a proof', 'none')]);
  return { ...checked, differences: [...seen, ...checked.differences] };
}

function failed(record: RemediationRecord, differences: readonly ReportDifference[]): CheckedClosing {
  return { record, differences, overrides: [] };
}

function checkRescan(
  record: RemediationRecord,
  { open, event }: RecordedClosing,
  resolution: Extract<Resolution, { kind: 'rescan' }>,
  others: RecordTimeline,
  documents: ClosingDocuments,
): CheckedClosing {
  const sbom = documents.sbom(resolution.sbom.digest);
  const scans = resolution.scans.flatMap(({ scan }) => documents.scan(scan) ?? []);
  if (sbom === undefined || scans.length < resolution.scans.length) {
    const found = sbom === undefined ? `no SBOM ${resolution.sbom.digest}` : 'not all of the scans';
    return failed(record, [unproven(record, 'the SBOM and the scans that it was closed with', found)]);
  }
  const isStated = 'date_deployed' in event.changes || 'deployed_at' in event.changes;
  const deployed = record.deployed_at ?? record.date_deployed;
  const proof: RescanProof = {
    kind: 'rescan',
    ...sbom,
    scans,
    before: open.sightings.flatMap((one) => documents.sbom(one.sbom?.digest ?? '')?.components ?? []),
    ...(isStated && deployed !== null && { deployed }),
  };
  const asked = { at: event.at, by: event.by, others: others.openBefore(record.product, event.at) };
  const reason = statedReason(event, listedNoMore(proof));
  const { issues, overrides } = withoutOverridden([...rescanIssues(open, proof, asked)], reason);
  const shown: Resolution = {
    kind: 'rescan',
    sbom: recordedSbom(sbom.sbom),
    scans: scans.map((scan) => recordedScan(scan)),
  };
  const other = otherWords(resolution, shown);
  return {
    record,
    overrides,
    differences: [
      ...issues.map((issue) => ofIssue(record, issue)),
      ...(other === '' ? [] : [unproven(record, 'what the SBOM and the scans say of themselves', other)]),
      ...unrecorded(record, event, overrides),
    ],
  };
}

/**
 * The words of a person before those of the program; undefined where there are none. What the program says after its
 * first words differs from one version of it to the next.
 */
function statedReason({ reason }: RemediationEvent, ofProgram: string): string | undefined {
  if (reason === undefined || reason.startsWith(ofProgram)) return undefined;
  const end = reason.indexOf(`; ${ofProgram}`);
  return end < 0 ? reason : reason.slice(0, end);
}

/** This one a reason has always set aside; older histories say the reason, and not the code. */
const ALWAYS_BY_REASON = 'remediation.component_gone';

function unrecorded(
  record: RemediationRecord,
  { overrides: recorded = [] }: RemediationEvent,
  overrides: readonly string[],
): ReportDifference[] {
  const silent = overrides.filter((code) => code !== ALWAYS_BY_REASON && !recorded.includes(code));
  if (silent.length === 0) return [];
  return [
    {
      code: 'report.override_unrecorded',
      path: nameOf(record),
      expected: `${silent.join(', ')} among the overrides of its history`,
      found: recorded.join(', ') || 'none',
    },
  ];
}

/** What only a policy or a verified signature decides; signatures over VEX documents are verified on their own. */
const NOT_OF_THE_DOCUMENT = /^remediation\.sign(?:er|ature)_/;

function checkStatement(
  record: RemediationRecord,
  { open, event }: RecordedClosing,
  resolution: Extract<Resolution, { kind: 'statement' }>,
  documents: ClosingDocuments,
): CheckedClosing {
  const document = documents.vex(resolution.document);
  if (document === undefined) {
    return failed(record, [unproven(record, 'the VEX document that it was closed with', resolution.document)]);
  }
  const seenIn = [...new Set(open.sightings.flatMap(({ sbom }) => sbom?.digest ?? []))];
  const products = [...seenIn, ...seenIn.flatMap((digest) => documents.sbom(digest)?.identifiers ?? [])];
  const proof = { kind: 'statement', document, digest: resolution.document, products } as const;
  const context = { at: event.at, by: event.by, policy: DEFAULT_REMEDIATION_POLICY };
  const issues = [...statementIssues(open, proof, context)].filter(({ code }) => !NOT_OF_THE_DOCUMENT.test(code));
  return { record, overrides: [], differences: issues.map((issue) => ofIssue(record, issue)) };
}

function ofIssue(record: RemediationRecord, { code, message, expected, found }: RemediationIssue): ReportDifference {
  return unproven(record, expected ?? message, `${code}: ${message}${found === undefined ? '' : `; ${found}`}`);
}

function unproven(record: RemediationRecord, expected: string, found: string): ReportDifference {
  return { code: 'report.closing_unproven', path: nameOf(record), expected, found };
}
