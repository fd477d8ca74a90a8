import type { EvidenceReference, RemediationRecord } from '@colophon/records';

/** The documents that a record rests on with some more; each is named once. */
export function withEvidence(
  known: readonly EvidenceReference[],
  more: readonly EvidenceReference[],
): readonly EvidenceReference[] {
  const all = new Map([...known, ...more].map((one) => [`${one.kind} ${one.digest}`, one] as const));
  return [...all.values()];
}

/** Digests of the documents of one kind that a record rests on, in their order. */
export function evidenceOf(
  { evidence }: Pick<RemediationRecord, 'evidence'>,
  wanted: EvidenceReference['kind'],
): readonly string[] {
  return evidence.flatMap(({ kind, digest }) => (kind === wanted ? [digest] : []));
}
