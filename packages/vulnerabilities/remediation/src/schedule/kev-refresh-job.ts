import type { KnownExploitedCatalog } from '@colophon/findings';
import type { CatalogRefresh } from '../catalog-refresh/refresh-catalog.ts';
import type { Job } from './job.ts';
import { RefusedDocument } from './refused-document.ts';

export type KevRefreshOptions = {
  /** The feed as it may be shown. */
  readonly feed: string;
  readonly everySeconds: number;
  readonly refresh: (signal: AbortSignal) => Promise<CatalogRefresh>;
  /** Raises what the catalog makes more urgent, and answers with the number of records. */
  readonly escalate: (catalog: KnownExploitedCatalog, at: string) => Promise<number>;
};

/** The longest that a feed and all open records take. */
const TIMEOUT_SECONDS = 900;

/**
 * The known-exploited catalog, kept as new as its feed (contract §2.8, §4.3). Open records are compared with it each time,
 * also where it is unchanged: records may be newer than the catalog, and the last run may have ended between the two.
 */
export function kevRefreshJob({ feed, everySeconds, refresh, escalate }: KevRefreshOptions): Job {
  return {
    name: `kev-refresh ${feed}`,
    everySeconds,
    timeoutSeconds: TIMEOUT_SECONDS,
    async run(signal) {
      const refreshed = await refresh(signal);
      if (refreshed.outcome === 'refused') {
        const [first] = refreshed.issues;
        throw new RefusedDocument(
          first?.code ?? 'kev.refused',
          `the catalog of the feed is refused: ${first?.message ?? 'it is not plausible'}`,
        );
      }
      signal.throwIfAborted();
      const { entry, catalog, outcome } = refreshed;
      const raised = await escalate(catalog, entry.checkedAt);
      const what = outcome === 'updated' ? 'kept' : 'unchanged';
      const odd = catalog.oddities === undefined ? '' : `, odd: ${catalog.oddities.length}`;
      return `catalog ${entry.catalogVersion} ${what}, entries: ${entry.count}${odd}, records raised: ${raised}`;
    },
  };
}
