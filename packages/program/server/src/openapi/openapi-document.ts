import {
  DISCOVERY_PATH,
  ISSUED_TOKEN_TYPE,
  JWKS_PATH,
  OAUTH_ERRORS,
  provenRecordSchema,
  REQUESTED_TYPES,
  SUBJECT_TYPES,
  TOKEN_EXCHANGE_GRANT,
  TOKEN_PATH,
  TOKEN_REFUSAL_STATUS,
} from '@colophon/issuer';
import { LEDGER_CHECKPOINT_PATH, LEDGER_CONSISTENCY_PATH } from '@colophon/pins';
import { tokenRequestSchema } from '@colophon/records';
import type { Role } from '../configuration/configuration-schema.ts';
import { LIVE_PATH, NOT_READY_STATUS, READY_PATH } from '../operations/health-endpoints.ts';
import { ServerError, type ServerErrorCode } from '../server-error/server-error.ts';

export const OPENAPI_PATH = '/openapi.json';

/** What of a server is described. */
export type Described = {
  readonly roles: readonly Role[];
  /** Whether callers are asked who they are. */
  readonly asksCallers: boolean;
  /** Whether records of tokens are served: to loopback alone. */
  readonly servesRuns: boolean;
  /** Codes with which a request is refused before any path is looked at. */
  readonly guardCodes: readonly ServerErrorCode[];
};

type Response = Readonly<Record<string, unknown>>;

/** An OpenAPI 3.1 document about what this server answers, made of the declarations that it answers by. */
export function openApiDocument({ roles, asksCallers, servesRuns, guardCodes }: Described) {
  const guarded = guardResponses(guardCodes);
  const read = (description: string, responses: Readonly<Record<string, Response>>) => ({
    get: { summary: description, responses: { ...responses, ...guarded } },
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Colophon',
      version: '1',
      description: [
        'An OpenID Connect issuer for agents. A request that is no HTTP, is too slow or has too large a header is',
        'answered by the HTTP parser, without a body.',
        ...roles.flatMap((role) => OTHERS[role] ?? []),
      ].join(' '),
    },
    paths: {
      [TOKEN_PATH]: { post: tokenOperation(asksCallers, guarded) },
      [DISCOVERY_PATH]: read('The discovery document.', documentResponses('Discovery')),
      [JWKS_PATH]: read('The keys that verify tokens.', documentResponses('KeySet')),
      [LEDGER_CHECKPOINT_PATH]: {
        parameters: [ORIGIN],
        ...read('The newest checkpoint of the ledger.', CHECKPOINT_RESPONSES),
      },
      [LEDGER_CONSISTENCY_PATH]: {
        parameters: SIZES,
        ...read('A proof that a larger state of the ledger continues a smaller one.', CONSISTENCY_RESPONSES),
      },
      ...(servesRuns ? { '/runs/{jti}': { parameters: [JTI], ...read('The record of a token.', RUN_RESPONSES) } } : {}),
      [OPENAPI_PATH]: read('This document.', documentResponses('Document')),
      [LIVE_PATH]: read('Whether the process answers.', { 200: { description: 'it does' } }),
      [READY_PATH]: read('Whether the server should get requests.', {
        200: { description: 'it should' },
        [NOT_READY_STATUS]: { description: 'it should not: the operations listener and the log say why' },
      }),
    },
    components: {
      schemas: {
        ...SCHEMAS,
        Problem: problemSchema([...guardCodes, ...LEDGER_CODES, ...(servesRuns ? ['issuer.run_not_found'] : [])]),
      },
      ...(asksCallers ? { securitySchemes: { caller: BEARER } } : {}),
    },
  };
}

/** APIs of others, which their own documents describe. */
const OTHERS: { readonly [role in Role]?: string } = {
  sboms: 'Published SBOMs are files below /.well-known/sboms/.',
  authority: 'Fulcio’s API v2, Rekor’s API v1 and RFC 3161 are served as their own documents say.',
  evidence: 'The evidence store is served below /evidence.',
  registry: 'The OCI distribution API is served below /v2/.',
};

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API key, or a token of an issuer that the configuration trusts.',
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (name: string) => ({ 'application/json': { schema: ref(name) } });
const PROBLEM = { 'application/problem+json': { schema: ref('Problem') } };
const header = (description: string) => ({ description, schema: { type: 'string' } });

const JTI = { name: 'jti', in: 'path', required: true, schema: { type: 'string' }, description: 'The token’s jti.' };

const size = (name: string, description: string) => ({
  name,
  in: 'query',
  required: true,
  schema: { type: 'integer', minimum: 1 },
  description,
});
const ORIGIN = {
  name: 'origin',
  in: 'query',
  schema: { type: 'string' },
  description:
    'First line of a checkpoint: a ledger that was frozen by a restore; the one that is written where absent.',
};
const SIZES = [
  ORIGIN,
  size('first', 'Rows of the smaller state.'),
  size('second', 'Rows of the larger one: at most those of the newest checkpoint.'),
];

const LEDGER_CODES = [
  'issuer.ledger_unknown',
  'issuer.no_checkpoint',
  'issuer.tree_size_unknown',
  'issuer.ledger_unavailable',
];

const UNAVAILABLE = {
  503: {
    description: 'the ledger cannot be read now',
    headers: { 'Retry-After': header('Seconds.') },
    content: PROBLEM,
  },
};

const CHECKPOINT_RESPONSES = {
  200: {
    description: 'a signed note (c2sp.org/tlog-checkpoint); the key is trust/ledger.pub of the issuer’s data folder',
    content: { 'text/plain': { schema: { type: 'string' } } },
  },
  404: { description: 'nothing was issued yet, or the issuer has no ledger of that name', content: PROBLEM },
  ...UNAVAILABLE,
};

const CONSISTENCY_RESPONSES = {
  200: { description: 'the proof (RFC 6962 §2.1.2); it never changes', content: json('ConsistencyProof') },
  404: {
    description: 'no checkpoint covers these two sizes, or the issuer has no ledger of that name',
    content: PROBLEM,
  },
  ...UNAVAILABLE,
};

const RUN_RESPONSES = {
  200: { description: 'what the ledger holds of the token', content: json('IssuanceRecord') },
  404: { description: 'no token with this jti was issued here', content: PROBLEM },
};

function documentResponses(name: string): Readonly<Record<string, Response>> {
  return {
    200: { description: 'the document', headers: { ETag: header('Strong.') }, content: json(name) },
    304: { description: 'If-None-Match names the document as it is' },
  };
}

function guardResponses(codes: readonly ServerErrorCode[]): Readonly<Record<string, Response>> {
  const statuses = new Set(codes.map((code) => ServerError.statusOf(code)));
  // Two Host headers are no request at all (RFC 9112 §3.2).
  if (codes.includes('server.host_not_loopback')) statuses.add(400);
  return Object.fromEntries(
    [...statuses].map((status) => [status, { description: 'not a request for this listener', content: PROBLEM }]),
  );
}

function tokenOperation(asksCallers: boolean, guarded: Readonly<Record<string, Response>>) {
  const statuses = [...new Set(TOKEN_REFUSAL_STATUS.values())].sort((a, b) => a - b);
  const refusals = statuses.map((status) => {
    const codes = [...TOKEN_REFUSAL_STATUS].filter(([, of]) => of === status).map(([code]) => code);
    const schema = { allOf: [ref('TokenRefusal'), { properties: { code: { enum: codes } } }] };
    return [
      status,
      {
        description: MEANING_OF[status] ?? 'refused',
        headers: headersOf(status),
        content: { 'application/json': { schema }, ...(guarded[status] === undefined ? {} : PROBLEM) },
      },
    ] as const;
  });
  return {
    summary: 'A token for an agent’s run, or for a reviewer.',
    ...(asksCallers ? { security: [{ caller: [] }, {}] } : {}),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: ref('TokenRequest') },
        ...(asksCallers ? { 'application/x-www-form-urlencoded': { schema: ref('TokenExchange') } } : {}),
      },
    },
    responses: {
      200: {
        description: 'a token that is in the ledger: the body itself, or the response of a token exchange',
        content: {
          'application/jwt': { schema: { type: 'string' } },
          ...(asksCallers ? json('TokenExchangeResponse') : {}),
        },
      },
      ...guarded,
      ...Object.fromEntries(refusals),
    },
  };
}

const MEANING_OF: Readonly<Record<number, string>> = {
  400: 'the request cannot be understood, or asks for what is not issued',
  401: 'no credential, or one that counts for nothing',
  403: 'the caller may not ask for this',
  405: 'any method but POST',
  413: 'the body is too large',
  415: 'not exactly one of the content types',
  429: 'too many requests of this caller or address',
  500: 'the issuer failed; nothing was issued',
  503: 'nothing can be issued now',
};

function headersOf(status: number): Readonly<Record<string, object>> {
  if (status === 401) return { 'WWW-Authenticate': header('How a credential is sent.') };
  if (status === 405) return { Allow: header('POST') };
  if (status === 429 || status === 503) return { 'Retry-After': header('Seconds.') };
  return {};
}

const text = { type: 'string' };
const texts = { type: 'array', items: text };

const { $schema: _dialect, ...tokenRequest } = tokenRequestSchema;

const SCHEMAS = {
  TokenRequest: tokenRequest,
  TokenExchange: {
    type: 'object',
    description: 'RFC 8693 §2.1; the run’s context is sent as further parameters, as in TokenRequest.',
    required: ['grant_type', 'subject_token', 'subject_token_type'],
    properties: {
      grant_type: { const: TOKEN_EXCHANGE_GRANT },
      subject_token: { ...text, description: 'The caller’s credential, instead of the header.' },
      subject_token_type: { enum: [...SUBJECT_TYPES.token, ...SUBJECT_TYPES.key] },
      requested_token_type: { enum: REQUESTED_TYPES },
    },
    additionalProperties: text,
  },
  TokenExchangeResponse: {
    type: 'object',
    required: ['access_token', 'issued_token_type', 'token_type', 'expires_in'],
    properties: {
      access_token: text,
      issued_token_type: { const: ISSUED_TOKEN_TYPE },
      token_type: { const: 'N_A' },
      expires_in: { type: 'integer', minimum: 1 },
    },
    additionalProperties: false,
  },
  TokenRefusal: {
    type: 'object',
    description: 'RFC 6749 §5.2, with a stable code: docs/errors.md says what each means.',
    required: ['error', 'error_description', 'code'],
    properties: {
      error: { enum: OAUTH_ERRORS },
      error_description: text,
      code: text,
      field: { ...text, description: 'The field that is to blame.' },
      issues: {
        type: 'array',
        items: {
          type: 'object',
          required: ['path', 'code', 'message'],
          properties: { path: text, code: text, message: text, expected: text },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  },
  ConsistencyProof: {
    type: 'object',
    required: ['first', 'second', 'hashes'],
    properties: {
      first: { type: 'integer', minimum: 1 },
      second: { type: 'integer', minimum: 1 },
      hashes: { type: 'array', items: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
    },
    additionalProperties: false,
  },
  IssuanceRecord: provenRecordSchema,
  Discovery: {
    type: 'object',
    description: 'OpenID Connect Discovery §3.',
    required: ['issuer', 'token_endpoint', 'jwks_uri', 'id_token_signing_alg_values_supported'],
    properties: {
      issuer: text,
      token_endpoint: text,
      jwks_uri: text,
      id_token_signing_alg_values_supported: texts,
      grant_types_supported: texts,
      claims_supported: texts,
    },
  },
  KeySet: {
    type: 'object',
    description: 'RFC 7517 §5.',
    required: ['keys'],
    properties: { keys: { type: 'array', minItems: 1, items: { type: 'object', required: ['kty', 'kid', 'alg'] } } },
    additionalProperties: false,
  },
  Document: { type: 'object', required: ['openapi', 'info', 'paths'] },
};

/** RFC 9457. */
function problemSchema(codes: readonly string[]) {
  return {
    type: 'object',
    description: 'RFC 9457, with a stable code.',
    required: ['type', 'title', 'status', 'code', 'detail'],
    properties: {
      type: { const: 'about:blank' },
      title: text,
      status: { type: 'integer' },
      code: { enum: ['server.not_found', ...codes] },
      detail: text,
    },
    additionalProperties: false,
  };
}

/** A company's issuer behind TLS: what docs/openapi.json describes. */
export const COMPANY_ISSUER: Described = { roles: ['issuer'], asksCallers: true, servesRuns: false, guardCodes: [] };
