import { type Issue, parsePointer } from '@colophon/json';
import { CallerError, type CallerErrorCode } from '../caller-error/caller-error.ts';
import { IssuerError, type IssuerErrorCode } from '../issuer-error/issuer-error.ts';

/**
 * The closed list for `error`: RFC 6749 §5.2, and for answers that §5.2 does not cover (429 and 5xx) the two codes
 * that the same RFC has in §4.1.2.1.
 */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'temporarily_unavailable',
  'server_error',
] as const;
export type OauthError = (typeof OAUTH_ERRORS)[number];

/** Why no token was made: everything that leaves the process about it. */
export type TokenRefusal = {
  /** Of HTTP. */
  readonly status: number;
  readonly error: OauthError;
  /** Stable, listed in docs/errors.md. */
  readonly code: string;
  readonly message: string;
  /** The request's field that is to blame. */
  readonly field?: string;
  /** Every problem of the request, where there may be several. */
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  /** Of the caller, where its credential was good. */
  readonly caller?: string;
};

/** How a code of ours is answered: with the status that it is declared with, and in the words of RFC 6749. */
export function refusedWith(code: IssuerErrorCode, error: OauthError): Pick<TokenRefusal, 'status' | 'error' | 'code'> {
  return { status: IssuerError.statusOf(code), error, code };
}

/** The same for what is wrong with a caller, its credential or its rights. */
export function refusedCaller(code: CallerErrorCode): Pick<TokenRefusal, 'status' | 'error' | 'code'> {
  const status = CallerError.statusOf(code);
  return { status, error: OAUTH_ERROR_OF[status] ?? 'invalid_request', code };
}

const OAUTH_ERROR_OF: Readonly<Record<number, OauthError>> = {
  401: 'invalid_client',
  403: 'unauthorized_client',
  503: 'temporarily_unavailable',
};

/** More issues than these are not repeated to the caller: one request cannot ask for a long answer. */
export const MAX_REPORTED_ISSUES = 32;

const MAX_TEXT = 400;

/** The refusal as the body of an OAuth error response (RFC 6749 §5.2) with our own `code`, `field` and `issues`. */
export function renderTokenRefusal(refusal: TokenRefusal): string {
  return JSON.stringify({
    error: refusal.error,
    error_description: describe(refusal.message),
    code: refusal.code,
    field: refusal.field,
    issues: refusal.issues?.slice(0, MAX_REPORTED_ISSUES).map(({ path, code, message, expected }) => ({
      path: path.slice(0, MAX_TEXT),
      code,
      message: message.slice(0, MAX_TEXT),
      expected,
    })),
  });
}

/** RFC 6749 §5.2 allows printable ASCII without `"` and `\` here. */
function describe(message: string): string {
  return message
    .slice(0, MAX_TEXT)
    .replaceAll(/["‘’]/g, "'")
    .replaceAll('…', '...')
    .replaceAll(/[^\x20-\x7e]|\\/g, '?');
}

/** A request that the parser refused: the first issue is the refusal's code and field, all are listed. */
export function refuseIssues(issues: readonly Issue[]): TokenRefusal {
  const first = issues[0]!;
  const isTooLarge = first.code === 'json.too_large';
  const field = fieldOf(first.path);
  return {
    status: isTooLarge ? 413 : 400,
    error: 'invalid_request',
    code: first.code,
    message: first.message,
    ...(field === undefined ? {} : { field }),
    issues,
  };
}

/** The top-level member that a JSON Pointer leads into; undefined for the whole document. */
function fieldOf(path: string): string | undefined {
  return parsePointer(path)?.[0]?.slice(0, MAX_TEXT);
}
