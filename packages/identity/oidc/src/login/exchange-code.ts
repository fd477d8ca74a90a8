import { askPeer, membersIn, type PeerAnswer, shownAddress } from '@colophon/peer';
import type { LoginClient } from './authorization-request.ts';
import { LoginError } from './login-error.ts';
import type { Provider } from './provider.ts';

const LIMITS = { timeoutMs: 15_000, mostBytes: 256 * 1024, redirect: 'refused' } as const;

/** RFC 6749 §5.2: what an error code is made of. */
const ERROR_CODE = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;

/**
 * Exchanges the code of one login for its identity token; nothing of the token is looked at.
 * @throws LoginError `login.provider_unreachable`, `login.provider_invalid`, `login.refused`
 * @see RFC 6749 §4.1.3, RFC 7636 §4.5
 */
export async function exchangeCode(
  { token_endpoint }: Provider,
  { clientId, redirectUri }: LoginClient,
  { code, verifier }: { readonly code: string; readonly verifier: string },
  fetcher: typeof fetch,
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
  });
  const checked = shownAddress(token_endpoint);
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  const question = { method: 'POST', headers, body };
  const answer = await askPeer(token_endpoint, question, { ...LIMITS, fetch: fetcher }).catch((cause: Error) => {
    const message = `the login provider does not answer: ${cause.message}`;
    throw new LoginError('login.provider_unreachable', message, { checked });
  });
  if (!answer.isOk) throw refusalOf(answer, checked);
  const { id_token: token } = membersIn(answer.body);
  if (typeof token === 'string') return token;
  const message = 'the login provider answers without an identity token';
  throw new LoginError('login.provider_invalid', message, { checked, expected: 'id_token' });
}

function refusalOf({ status, body }: PeerAnswer, checked: string): LoginError {
  if (status >= 500 || status === 429) {
    const message = `the login provider is out of order: HTTP ${status}`;
    return new LoginError('login.provider_unreachable', message, { checked });
  }
  return refusedLogin(membersIn(body)['error'], checked);
}

/** A login that the provider refuses; of its words the code alone is repeated, where it is one. */
export function refusedLogin(error: unknown, checked: string): LoginError {
  const found = typeof error === 'string' && ERROR_CODE.test(error) ? error : 'no reason';
  const message = 'the login was refused';
  return new LoginError('login.refused', message, { checked, found });
}
