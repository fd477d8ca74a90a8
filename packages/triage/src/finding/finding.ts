import type { FindingComponent } from './reported-vulnerability.ts';
import type { Severity } from './severity.ts';

/** A score with the vector that it was recomputed from; without a vector it is what a scanner stated. */
export type Cvss = { readonly score: number; readonly vector?: string };

/** What one scanner said of a finding, where several may speak of the same. */
export type FindingReport = {
  readonly scanner: string;
  /** The name that it used. */
  readonly id: string;
  readonly severity?: string;
  /** Of all that it stated, the one that counts; with its vector and who rated it, where that was said. */
  readonly score?: number;
  readonly vector?: string;
  readonly source?: string;
  /** It lists the finding and does not count it, for this reason. */
  readonly suppressed?: string;
};

/**
 * One vulnerability in one component (contract §2.7), whoever reported it. Beside the contract's fields: the other names
 * of the vulnerability, when it became public, and who said what.
 */
export type Finding = {
  /** The CVE in capitals; another id only where no CVE is known. */
  readonly id: string;
  readonly severity: Severity;
  /** Absent where nobody scored it: never a score of 0 for want of one. */
  readonly cvss?: Cvss;
  readonly component: FindingComponent;
  readonly fixedInVersions: readonly string[];
  readonly description: string;
  /** The other ids, sorted. */
  readonly aliases: readonly string[];
  /** Day on which it became public, `2021-12-10`. */
  readonly published?: string;
  /** Sorted by scanner and id. */
  readonly reportedBy: readonly FindingReport[];
  /** Why it does not count, where everybody who reported it says so. */
  readonly suppressed?: string;
};

/** True where everybody who lists a finding says that it does not count; not where nobody says who listed it. */
export function isUncounted({ reportedBy }: Pick<Finding, 'reportedBy'>): boolean {
  return reportedBy.length > 0 && reportedBy.every(({ suppressed }) => suppressed !== undefined);
}
