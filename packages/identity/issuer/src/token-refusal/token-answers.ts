import { ISSUANCE_REFUSAL_CODES } from '@colophon/issuance';
import { JSON_ISSUE_CODES } from '@colophon/json';
import { REQUEST_ISSUE_CODES } from '@colophon/records';
import { CallerError, type CallerErrorCode } from '../caller-error/caller-error.ts';
import { IssuerError, type IssuerErrorCode } from '../issuer-error/issuer-error.ts';

/** Codes that are about the ledger as a whole, or about another path. */
const ELSEWHERE: readonly IssuerErrorCode[] = [
  'issuer.ledger_damaged',
  'issuer.ledger_unknown',
  'issuer.no_checkpoint',
  'issuer.run_not_found',
  'issuer.tree_size_unknown',
];
/** Codes of those who change keys and callers, or send something else. */
const OF_OTHERS: readonly CallerErrorCode[] = [
  'caller.decisions_not_allowed',
  'caller.key_not_found',
  'caller.revoked_already',
  'caller.name_invalid',
  'caller.expiry_invalid',
];

/** Every code with which the token endpoint can refuse, and the HTTP status that it comes with. */
export const TOKEN_REFUSAL_STATUS: ReadonlyMap<string, number> = new Map<string, number>([
  ...IssuerError.codes
    .filter((code) => !ELSEWHERE.includes(code))
    .map((code) => [code, IssuerError.statusOf(code)] as const),
  ...CallerError.codes
    .filter((code) => !OF_OTHERS.includes(code))
    .map((code) => [code, CallerError.statusOf(code)] as const),
  ...[...JSON_ISSUE_CODES, ...REQUEST_ISSUE_CODES, ...ISSUANCE_REFUSAL_CODES].map(
    (code) => [code, code === 'json.too_large' ? 413 : 400] as const,
  ),
]);
