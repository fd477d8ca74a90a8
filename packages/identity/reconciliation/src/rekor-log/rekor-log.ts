import { LogClient, type LogClientOptions, LogError } from '@colophon/sigstore';
import { type CertificateFields, parseCertificate } from '@colophon/sigstore/certificate';
import type { LogReading, ReadLog } from '../reconcile/log-reading.ts';
import { ReconciliationError } from '../reconciliation-error/reconciliation-error.ts';

export type RekorLogOptions = LogClientOptions & {
  /** The first entry that is read; 0. */
  readonly start?: number | undefined;
};

/** Entries that are asked for at the same time. */
const PARALLEL_READS = 8;

/**
 * Reads a Rekor v1 log up to its newest checkpoint: every index, each entry proven to be the leaf that its index demands.
 * The reading rejects with LogError, and with ReconciliationError `reconciliation.log_shorter`.
 */
export function rekorLog(options: RekorLogOptions): LogReading {
  return { kind: 'rekor', url: options.rekorUrl, read: (visit) => readRekorLog(options, visit) };
}

async function readRekorLog(
  { start = 0, ...options }: RekorLogOptions,
  visit: Parameters<LogReading['read']>[0],
): Promise<ReadLog> {
  const client = new LogClient(options);
  const trees = await client.trees();
  const newest = trees.at(-1);
  const size = trees.reduce((sum, tree) => sum + tree.size, 0);
  if (newest === undefined) throw new LogError('log.answer_invalid', 'the log has no tree');
  if (size < start) {
    const message = `the log has ${size} entries, and had ${start} or more before`;
    throw new ReconciliationError('reconciliation.log_shorter', message);
  }
  for (let next = start; next < size; next += PARALLEL_READS) {
    const indexes = Array.from({ length: Math.min(PARALLEL_READS, size - next) }, (_, i) => next + i);
    const found = await Promise.all(
      indexes.map((index) =>
        client.certificatesByIndex(
          index,
          leafIndexOf(
            index,
            trees.map(({ size }) => size),
          ),
        ),
      ),
    );
    for (const [i, certificates] of found.entries()) {
      for (const { der, issued } of certificates) {
        visit({ index: next + i, bytes: der, certificate: fieldsOf(der), vouched: issued });
      }
    }
  }
  return { logId: newest.logId, start, size, root: newest.root };
}

/** The place in its own tree of an entry whose index counts the trees before it too. */
function leafIndexOf(logIndex: number, sizes: readonly number[]): number {
  let rest = logIndex;
  for (const size of sizes) {
    if (rest < size) return rest;
    rest -= size;
  }
  return rest;
}

function fieldsOf(der: Uint8Array): CertificateFields | undefined {
  try {
    return parseCertificate(der);
  } catch {
    return undefined;
  }
}
