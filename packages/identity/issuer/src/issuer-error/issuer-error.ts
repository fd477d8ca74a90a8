import { declareErrors } from '@colophon/fault';

const KINDS = {
  'issuer.agent_name_case': 'usage',
  'issuer.body_too_large': { kind: 'usage', httpStatus: 413 },
  'issuer.clock_went_back': 'peer',
  'issuer.closed': 'peer',
  'issuer.content_type_unsupported': { kind: 'usage', httpStatus: 415 },
  'issuer.form_invalid': 'usage',
  'issuer.form_parameter_unsupported': 'usage',
  'issuer.agent_id_changed': { kind: 'unauthorized', httpStatus: 403 },
  'issuer.grant_type_unsupported': 'usage',
  'issuer.internal': 'machine',
  'issuer.ledger_damaged': 'machine',
  'issuer.ledger_unavailable': 'peer',
  'issuer.ledger_unknown': 'not-found',
  'issuer.no_checkpoint': 'not-found',
  'issuer.tree_size_unknown': 'not-found',
  'issuer.method_not_allowed': { kind: 'usage', httpStatus: 405 },
  'issuer.rate_limited': { kind: 'refused', httpStatus: 429 },
  'issuer.request_invalid': 'usage',
  'issuer.review_not_offered': { kind: 'unauthorized', httpStatus: 403 },
  'issuer.reviewer_secret_required': 'unauthorized',
  'issuer.run_not_found': 'not-found',
} as const;

/** One of {@link IssuerError.codes}. */
export type IssuerErrorCode = keyof typeof KINDS;

/** The issuer cannot start, or an operation on its ledger cannot be done. */
export const IssuerError = declareErrors('IssuerError', KINDS);
export type IssuerError = InstanceType<typeof IssuerError>;
