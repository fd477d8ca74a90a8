import { AuthorityError, type AuthorityErrorCode } from '../authority-error/authority-error.ts';
import type { TokenStanding } from './token-ledger.ts';

const REFUSALS: Readonly<Record<Exclude<TokenStanding, 'issued'>, readonly [AuthorityErrorCode, string]>> = {
  altered: ['authority.token_altered', 'the issuer’s ledger has another token under this jti'],
  erased: ['authority.token_erased', 'the token was erased from the issuer’s ledger, and buys nothing any more'],
  unissued: ['authority.token_unissued', 'the issuer’s ledger has no token under this jti'],
};

/**
 * Holds for a token that its issuer has in its ledger, unerased.
 * @throws AuthorityError `authority.token_altered`, `authority.token_erased`, `authority.token_unissued`
 */
export function assertIssued(standing: TokenStanding): void {
  if (standing !== 'issued') throw new AuthorityError(...REFUSALS[standing]);
}
