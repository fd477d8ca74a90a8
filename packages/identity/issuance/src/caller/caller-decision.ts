import { readClaim } from '@colophon/records';
import type { ClaimEvidence } from '../claim-decision/issuance-context.ts';
import { type CallerCredential, type CallerTokenRule, CONFIRMED_CLAIMS, type ConfirmedClaim } from './caller.ts';
import { type CallerBook, claimText, type KnownCaller } from './caller-book.ts';
import { countsEvent, eventLine } from './caller-event.ts';
import { derivedClaim } from './forge-claims.ts';

/** Every code with which decideCaller refuses a verified credential. */
export const CALLER_REFUSAL_CODES = [
  'caller.unknown',
  'caller.ambiguous',
  'caller.event_refused',
  'caller.claim_unreadable',
] as const;
export type CallerRefusalCode = (typeof CALLER_REFUSAL_CODES)[number];

/** Who asks, and what its credential proved. */
export type CallerDecision =
  | {
      readonly ok: true;
      readonly caller: KnownCaller;
      readonly evidence: readonly ClaimEvidence[];
      /** The event that made the caller's job run, e.g. `pull_request`. */
      readonly trigger?: string;
    }
  | { readonly ok: false; readonly code: CallerRefusalCode; readonly message: string };

/**
 * Says who the caller is, for every way in which a token can be asked for. A verified token is the caller's whose
 * conditions it meets; where it meets those of several, nobody's. Nothing in a refusal tells what other callers there are.
 */
export function decideCaller(credential: CallerCredential, callers: CallerBook): CallerDecision {
  if (credential.kind === 'api-key') {
    const caller = callers.byName(credential.caller);
    if (caller?.apiKey) return { ok: true, caller, evidence: [] };
    return refuse('caller.unknown', 'the configuration has no caller with API keys of this name any more');
  }
  const { issuer, claims } = credential;
  const met = callers.candidates(issuer, claims).filter(({ token }) => meets(token, claims));
  const [candidate] = met;
  if (candidate === undefined) {
    return refuse('caller.unknown', 'the credential is good, and meets the conditions of no caller');
  }
  const [caller, another] = met.filter(({ token }) => countsEvent(token, claims));
  if (caller === undefined) return refuse('caller.event_refused', eventRefusal(candidate.token, claims));
  if (another !== undefined) {
    return refuse('caller.ambiguous', 'the credential meets the conditions of more than one caller');
  }
  return confirmed(caller, caller.token, claims);
}

function meets({ where }: CallerTokenRule, claims: Readonly<Record<string, unknown>>): boolean {
  return where.every(({ path, values }) => {
    const text = claimText(claims, path);
    return values.some((value) => value === text);
  });
}

function eventRefusal(rule: CallerTokenRule, claims: Readonly<Record<string, unknown>>): string {
  const line = eventLine(rule, claims);
  if (line === undefined) return 'the token names no event that a caller could list';
  return `the event that ran this job counts only where a caller lists it: where: { ${line} }`;
}

function confirmed(
  caller: KnownCaller,
  rule: CallerTokenRule,
  payload: Readonly<Record<string, unknown>>,
): CallerDecision {
  const values: { [claim in ConfirmedClaim]?: string } = {};
  for (const claim of CONFIRMED_CLAIMS) {
    const path = rule.confirms[claim];
    if (path === undefined) continue;
    const said = claimText(payload, path);
    const text = said === undefined ? said : derivedClaim(claim, said, rule);
    if (text === undefined) continue;
    const value = readClaim(claim, text);
    // What cannot be read could not be held against the request either.
    if (value === undefined) {
      return refuse('caller.claim_unreadable', `${path.join('.')} of the credential is no ${claim}`);
    }
    values[claim] = value;
  }
  const { trigger, ...claims } = values;
  return {
    ok: true,
    caller,
    evidence: Object.keys(claims).length === 0 ? [] : [{ source: 'caller-token', claims }],
    ...(trigger === undefined ? {} : { trigger }),
  };
}

function refuse(code: CallerRefusalCode, message: string): CallerDecision {
  return { ok: false, code, message };
}
