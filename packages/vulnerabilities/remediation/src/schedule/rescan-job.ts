import { type Kind, kindOf } from '@colophon/fault';
import type { PublicationName } from '@colophon/publishing/publication-rules';
import { type Job, messageOf } from './job.ts';

/** What one scan of a published SBOM came to. */
export type Rescanned = {
  readonly findings: number;
  readonly opened: number;
  readonly reopened: number;
  /** Open records whose vulnerability the scan lists no more. */
  readonly gone: number;
  /** Findings that the scanner calls exploited, and the catalog does not have; absent where that is none. */
  readonly disputed?: number;
};

export type RescanOptions = {
  /** Where the SBOMs are published, as it may be shown. */
  readonly place: string;
  readonly everySeconds: number;
  /** For all of them. */
  readonly timeoutSeconds: number;
  /** The newest version of every artifact. */
  readonly publications: (signal: AbortSignal) => Promise<readonly PublicationName[]>;
  /** Scans one and does what follows from it. */
  readonly rescan: (publication: PublicationName, signal: AbortSignal) => Promise<Rescanned>;
};

/** Some of the SBOMs could not be scanned; `cause` is the first reason. */
class IncompleteRescan extends Error {
  /** That of the reason, where it has one. */
  readonly code?: string;
  /** That of the reason, where it says one. */
  readonly kind: Kind | undefined;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    const { code } = (cause ?? {}) as { code?: unknown };
    if (typeof code === 'string') this.code = code;
    this.kind = kindOf(cause);
  }
}

/**
 * Every current SBOM of a publishing place, scanned again: vulnerabilities become known after a release (contract §3,
 * §4.2). One that cannot be scanned keeps no other from it, and the run then counts as failed.
 */
export function rescanJob({ place, everySeconds, timeoutSeconds, publications, rescan }: RescanOptions): Job {
  return {
    name: `rescan ${place}`,
    everySeconds,
    timeoutSeconds,
    async run(signal) {
      const names = await publications(signal);
      if (names.length === 0) return '0 of 0 SBOMs scanned: none is published there';
      const sum = { findings: 0, opened: 0, reopened: 0, gone: 0, disputed: 0 };
      const failures: { readonly name: string; readonly error: unknown }[] = [];
      // One after the other: a scanner takes a machine's memory and processors for itself.
      for (const name of names) {
        signal.throwIfAborted();
        try {
          const rescanned = await rescan(name, signal);
          for (const field of Object.keys(sum) as (keyof Rescanned)[]) sum[field] += rescanned[field] ?? 0;
        } catch (error) {
          signal.throwIfAborted();
          failures.push({ name: `${name.artifact}@${name.version}`, error });
        }
      }
      const { findings, opened, reopened, gone, disputed } = sum;
      const said =
        `${names.length - failures.length} of ${names.length} SBOMs scanned, findings: ${findings}, ` +
        `records opened: ${opened}, reopened: ${reopened}, listed no more: ${gone}` +
        (disputed === 0 ? '' : `, exploited by the word of a scanner alone: ${disputed}`);
      const [first] = failures;
      if (first === undefined) return said;
      throw new IncompleteRescan(`${said}; ${first.name}: ${messageOf(first.error)}`, first.error);
    },
  };
}
