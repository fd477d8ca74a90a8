import { X509Certificate } from 'node:crypto';
import { findPemBlocks, formatPem } from '@colophon/encoding';
import { AUTHORITY_ORGANIZATION } from './serving-certificate.ts';

/** An authority's certificate that nothing serves by any more is kept this long: replicas read their files again in minutes. */
const SETTLED_MS = 24 * 3600_000;

/** Certificates in PEM, in their order; none where one of them cannot be read. */
export function certificatesIn(pem: string): X509Certificate[] {
  try {
    return (findPemBlocks(pem, ['CERTIFICATE']) ?? []).map(({ der }) => new X509Certificate(der));
  } catch {
    return [];
  }
}

/** PEM of certificates, in their order. */
export function pemOf(certificates: readonly X509Certificate[]): string {
  return certificates.map(({ raw }) => formatPem('CERTIFICATE', raw)).join('');
}

/** Whether a certificate counts at a time. */
export function isValidAt({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now < validToDate;
}

/**
 * The authorities that API servers are to trust: those that are listed, and those that are needed. Left out is what has
 * expired, and what is ours, was left behind by a run that ended halfway, and can be served by nobody: a day has gone by
 * since it was made, and since the certificate that is served now was.
 * @param listed in their order
 * @param served authorities of the certificate in the Secret
 * @param next authority of the certificate that will be there
 */
export function trustedAuthorities(
  listed: readonly X509Certificate[],
  {
    served,
    next,
    now,
  }: { readonly served: readonly X509Certificate[]; readonly next?: X509Certificate; readonly now: Date },
): X509Certificate[] {
  const needed = [...served, ...(next === undefined ? [] : [next])].filter((one) => now < one.validToDate);
  const isSettled = (one: X509Certificate) => now.getTime() - one.validFromDate.getTime() > SETTLED_MS;
  const isServedSettled = served.length > 0 && served.every(isSettled);
  const isLeftBehind = (one: X509Certificate) => isServedSettled && isSettled(one) && isOurs(one);
  const kept = listed.filter((one) => isIn(one, needed) || (now < one.validToDate && !isLeftBehind(one)));
  return distinct([...kept, ...needed]);
}

function isOurs({ subject, issuer }: X509Certificate): boolean {
  return subject === issuer && subject.split('\n').includes(`O=${AUTHORITY_ORGANIZATION}`);
}

function isIn({ fingerprint256 }: X509Certificate, certificates: readonly X509Certificate[]): boolean {
  return certificates.some((one) => one.fingerprint256 === fingerprint256);
}

function distinct(certificates: readonly X509Certificate[]): X509Certificate[] {
  return [...new Map(certificates.map((one) => [one.fingerprint256, one])).values()];
}
