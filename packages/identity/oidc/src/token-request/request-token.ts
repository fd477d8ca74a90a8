import { randomBytes } from 'node:crypto';
import type { Kind } from '@colophon/fault';
import { askPeer, membersIn, type PeerAnswer, underBase } from '@colophon/peer';
import { formatReviewerProof } from '@colophon/records';
import { type RequestProblem, TokenRequestError } from './token-request-error.ts';

const LIMITS = { timeoutMs: 15_000, mostBytes: 64 * 1024, redirect: 'refused' } as const;
const TOKEN = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2}$/;
const TOKENS = /[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g;

/**
 * Asks the issuer for one identity token (contract §2.2). `secret` is a local reviewer's, for a reviewer's own token: it
 * is proven, never sent. `credential` is the caller's own token or API key, and is sent. Neither they nor a token are ever
 * part of an error, whatever the peer says.
 * @throws TokenRequestError `issuer.unreachable`, `issuer.refused`: of kind unauthorized for 401 and 403, peer
 * where it failed, else refused
 */
export async function requestToken(
  issuerUrl: string,
  request: Uint8Array,
  { secret, credential }: { secret?: string; credential?: string | undefined } = {},
): Promise<string> {
  const endpoint = underBase(issuerUrl, '/oauth/token');
  const headers = {
    'content-type': 'application/json',
    ...(secret === undefined ? {} : { authorization: proofOf(secret, issuerUrl, request) }),
    ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
  };
  const question = { method: 'POST', headers, body: request };
  const answer = await askPeer(endpoint, question, LIMITS).catch((cause: Error) => {
    throw unreachable(endpoint, `the issuer at ${issuerUrl} does not answer`, cause.message);
  });
  const text = new TextDecoder().decode(answer.body);
  if (answer.isOk && TOKEN.test(text)) return text;
  if (answer.isOk) {
    throw unreachable(endpoint, `what answers at ${issuerUrl} is no issuer`, 'an answer that is no identity token');
  }
  throw refusal(endpoint, answer, (text) => withoutSecrets(text, [secret, credential]));
}

const NEXT_CREDENTIAL = '--caller-credential FILE, or $COLOPHON_CALLER_CREDENTIAL';

/** Valid for this request, to this issuer, once: another program on the port cannot use it for anything. */
function proofOf(secret: string, issuer: string, body: Uint8Array): string {
  return formatReviewerProof({ secret, issuer, body, issuedAt: Date.now(), nonce: randomBytes(16).toString('hex') });
}

function unreachable(checked: string, message: string, found: string): TokenRequestError {
  return new TokenRequestError('issuer.unreachable', message, {
    checked,
    found,
    next: 'colophon up    (or --issuer URL for another issuer)',
  });
}

/** RFC 6749 §5.2, with our code, field and issues; another peer's words are not repeated. */
function refusal(checked: string, answer: PeerAnswer, clean: (text: string) => string): TokenRequestError {
  const { error_description, code, field, issues } = membersIn(answer.body);
  const said = [
    error_description,
    typeof code === 'string' ? `[${code}]` : undefined,
    typeof field === 'string' ? `(field ${field})` : undefined,
  ].filter((part) => typeof part === 'string');
  return new TokenRequestError(
    'issuer.refused',
    `the issuer refused the request: ${clean(said.join(' ')) || `HTTP ${answer.status}`}`,
    {
      checked,
      ...(Array.isArray(issues) ? { issues: issues.flatMap((issue) => readIssue(issue, clean)) } : {}),
      kind: kindOfStatus(answer.status),
      ...(code === 'caller.credential_missing' ? { next: NEXT_CREDENTIAL } : {}),
    },
  );
}

function kindOfStatus(status: number): Kind {
  if (status === 401 || status === 403) return 'unauthorized';
  return status >= 500 || status === 429 ? 'peer' : 'refused';
}

function readIssue(issue: unknown, clean: (text: string) => string): RequestProblem[] {
  const { path, code, message, expected } = (issue ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || typeof message !== 'string') return [];
  return [
    {
      ...(typeof path === 'string' ? { path: clean(path) } : {}),
      code: clean(code),
      message: clean(message),
      ...(typeof expected === 'string' ? { expected: clean(expected) } : {}),
    },
  ];
}

/** A peer that repeats what it was sent repeats it to a log or a screen. */
function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const bare = text.replace(TOKENS, '<token>').slice(0, 1_000);
  return secrets.reduce<string>((clean, secret) => (secret ? clean.replaceAll(secret, '<secret>') : clean), bare);
}
