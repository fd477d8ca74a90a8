import { isJsonObject, parseStrictJson } from '@colophon/json';
import { type AnswerHead, type AskOptions, askPeer, NoAnswer, type PeerAnswer, type Question } from '@colophon/peer';
import { isLoopbackRegistry } from '../image-reference/image-reference.ts';
import type { Authorizations } from './authorizations.ts';
import { type Challenge, parseChallenge } from './challenge.ts';
import type { CredentialSource, RegistryCredential } from './credentials.ts';
import { RegistryError, withoutQuery } from './registry-error.ts';

const MAX_REDIRECTS = 5;
const MAX_TOKEN_ANSWER_BYTES = 256 * 1024;
/** Characters: a longer one fits into the headers of few servers. */
const MAX_TOKEN_LENGTH = 16 * 1024;
/** Of a token whose endpoint says nothing of it (token specification of the distribution project, `expires_in`). */
const DEFAULT_TOKEN_LIFETIME_MS = 60_000;

/** Where requests go and how long they may take; `fetch` is an argument so that nothing else opens sockets. */
export type SessionOptions = {
  readonly fetch: typeof fetch;
  readonly credentials: CredentialSource;
  readonly timeoutMs: number;
  /** Speak plain HTTP with registries that are not this machine. */
  readonly allowInsecure: boolean;
  readonly authorizations: Authorizations;
};

/** The value of an Authorization header, and how long it opens what it was asked for. */
type Authorization = { readonly value: string; readonly lifetimeMs?: number };

export type SessionRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH';
  /** Absolute, or relative to the registry. */
  readonly url: string | URL;
  /** What a token must allow, e.g. `repository:acme/app:pull,push`. */
  readonly scope: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Of the answer; no body is read where absent. */
  readonly mostBytes?: number;
  /** Whether the body of an answer is wanted; that of status 200 where absent. */
  readonly reads?: (head: AnswerHead) => boolean;
};

/**
 * Requests to one registry, authenticated as it asks: anonymous first, then Basic or a Bearer token for the scope.
 * The Authorization header goes to the registry's own origin and nowhere else.
 */
export class RegistrySession {
  readonly origin: string;
  readonly #registry: string;
  readonly #options: SessionOptions;

  constructor(registry: string, options: SessionOptions) {
    const isPlain = isLoopbackRegistry(registry) || options.allowInsecure;
    this.origin = new URL(`${isPlain ? 'http' : 'https'}://${registry}`).origin;
    this.#registry = registry;
    this.#options = options;
  }

  /**
   * The answer, whatever its status but 401, with redirects of reads followed.
   * @param signal ends it, with `registry.timeout`.
   * @throws RegistryError `registry.unreachable`, `registry.timeout`, `registry.unauthorized`,
   * `registry.redirect_refused`, `registry.token_endpoint_refused`, `registry.unavailable`, `registry.answer_invalid`
   */
  async send(request: SessionRequest, signal?: AbortSignal): Promise<PeerAnswer> {
    const { authorizations } = this.#options;
    const first = await this.#follow(request, authorizations.get(this.#registry, request.scope), signal);
    if (first.status !== 401 || first.url.origin !== this.origin) return first;
    const challenge = parseChallenge(first.headers.get('www-authenticate'));
    if (challenge === undefined) throw this.#unauthorized('the registry names no way to authenticate');
    const { value, lifetimeMs } = await this.#answer(challenge, request.scope, signal);
    authorizations.set(this.#registry, request.scope, value, lifetimeMs);
    const second = await this.#follow(request, value, signal);
    if (second.status === 401) {
      throw this.#unauthorized('the registry does not accept the credentials that this machine has for it');
    }
    return second;
  }

  #follow(
    { method, url, headers, body, mostBytes = 0, reads }: SessionRequest,
    authorization: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<PeerAnswer> {
    const first = new URL(url, this.origin);
    this.#assertAllowed(first);
    const question = {
      method,
      body,
      headers: (asked: URL) => ({
        ...headers,
        ...(authorization === undefined || asked.origin !== this.origin ? {} : { authorization }),
      }),
    };
    return this.#ask(first, question, {
      signal,
      mostBytes,
      reads: (head) => mostBytes > 0 && (reads ?? ((one) => one.status === 200))(head),
      redirect: ({ from, location, count }) => this.#redirected(from, location, count, method),
    });
  }

  #redirected(from: URL, location: string, count: number, method: SessionRequest['method']): URL {
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead || count > MAX_REDIRECTS || !URL.canParse(location, from)) {
      throw new RegistryError('registry.redirect_refused', 'the registry redirects where it must not', { url: from });
    }
    const to = new URL(location, from);
    this.#assertAllowed(to);
    return to;
  }

  /** Everything goes to the registry itself or over TLS. */
  #assertAllowed(url: URL): void {
    if (url.username !== '' || url.password !== '' || (url.origin !== this.origin && url.protocol !== 'https:')) {
      throw new RegistryError('registry.redirect_refused', 'the registry refers to an address that is not https', {
        url,
      });
    }
  }

  async #answer(challenge: Challenge, scope: string, signal: AbortSignal | undefined): Promise<Authorization> {
    const credential = await this.#credential(signal);
    if (credential?.kind === 'bearer') return { value: `Bearer ${credential.token}` };
    if (challenge.scheme === 'bearer') return this.#exchange(challenge, scope, credential, signal);
    if (credential?.kind !== 'password') throw this.#unauthorized('the registry asks for a name and a password');
    return { value: basic(credential) };
  }

  /** Of a source that may take its time, and knows no signal. */
  async #credential(signal: AbortSignal | undefined): Promise<RegistryCredential | undefined> {
    const origin = new URL(this.origin);
    if (signal?.aborted) throw timeOver(origin, signal);
    const finding = this.#options.credentials(this.#registry);
    if (signal === undefined) return finding;
    const { promise: over, reject } = Promise.withResolvers<never>();
    const end = () => reject(timeOver(origin, signal));
    signal.addEventListener('abort', end, { once: true });
    return Promise.race([finding, over]).finally(() => signal.removeEventListener('abort', end));
  }

  async #exchange(
    challenge: Challenge & { scheme: 'bearer' },
    scope: string,
    credential: RegistryCredential | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Authorization> {
    const url = this.#tokenEndpoint(challenge.realm);
    const parameters = new URLSearchParams({
      ...(challenge.service === undefined ? {} : { service: challenge.service }),
      scope,
    });
    const options = { signal, mostBytes: MAX_TOKEN_ANSWER_BYTES, reads: ({ status }: AnswerHead) => status === 200 };
    const { status, body } =
      credential?.kind === 'refresh-token'
        ? await this.#ask(
            url,
            {
              method: 'POST',
              body: new URLSearchParams([
                ...parameters,
                ['grant_type', 'refresh_token'],
                ['client_id', 'colophon'],
                ['refresh_token', credential.token],
              ]),
            },
            options,
          )
        : await this.#ask(
            withParameters(url, parameters),
            { headers: credential?.kind === 'password' ? { authorization: basic(credential) } : {} },
            options,
          );
    if (status !== 200) {
      // A redirect is refused like any other answer: the credential was for this address.
      if (status >= 500) {
        throw new RegistryError('registry.unavailable', 'the token endpoint of the registry fails', { url, status });
      }
      throw this.#unauthorized(`the token endpoint ${withoutQuery(url)} answers ${status}`, status);
    }
    const parsed = parseStrictJson(body, { maxBytes: MAX_TOKEN_ANSWER_BYTES });
    const answer = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
    const token = answer['token'] ?? answer['access_token'];
    if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(token)) {
      throw new RegistryError(
        'registry.answer_invalid',
        'the token endpoint answers without a token that can be sent',
        {
          url,
        },
      );
    }
    const { expires_in: seconds } = answer;
    const lifetimeMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : DEFAULT_TOKEN_LIFETIME_MS;
    return { value: `Bearer ${token}`, lifetimeMs };
  }

  #tokenEndpoint(realm: string): URL {
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    const isSafe =
      url !== undefined &&
      url.username === '' &&
      (url.protocol === 'https:' || (url.protocol === 'http:' && url.origin === this.origin));
    if (isSafe) return url;
    throw new RegistryError(
      'registry.token_endpoint_refused',
      'the registry names a token endpoint that is neither https nor its own address: no credential is sent there',
      url === undefined ? {} : { url },
    );
  }

  async #ask(url: URL, question: Question, options: Omit<AskOptions, 'fetch' | 'timeoutMs'>): Promise<PeerAnswer> {
    const { fetch, timeoutMs } = this.#options;
    const { signal } = options;
    if (signal?.aborted) throw timeOver(url, signal);
    return askPeer(url, question, { fetch, timeoutMs, ...options }).catch((error: unknown) => {
      if (signal?.aborted) throw timeOver(url, signal);
      throw error instanceof NoAnswer ? silence(error, options.mostBytes) : error;
    });
  }

  #unauthorized(message: string, status = 401): RegistryError {
    return new RegistryError('registry.unauthorized', `${message} (docker login ${this.#registry})`, {
      url: this.origin,
      status,
    });
  }
}

function timeOver(url: URL, { reason }: AbortSignal): RegistryError {
  return new RegistryError('registry.timeout', `the time was over before ${url.host} answered`, { url, cause: reason });
}

function silence(error: NoAnswer, mostBytes: number): RegistryError {
  const { kind, url } = error;
  if (kind === 'too-large') {
    return new RegistryError('registry.too_large', `the answer has more than ${mostBytes} bytes`, { url });
  }
  return kind === 'timeout'
    ? new RegistryError('registry.timeout', `${url.host} did not answer in time`, { url })
    : new RegistryError('registry.unreachable', `cannot reach ${url.host}`, { url, cause: error });
}

function basic({ username, password }: RegistryCredential & { kind: 'password' }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function withParameters(url: URL, parameters: URLSearchParams): URL {
  const target = new URL(url);
  for (const [name, value] of parameters) target.searchParams.append(name, value);
  return target;
}
