import type { XStatic } from 'typebox/schema';
import type { ReadOnly } from '../record-schema/read-only.ts';
import type { findingSchema } from './finding-schema.ts';

/**
 * One vulnerability in one component (contract §2.7), by any scanner. Beside the contract's fields: the other names
 * of the vulnerability, when it became public, and who said what. `id` is the CVE in capitals, another id only where no
 * CVE is known; `aliases` are sorted, `reportedBy` by scanner and id.
 */
export type Finding = ReadOnly<XStatic<typeof findingSchema>>;

/** The component that has it. */
export type FindingComponent = Finding['component'];

/** A score with the vector that it was recomputed from; without a vector it is what a scanner stated. */
export type Cvss = NonNullable<Finding['cvss']>;

/** What one scanner said of a finding, where several may speak of the same. */
export type FindingReport = Finding['reportedBy'][number];
