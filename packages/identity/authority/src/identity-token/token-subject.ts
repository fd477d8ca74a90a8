import type { JsonObject } from '@colophon/json';
import { AGENT_PREFIX, evidenceSubject, isEmailAddress, parseAgentName, REVIEWER_PREFIX } from '@colophon/records';
import { AuthorityError } from '../authority-error/authority-error.ts';

/** RFC 3986 scheme and printable ASCII: what an IA5String can hold and a URI may. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]{0,31}:[\x21-\x7e]{1,1024}$/;

/** Schemes of the names that one issuer alone gives out: the one that this authority belongs to. */
const RESERVED: readonly string[] = ['agent', 'reviewer', 'reviews', 'evidence'];
/** `reviews:<host>`, with a port where the service has one. */
const REVIEW_SERVICE = /^reviews:[A-Za-z0-9[](?:[A-Za-z0-9.:\]-]{0,253}[A-Za-z0-9\]])?$/;

/**
 * The subject of a token, fit to be a URI subject alternative name: `agent:<name>`, `reviewer:<e-mail>`,
 * `reviews:<host>` and `evidence:<host of the issuer>` for `ownIssuer`, or for other trusted issuers any other absolute
 * URI in printable ASCII.
 *
 * @param ownIssuer the issuer to whom the reserved names belong
 * @throws AuthorityError `authority.token_subject_invalid` where it is none of these, `authority.token_subject_reserved`
 *   where another issuer uses a name of ours, `authority.token_subject_mismatch` where `agent_name` or `human_reviewer`
 *   names somebody else (contract §2.1)
 */
export function readTokenSubject(claims: JsonObject, ownIssuer: string): string {
  const { iss, sub, agent_name, human_reviewer } = claims;
  if (typeof sub !== 'string' || !URI.test(sub)) throw invalid();
  if (RESERVED.includes(schemeOf(sub)) && iss !== ownIssuer) throw reserved();
  const agent = sub.startsWith(AGENT_PREFIX) ? parseAgentName(sub.slice(AGENT_PREFIX.length)) : undefined;
  const reviewer = addressIn(sub);
  const isOurs =
    agent !== undefined || reviewer !== undefined || REVIEW_SERVICE.test(sub) || sub === evidenceSubject(ownIssuer);
  if (RESERVED.includes(schemeOf(sub)) && !isOurs) throw invalid();
  // A name claim without an agent's subject would put a name into the certificate that the subject does not carry.
  if (agent_name !== undefined && agent_name !== agent) throw mismatch('agent_name');
  if (reviewer !== undefined && human_reviewer !== undefined && human_reviewer !== reviewer) {
    throw mismatch('human_reviewer');
  }
  return sub;
}

function schemeOf(sub: string): string {
  return sub.slice(0, sub.indexOf(':')).toLowerCase();
}

function addressIn(sub: string): string | undefined {
  const address = sub.startsWith(REVIEWER_PREFIX) ? sub.slice(REVIEWER_PREFIX.length) : '';
  return isEmailAddress(address) ? address : undefined;
}

function reserved(): AuthorityError {
  return new AuthorityError(
    'authority.token_subject_reserved',
    'agents, reviewers, review services and evidence stores are named by the issuer of this authority alone',
  );
}

function invalid(): AuthorityError {
  return new AuthorityError(
    'authority.token_subject_invalid',
    'the token’s subject is not agent:<name>, reviewer:<e-mail>, another name of ours or another absolute URI',
  );
}

function mismatch(claim: string): AuthorityError {
  return new AuthorityError(
    'authority.token_subject_mismatch',
    `the token’s ${claim} is not the one that its subject names`,
  );
}
