import { judgeCertificate, namesIssuer, type TokenBook } from '../certificate/judge-certificate.ts';
import type { LoggedCertificate, LogReading, ReadLog } from './log-reading.ts';
import type { ReconciliationResult } from './reconciliation-result.ts';

/**
 * Reads each log to its end, and holds every certificate that names the issuer against the ledger: each claim that it carries
 * must be that of the unerased row of its token. Certificates of others are passed over.
 * Rejects as the readings do: of a log that cannot be read whole, nothing is said.
 */
export async function reconcile(book: TokenBook, readings: readonly LogReading[]): Promise<ReconciliationResult> {
  const findings: ReconciliationResult['findings'][number][] = [];
  const erased: ReconciliationResult['erased'][number][] = [];
  const logs: ReconciliationResult['logs'][number][] = [];
  let agreeing = 0;
  let unvouched = 0;

  const hold = (log: LogReading['kind'], { index, bytes, certificate, vouched }: LoggedCertificate): void => {
    const place = { log, log_index: index, serial_number: certificate?.serialNumber ?? '' };
    const isOfIssuer = certificate === undefined ? mentions(bytes, book.issuer) : namesIssuer(certificate, book.issuer);
    if (!isOfIssuer) return;
    if (!vouched) {
      unvouched += 1;
      return;
    }
    if (certificate === undefined) {
      findings.push({ ...place, code: 'certificate_unreadable', differences: [] });
      return;
    }
    const { verdict, jti, differences } = judgeCertificate(certificate, book);
    if (verdict === 'agrees') agreeing += 1;
    else if (verdict === 'erased') erased.push({ ...place, jti: jti ?? '' });
    else findings.push({ ...place, code: verdict, differences, ...(jti === undefined ? {} : { jti }) });
  };

  for (const reading of readings) {
    let count = 0;
    const read = await reading.read((logged) => {
      count += 1;
      hold(reading.kind, logged);
    });
    logs.push(logRecord(reading, read, count));
  }
  return {
    ok: findings.length === 0,
    issuer: book.issuer,
    logs,
    agreeing_count: agreeing,
    unvouched_count: unvouched,
    findings,
    erased,
  };
}

function logRecord({ kind, url }: LogReading, read: ReadLog, count: number): ReconciliationResult['logs'][number] {
  return {
    log: kind,
    url,
    log_id: hex(read.logId),
    start: read.start,
    ...(read.startRoot === undefined ? {} : { start_root_hash: hex(read.startRoot) }),
    tree_size: read.size,
    root_hash: hex(read.root),
    ...(read.signedAt === undefined ? {} : { signed_at: read.signedAt.toISOString() }),
    certificate_count: count,
  };
}

/** Of a certificate that cannot be taken apart, whether it has the issuer's address in it at all. */
function mentions(bytes: Uint8Array, issuer: string): boolean {
  return Buffer.from(bytes).includes(issuer);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
