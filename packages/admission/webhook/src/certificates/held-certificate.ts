import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import type { ClusterObject } from '@colophon/cluster';
import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject } from '@colophon/json';
import { certificatesIn, isValidAt } from './authorities.ts';

/** Why a certificate is made anew. */
export const RENEWAL_REASONS = [
  'absent',
  'unreadable',
  'key_differs',
  'authority_differs',
  'names_differ',
  'not_yet_valid',
  'expiring',
] as const;
export type RenewalReason = (typeof RENEWAL_REASONS)[number];

/** What a Secret holds. */
export type HeldCertificate = {
  /** Undefined where it can be served on. */
  readonly renewal: RenewalReason | undefined;
  /** By which it may be served at this moment; none where they cannot be read. */
  readonly authorities: readonly X509Certificate[];
  readonly certificate: X509Certificate | undefined;
};

/** A certificate is made anew once less than this part of its life is left. */
const RENEWED_BELOW = 1 / 3;

/** Looks at the certificate, key and authority in a Secret; undefined is a Secret that is not there. */
export function heldCertificate(
  secret: ClusterObject | undefined,
  names: readonly string[],
  now: Date,
): HeldCertificate {
  if (secret === undefined) return { renewal: 'absent', authorities: [], certificate: undefined };
  const authorities = certificatesIn(textIn(secret, 'ca.crt'));
  const [certificate] = certificatesIn(textIn(secret, 'tls.crt'));
  const key = privateKeyIn(textIn(secret, 'tls.key'));
  if (certificate === undefined || key === undefined) return { renewal: 'unreadable', authorities, certificate };
  return { renewal: renewalOf(certificate, key, authorities, names, now), authorities, certificate };
}

function renewalOf(
  certificate: X509Certificate,
  key: KeyObject,
  authorities: readonly X509Certificate[],
  names: readonly string[],
  now: Date,
): RenewalReason | undefined {
  if (!certificate.checkPrivateKey(key)) return 'key_differs';
  if (!authorities.some((one) => isValidAt(one, now) && isIssuedBy(certificate, one))) return 'authority_differs';
  if (namesOf(certificate) !== names.toSorted().join()) return 'names_differ';
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  if (now.getTime() < from) return 'not_yet_valid';
  return to - now.getTime() < (to - from) * RENEWED_BELOW ? 'expiring' : undefined;
}

function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

/** Sorted; empty where it has none. */
function namesOf({ subjectAltName = '' }: X509Certificate): string {
  const names = subjectAltName.split(', ').map((name) => name.replace(/^DNS:/, ''));
  return names.toSorted().join();
}

/** Text of an entry of a Secret; empty where there is none. */
function textIn(secret: ClusterObject, name: string): string {
  const data = secret['data'];
  const value = isJsonObject(data) && Object.hasOwn(data, name) ? data[name] : undefined;
  const bytes = typeof value === 'string' ? decodeBase64(value) : undefined;
  return bytes === undefined ? '' : new TextDecoder('latin1').decode(bytes);
}

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
