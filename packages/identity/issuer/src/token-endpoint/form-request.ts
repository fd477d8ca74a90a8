import type { JsonObject } from '@colophon/json';
import { isApiKey } from '../api-key/api-key.ts';
import { RUN_CONTEXT_GRANT, TOKEN_EXCHANGE_GRANT } from '../discovery/discovery.ts';
import { refusedWith, type TokenRefusal } from '../token-refusal/token-refusal.ts';

const TYPE = 'urn:ietf:params:oauth:token-type:';
/** What is answered in every token exchange: the token is OpenID Connect's, and no access token. */
export const ISSUED_TOKEN_TYPE = `${TYPE}id_token`;

/** Types that say what a caller's credential is: a token that its issuer signed, or a key that only we can read. */
export const SUBJECT_TYPES = { token: [`${TYPE}jwt`, `${TYPE}id_token`], key: [`${TYPE}access_token`] } as const;
/** Types that a caller may ask for. */
export const REQUESTED_TYPES = [ISSUED_TOKEN_TYPE, `${TYPE}jwt`];

/** Parameters of RFC 8693 that would ask for something else than a token about this caller's run. */
const NOT_SERVED = ['actor_token', 'actor_token_type', 'resource', 'scope'];

/** A token exchange (RFC 8693 §2.1): the caller's credential, and the run's context as form parameters. */
export type TokenExchange = { readonly subjectToken: string; readonly context: JsonObject };

export type FormRequest =
  | { readonly ok: true; readonly exchange: TokenExchange }
  | { readonly ok: false; readonly refusal: TokenRefusal };

/**
 * Reads a form request (RFC 6749 §3.2). Every parameter stands there once; those that RFC 8693 does not have are the
 * members of a token request.
 * @param servesExchange whether callers are asked who they are; without it no form is served
 */
export function readForm(body: Uint8Array, servesExchange: boolean): FormRequest {
  const parameters = parametersOf(body);
  if (parameters === undefined) return refuse('issuer.form_invalid', undefined, 'the form is not URL-encoded UTF-8');
  const names = parameters.map(([name]) => name);
  const values = new Map(parameters);
  const grantType = values.get('grant_type');
  if (!grantType || names.filter((name) => name === 'grant_type').length !== 1) {
    return refuse('issuer.form_invalid', 'grant_type', 'a form request carries grant_type exactly once');
  }
  if (grantType === RUN_CONTEXT_GRANT) {
    const message = 'the run context is sent as JSON, with Content-Type: application/json';
    return refuse('issuer.form_invalid', undefined, message);
  }
  if (!servesExchange || grantType !== TOKEN_EXCHANGE_GRANT) {
    const message = 'this grant type is not served; send the run context as JSON, with Content-Type: application/json';
    return refuse('issuer.grant_type_unsupported', 'grant_type', message);
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) return refuse('issuer.form_invalid', repeated, 'a parameter stands there once');
  const unserved = NOT_SERVED.find((name) => values.has(name));
  if (unserved !== undefined) {
    return refuse('issuer.form_parameter_unsupported', unserved, `this exchange has no ${unserved}`);
  }
  const subjectToken = values.get('subject_token');
  if (!subjectToken) return refuse('issuer.form_invalid', 'subject_token', 'the credential of the caller is missing');
  const types: readonly string[] = SUBJECT_TYPES[isApiKey(subjectToken) ? 'key' : 'token'];
  if (!types.includes(values.get('subject_token_type') ?? '')) {
    return refuse('issuer.form_invalid', 'subject_token_type', `this credential is of the type ${types.join(' or ')}`);
  }
  const requested = values.get('requested_token_type');
  if (requested !== undefined && !REQUESTED_TYPES.includes(requested)) {
    return refuse('issuer.form_invalid', 'requested_token_type', `this issuer makes ${REQUESTED_TYPES.join(' or ')}`);
  }
  const context = Object.fromEntries(parameters.filter(([name]) => !OF_THE_EXCHANGE.has(name)));
  return { ok: true, exchange: { subjectToken, context } };
}

const OF_THE_EXCHANGE = new Set(['grant_type', 'subject_token', 'subject_token_type', 'requested_token_type']);

/** The parameters in their order; undefined where bytes or escapes are none. */
function parametersOf(body: Uint8Array): Array<[name: string, value: string]> | undefined {
  const text = Buffer.from(body).toString('latin1');
  if (/[^\x20-\x7e]/.test(text)) return undefined;
  try {
    return text
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', ...rest] = pair.split('=');
        return [decode(name), decode(rest.join('='))];
      });
  } catch {
    return undefined;
  }
}

/** @throws URIError for a broken escape, and for bytes that are no UTF-8 */
function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function refuse(
  code: 'issuer.form_invalid' | 'issuer.form_parameter_unsupported' | 'issuer.grant_type_unsupported',
  field: string | undefined,
  message: string,
): FormRequest {
  const error = code === 'issuer.grant_type_unsupported' ? 'unsupported_grant_type' : 'invalid_request';
  return { ok: false, refusal: { ...refusedWith(code, error), ...(field === undefined ? {} : { field }), message } };
}
