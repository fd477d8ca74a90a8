import { createDiscoveredKeys } from '../keys/discovered-keys.ts';
import { TokenRefused } from '../token/token-refused.ts';
import { verifyToken } from '../token/verify-token.ts';
import { authorizationUrl, createLoginSecrets, type LoginClient, type LoginSecrets } from './authorization-request.ts';
import type { CallbackPage } from './callback-page.ts';
import { startCallbackServer } from './callback-server.ts';
import { exchangeCode, refusedLogin } from './exchange-code.ts';
import { LoginError } from './login-error.ts';
import { discoverProvider, type Provider } from './provider.ts';

/** How long a person has to log in, in milliseconds. */
export const DEFAULT_LOGIN_TIMEOUT_MS = 5 * 60_000;

/** Who logs in where. */
export type LoginOptions = {
  /** The provider: `iss` of its tokens, exactly. */
  readonly issuer: string;
  /** A public client: it has no secret. */
  readonly clientId: string;
  /** The address that the person is expected to have; the provider may offer it. */
  readonly loginHint?: string | undefined;
  /** Told the address that a person has to open, once this program waits for them. */
  readonly onAddress: (url: string) => void;
  readonly timeoutMs?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly clock?: { now(): Date } | undefined;
};

/**
 * Has a person log in with their browser, and answers with their identity token: authorization code with PKCE, coming
 * back to a port of this machine. The token is verified: issuer, audience, key, signature, times, and that it was made
 * for this login.
 * @throws LoginError, see LoginError.codes
 * @see RFC 8252, RFC 7636, OpenID Connect Core 1.0 §3.1
 */
export async function logIn(options: LoginOptions): Promise<string> {
  const { issuer, clientId, loginHint, timeoutMs = DEFAULT_LOGIN_TIMEOUT_MS, fetch = globalThis.fetch } = options;
  const provider = await discoverProvider(issuer, fetch);
  const secrets = createLoginSecrets();
  const callback = await startCallbackServer({
    state: secrets.state,
    page: (outcome) => PAGES[outcome],
    complete: async (parameters, redirectUri) => {
      const code = codeIn(parameters, provider);
      const client = { clientId, redirectUri };
      const token = await exchangeCode(provider, client, { code, verifier: secrets.verifier }, fetch);
      await assertTokenOfLogin(token, { ...options, fetch }, secrets);
      return token;
    },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const client: LoginClient = { clientId, redirectUri: callback.redirectUri, loginHint };
    options.onAddress(authorizationUrl(provider, client, secrets));
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(timeout(issuer, timeoutMs)), timeoutMs);
    });
    return await Promise.race([callback.answered, timedOut]);
  } finally {
    clearTimeout(timer);
    callback.close();
  }
}

const PAGES: Readonly<Record<'done' | 'failed', CallbackPage>> = {
  done: { title: 'You are logged in', text: 'You can close this page. Colophon goes on in the terminal.' },
  failed: { title: 'You are not logged in', text: 'You can close this page. The terminal says why.' },
};

/** The one code of an answer. @throws LoginError @see RFC 6749 §4.1.2, RFC 9207 §2.4 */
function codeIn(parameters: URLSearchParams, { issuer, namesItself }: Provider): string {
  const [iss, ...otherIssuers] = parameters.getAll('iss');
  const isOther = iss === undefined ? namesItself : iss !== issuer || otherIssuers.length > 0;
  if (isOther) {
    const message = 'the answer to the login is not of the provider that was asked';
    throw new LoginError('login.provider_invalid', message, { checked: issuer, expected: `iss=${issuer}` });
  }
  const [code, ...others] = parameters.getAll('code');
  if (parameters.has('error') || code === undefined || code === '' || others.length > 0) {
    throw refusedLogin(parameters.get('error'), issuer);
  }
  return code;
}

/** OpenID Connect Core 1.0 §3.1.3.7. */
async function assertTokenOfLogin(
  token: string,
  {
    issuer,
    clientId,
    fetch,
    clock = { now: () => new Date() },
  }: LoginOptions & { readonly fetch: typeof globalThis.fetch },
  { nonce }: LoginSecrets,
): Promise<void> {
  const rules = { issuers: [issuer], audience: clientId, keys: createDiscoveredKeys({ fetch, clock }) };
  const { payload } = await verifyToken(token, rules, Math.floor(clock.now().getTime() / 1000)).catch(
    (error: unknown) => {
      throw error instanceof TokenRefused ? refusedToken(issuer, error) : error;
    },
  );
  const { azp } = payload;
  if (payload['nonce'] !== nonce || (azp !== undefined && azp !== clientId)) {
    throw refusedToken(issuer, { message: 'it was made for another login, or for another client' });
  }
}

function refusedToken(checked: string, { fault, message }: { readonly fault?: string; readonly message: string }) {
  const code = fault === 'issuer_unreachable' ? 'login.provider_unreachable' : 'login.token_refused';
  return new LoginError(code, `the identity token of the login cannot be used: ${message}`, { checked });
}

function timeout(checked: string, timeoutMs: number): LoginError {
  const message = `nobody logged in within ${Math.round(timeoutMs / 1000)} s`;
  return new LoginError('login.timed_out', message, { checked });
}
