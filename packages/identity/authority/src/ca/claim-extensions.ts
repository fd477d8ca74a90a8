import { CLAIM_ARC_NUMBERS, DEFAULT_CLAIM_ARC, FULCIO_ARC, fulcioExtensionTexts } from '@colophon/records';
import type { VerifiedToken } from '../identity-token/token-verification.ts';
import { textExtension } from './certificate-parts.ts';

/**
 * The extensions that say who signs (contract §2.1): Fulcio's issuer, subject and the frozen mapping, then every claim
 * of the token on its own under `claimArc`. Absent claims stand as `unknown` in Fulcio's, and not at all under ours.
 */
export function claimExtensions(
  { issuer, subject, claims }: Pick<VerifiedToken, 'issuer' | 'subject' | 'claims'>,
  claimArc: string = DEFAULT_CLAIM_ARC,
): Uint8Array[] {
  const values: Readonly<Record<string, string | undefined>> = claims;
  const mapped = fulcioExtensionTexts(values);
  const fulcio: Array<[number, string]> = [[1, issuer], [8, issuer], ...mapped, [24, subject]];
  const ours = Object.entries(CLAIM_ARC_NUMBERS).flatMap(([claim, number]): Array<[number, string]> => {
    const value = values[claim];
    return value === undefined ? [] : [[number, value]];
  });
  return [...render(FULCIO_ARC, fulcio), ...render(claimArc, ours)];
}

/**
 * The extensions for a token of another issuer: who it is, and the subject where the certificate's name is that. What its
 * other claims mean is not known here, so they stand nowhere, as with Fulcio's issuers of type `uri` and `email`.
 */
export function foreignExtensions({
  issuer,
  subject,
  nameKind,
}: Pick<VerifiedToken, 'issuer' | 'subject' | 'nameKind'>): Uint8Array[] {
  const ofSubject: Array<[number, string]> = nameKind === 'uri' ? [[24, subject]] : [];
  return render(FULCIO_ARC, [[1, issuer], [8, issuer], ...ofSubject]);
}

function render(arc: string, list: Array<[number, string]>): Uint8Array[] {
  return list.sort(([a], [b]) => a - b).map(([number, text]) => textExtension(`${arc}.${number}`, text));
}
