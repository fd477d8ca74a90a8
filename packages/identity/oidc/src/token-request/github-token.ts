import { askPeer, isLoopback, membersIn } from '@colophon/peer';
import { TokenRequestError } from './token-request-error.ts';

const LIMITS = { timeoutMs: 15_000, mostBytes: 64 * 1024, redirect: 'refused' } as const;

/** What GitHub gives a job that has `permissions: id-token: write`. */
export type GithubJob = { readonly requestUrl: string; readonly requestToken: string };

/**
 * A new token of a GitHub Actions job for one audience.
 * @throws TokenRequestError `issuer.credential_unavailable`; nothing of either token is in it
 * @see https://docs.github.com/en/actions/reference/security/oidc
 */
export async function requestGithubToken({ requestUrl, requestToken }: GithubJob, audience: string): Promise<string> {
  const refuse = (found: string) =>
    new TokenRequestError('issuer.credential_unavailable', 'GitHub gives this job no token', {
      checked: '$ACTIONS_ID_TOKEN_REQUEST_URL',
      expected: 'permissions: { id-token: write } in the workflow',
      found,
    });
  if (!URL.canParse(requestUrl)) throw refuse('no address');
  const url = new URL(requestUrl);
  if (url.protocol !== 'https:' && !isLoopback(url)) throw refuse('an address without TLS');
  url.searchParams.set('audience', audience);
  const question = { headers: { authorization: `Bearer ${requestToken}`, accept: 'application/json' } };
  const answer = await askPeer(url, question, LIMITS).catch(() => {
    throw refuse('no answer');
  });
  if (!answer.isOk) throw refuse(`HTTP ${answer.status}`);
  const { value } = membersIn(answer.body);
  if (typeof value === 'string' && value !== '') return value;
  throw refuse('an answer without a token');
}
