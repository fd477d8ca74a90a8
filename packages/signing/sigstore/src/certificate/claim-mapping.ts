import { DerError, readUtf8, readUtf8String } from '@colophon/encoding';
import {
  absentClaimText,
  CLAIM_ARC_NUMBERS,
  DEFAULT_CLAIM_ARC,
  FULCIO_ARC,
  fulcioExtensionTexts,
  parseClaimSources,
  parsePurpose,
  SOURCED_CLAIMS,
  TOKEN_PURPOSES,
  UNKNOWN,
} from '@colophon/records';
import { VerificationError } from '../verify/verification-error.ts';
import type { Certificate } from './certificate.ts';

/** Claims by their names in the token, `unknown` ones left out. */
export type MappedClaims = Map<string, string>;

/** Up to this number Fulcio writes the bare text; from .8 on a DER UTF8String. */
const LAST_RAW_EXTENSION = 6;

/** A Fulcio extension `1.3.6.1.4.1.57264.1.<number>` as text. @throws VerificationError `certificate.malformed` */
export function fulcioExtension(certificate: Pick<Certificate, 'extensions'>, number: number): string | undefined {
  const extension = certificate.extensions.get(`${FULCIO_ARC}.${number}`);
  return extension && readText(`${FULCIO_ARC}.${number}`, extension.value, number <= LAST_RAW_EXTENSION);
}

function readText(oid: string, value: Uint8Array, isRaw: boolean): string {
  try {
    return isRaw ? readUtf8(value) : readUtf8String(value);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new VerificationError('certificate.malformed', `extension ${oid} holds no text`, { cause: error });
  }
}

/**
 * Every claim that stands under `claimArc`, or under the placeholder, where certificates from before have them;
 * undefined for a certificate that has none there. An authority writes under one arc: of two, neither would be the one.
 * @throws VerificationError `certificate.mapping_conflict`
 */
export function claimsOfOwnArc(certificate: Certificate, claimArc: string): MappedClaims | undefined {
  const own = claimsUnder(certificate, claimArc);
  if (claimArc === DEFAULT_CLAIM_ARC) return own;
  const older = claimsUnder(certificate, DEFAULT_CLAIM_ARC);
  if (own !== undefined && older !== undefined) {
    throw conflict(`arc ${DEFAULT_CLAIM_ARC}`, `claims under ${claimArc} alone`, 'claims under both arcs');
  }
  return own ?? older;
}

/** Every claim that stands under `arc`; undefined where none does. @throws VerificationError `certificate.malformed` */
export function claimsUnder(certificate: Pick<Certificate, 'extensions'>, arc: string): MappedClaims | undefined {
  const claims: MappedClaims = new Map();
  let isPresent = false;
  for (const [claim, number] of Object.entries(CLAIM_ARC_NUMBERS)) {
    const oid = `${arc}.${number}`;
    const extension = certificate.extensions.get(oid);
    if (extension === undefined) continue;
    isPresent = true;
    put(claims, claim, readText(oid, extension.value, false));
  }
  return isPresent ? claims : undefined;
}

/**
 * Takes Fulcio's extensions apart again. Only a certificate whose signer and run are addresses of its own issuer has
 * our mapping; in any other (a build runner's) trigger, repository and commit mean what they mean to everybody, and
 * the rest is nothing of ours.
 */
export function claimsOfFulcioMapping(certificate: Certificate, issuer: string): MappedClaims {
  const claims: MappedClaims = new Map();
  const text = (number: number) => fulcioExtension(certificate, number) ?? '';
  put(claims, 'trigger', text(2) || text(20));
  put(claims, 'repo', text(5));
  put(claims, 'repo_uri', text(12));
  put(claims, 'commit_sha', text(13) || text(3));
  const agent = after(text(9), `${issuer}/agents/`);
  const run = after(text(21), `${issuer}/runs/`);
  if (agent === undefined || run === undefined) return claims;
  put(claims, 'jti', run);
  putPair(claims, 'agent_name', 'agent_version', agent, agent.indexOf('@'));
  const model = after(text(18), `${issuer}/models/`) ?? '';
  putPair(claims, 'model_provider', 'model_id', model, model.indexOf('/'));
  putPair(claims, 'human_reviewer', 'review_timestamp', text(23), text(23).lastIndexOf(' '));
  put(claims, 'policy_pack_hash', text(10));
  put(claims, 'claim_sources', text(11));
  put(claims, 'prompt_hash', text(19));
  put(claims, 'key_thumbprint', text(22));
  return claims;
}

/**
 * Holds when Fulcio's extensions say what our arc says, letter by letter; those that are absent say nothing.
 * @throws VerificationError `certificate.mapping_conflict`
 */
export function assertMappingsAgree(certificate: Certificate, claims: MappedClaims): void {
  for (const [number, expected] of fulcioExtensionTexts(Object.fromEntries(claims))) {
    const found = fulcioExtension(certificate, number);
    if (found === undefined) continue;
    if (found !== expected) throw conflict(`${FULCIO_ARC}.${number}`, expected, found);
  }
}

/** Two places of one certificate that say different things. */
export function conflict(place: string, expected: string, found: string): VerificationError {
  return new VerificationError('certificate.mapping_conflict', `${place} contradicts the other claims`, {
    expected,
    found,
  });
}

/**
 * The claims of a CertificateIdentity, with their sources and the purpose that stands before them.
 * @throws VerificationError `certificate.purpose_unknown`: of a purpose that cannot be read nobody knows what it allows
 */
export function sortClaims(claims: MappedClaims) {
  const sources = claims.get('claim_sources') ?? '';
  const purpose = parsePurpose(sources);
  if (purpose === 'unreadable') {
    throw new VerificationError('certificate.purpose_unknown', 'the certificate names a purpose that is not known', {
      expected: `claim_sources that begins with purpose= and one of ${TOKEN_PURPOSES.join(', ')}`,
      found: sources,
    });
  }
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (claims.has(name) ? [[name, claims.get(name) as string]] : [])));
  return {
    ...(purpose === undefined ? {} : { purpose }),
    ...pick(['trigger', 'jti', 'agent_id', 'key_thumbprint']),
    claims: pick(SOURCED_CLAIMS),
    sources: parseClaimSources(sources),
  };
}

function put(claims: MappedClaims, claim: string, value: string): void {
  if (value !== '' && value !== UNKNOWN && value !== absentClaimText(claim)) claims.set(claim, value);
}

function putPair(claims: MappedClaims, first: string, second: string, text: string, separator: number): void {
  if (separator < 0) return;
  put(claims, first, text.slice(0, separator));
  put(claims, second, text.slice(separator + 1));
}

function after(text: string, prefix: string): string | undefined {
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined;
}
