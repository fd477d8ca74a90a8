import { StoreError } from '@colophon/store';
import { AuthorityError, type AuthorityErrorCode } from '../authority-error/authority-error.ts';

/** A refusal as every one of the three APIs needs it before giving it its own shape. */
export type Refusal = { readonly status: number; readonly code: AuthorityErrorCode; readonly message: string };

/** When a request that was refused with 503 may be sent again. */
export const RETRY_AFTER_SECONDS = 1;

/** Codes that are not simply a bad request. */
const STATUS: { readonly [code in AuthorityErrorCode]?: number } = {
  'authority.request_too_large': 413,
  'authority.content_type_unsupported': 415,
  'authority.not_found': 404,
  'authority.entry_exists': 409,
  'authority.too_many_queries': 422,
  'authority.busy': 503,
  'authority.internal': 500,
};

/**
 * What may leave the process about an error: the text of our own refusals, and nothing about any other.
 * A store that cannot write now is 503: the same request may be tried again.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof AuthorityError) {
    return { status: STATUS[error.code] ?? 400, code: error.code, message: error.message };
  }
  if (error instanceof StoreError && error.code === 'store.unavailable') {
    return { status: 503, code: 'authority.internal', message: 'the store cannot be written at the moment' };
  }
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (status === 503) return { status, code: 'authority.busy', message: 'too many large requests at once' };
  if (status === 413) return { status, code: 'authority.request_too_large', message: 'the request body is too large' };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return { status, code: 'authority.request_malformed', message: 'the request cannot be read' };
  }
  return { status: 500, code: 'authority.internal', message: 'an internal error' };
}
