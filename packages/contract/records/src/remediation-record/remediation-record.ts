import type { XStatic } from 'typebox/schema';
import type { ReadOnly } from '../record-schema/read-only.ts';
import type { remediationRecordSchema } from './remediation-record-schema.ts';

type Stated = ReadOnly<XStatic<typeof remediationRecordSchema>>;

/**
 * What is done about one CVE in one component of one product (contract §2.9, every field; null is what is not known
 * yet). The fields after `sla_compliance` are ours. The closing signature is over the canonical JSON (RFC 8785) of the
 * closed record in which that field is null.
 */
export type RemediationRecord = Omit<Stated, 'history'> & { readonly history: readonly RemediationEvent[] };

/**
 * One change of a record: who made it, when, and from what to what. `by` is an e-mail address, the subject of a
 * certificate, or `colophon` for what happened by itself; `overrides` are absent where the reason set nothing aside.
 */
export type RemediationEvent = Omit<Stated['history'][number], 'changes'> & {
  readonly changes: Readonly<Record<string, readonly [from: unknown, to: unknown]>>;
};

/** A document that a record rests on, kept by its digest; `name` is a file name without folders. */
export type EvidenceReference = Stated['evidence'][number];

/** What one scanner says of the vulnerability here; the newest scan of each scanner that listed it. */
export type Sighting = Stated['sightings'][number];

/** What a record was closed by, or that it was set aside. */
export type Resolution = NonNullable<Stated['resolution']>;

/** One scan, by what makes it comparable with another one. */
export type RecordedScan = Extract<Resolution, { readonly kind: 'rescan' }>['scans'][number];

/** The SBOM that a scan was of: what tells a newer one from an older one. */
export type RecordedSbom = NonNullable<RecordedScan['sbom']>;

/** The signature over a closed or voided record: the digest of its bundle, which is kept with the evidence. */
export type ClosingSignature = NonNullable<Stated['closing_signature']>;
