import { isJsonObject, parseStrictJson } from '@colophon/json';
import { DEFAULT_CLAIM_ARC, UNKNOWN } from '@colophon/records';
import { type CertificateFields, claimsUnder, fulcioExtension } from '@colophon/sigstore/certificate';
import { type ClaimDifference, claimDifferences } from './claim-differences.ts';

/** What the ledger keeps of a token. */
export type TokenRow = {
  /** Seconds since the epoch. */
  readonly issued_at: number;
  /** The payload as it was signed; null once erased. */
  readonly payload: string | null;
};

/** Whose certificates are looked for, and what they are held against. */
export type TokenBook = {
  /** Exactly the `iss` of its tokens. */
  readonly issuer: string;
  /** The arc of the claims in certificates of its embedded authority. */
  readonly claimArc: string;
  findRow(jti: string): TokenRow | undefined;
};

/** How a certificate that names the issuer stands. */
export type Judgement = {
  readonly verdict: 'agrees' | 'erased' | 'claims_differ' | 'token_unissued' | 'jti_missing';
  readonly jti?: string;
  /** Of a row that was erased only the time can be compared. */
  readonly differences: readonly ClaimDifference[];
};

/** Seconds by which the clocks of an issuer and of an authority elsewhere may differ. */
const CLOCK_TOLERANCE_SECONDS = 300;
/** Seconds of the longest token that an issuer makes. */
const LONGEST_TOKEN_SECONDS = 3_600;

/** Whether a certificate names the issuer as the one whose token bought it. */
export function namesIssuer(certificate: CertificateFields, issuer: string): boolean {
  return [8, 1].some((number) => orUndefined(() => fulcioExtension(certificate, number)) === issuer);
}

/** Holds a certificate that names the issuer against the issuer's row of its token. */
export function judgeCertificate(certificate: CertificateFields, book: TokenBook): Judgement {
  const jti = jtiOf(certificate, book);
  if (jti === undefined) return { verdict: 'jti_missing', differences: [] };
  const row = book.findRow(jti);
  if (row === undefined) return { verdict: 'token_unissued', jti, differences: [] };
  if (row.payload === null) {
    const latest = row.issued_at + LONGEST_TOKEN_SECONDS;
    const differences = timeDifferences(certificate, row.issued_at, latest);
    return { verdict: differences.length === 0 ? 'erased' : 'claims_differ', jti, differences };
  }
  const parsed = parseStrictJson(Buffer.from(row.payload));
  const payload = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  // An event of the ledger is a row too, and no token.
  if (payload['iss'] === undefined) return { verdict: 'token_unissued', jti, differences: [] };
  const differences = [
    ...claimDifferences(certificate, payload, book.claimArc),
    ...timeDifferences(certificate, Number(payload['iat']), Number(payload['exp'])),
  ];
  return { verdict: differences.length === 0 ? 'agrees' : 'claims_differ', jti, differences };
}

/** A token that was signed anew with the same claims, to live longer, shows by when its certificate was made. */
function timeDifferences(certificate: CertificateFields, from: number, until: number): readonly ClaimDifference[] {
  const at = certificate.notBefore.getTime() / 1000;
  if (at >= from - CLOCK_TOLERANCE_SECONDS && at <= until + CLOCK_TOLERANCE_SECONDS) return [];
  const expected = `${timeOf(from)} to ${timeOf(until)}`;
  return [{ field: 'not_before', claims: ['iat', 'exp'], expected, found: timeOf(at) }];
}

function timeOf(seconds: number): string {
  return Number.isFinite(seconds) ? new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') : 'unknown';
}

function jtiOf(certificate: CertificateFields, { issuer, claimArc }: TokenBook): string | undefined {
  for (const arc of [claimArc, DEFAULT_CLAIM_ARC]) {
    const jti = orUndefined(() => claimsUnder(certificate, arc))?.get('jti');
    if (jti !== undefined) return jti;
  }
  const run = orUndefined(() => fulcioExtension(certificate, 21)) ?? '';
  const prefix = `${issuer}/runs/`;
  const jti = run.startsWith(prefix) ? run.slice(prefix.length) : '';
  return jti === '' || jti === UNKNOWN ? undefined : jti;
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
