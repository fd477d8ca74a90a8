import type { Issue } from '@colophon/json';
import {
  type CertificateIdentity,
  evidenceSubject,
  parseStandingNegatives,
  type StandingNegatives,
  standingNegativesType,
  typesUnder,
} from '@colophon/records';
import { createIdentityPolicy, type TrustMaterial, verifyBundle } from '@colophon/sigstore';

/** The list, or what the store signed instead. */
export type StandingRejections =
  | { readonly ok: true; readonly list: StandingNegatives; readonly signer: CertificateIdentity }
  | {
      readonly ok: false;
      /** The predicate type that a list has, and the one that was found. */
      readonly expected: string;
      readonly found: string;
      readonly issues: readonly Issue[];
    };

/**
 * What the evidence store of an issuer signed as its list of rejections: the digests of its pages. How old it is, and whether there is
 * a newer one, is not looked at: admission asks `gate`.
 * @param bundle as fetchStandingNegatives gives it
 * @throws VerificationError
 */
export function standingRejectionsIn(bundle: Uint8Array, trust: TrustMaterial, issuer: string): StandingRejections {
  const policy = createIdentityPolicy({ subject: evidenceSubject(issuer), issuer });
  const { statement, certificate_identity: signer } = verifyBundle({ bundle, trust, policy }).signature;
  const parsed = parseStandingNegatives(statement?.predicate);
  const types = typesUnder(trust.namespace.predicateBase, standingNegativesType);
  if (types.some((type) => type === statement?.predicateType) && parsed.ok)
    return { ok: true, list: parsed.value, signer };
  const found = statement?.predicateType ?? 'no statement';
  return { ok: false, expected: types.join(' or '), found, issues: parsed.ok ? [] : parsed.issues };
}
