import { StoreError } from '@colophon/store';
import { AuthorityError, type AuthorityErrorCode } from '../authority-error/authority-error.ts';

/** A refusal as every one of the three APIs needs it before giving it its own shape. */
export type Refusal = { readonly status: number; readonly code: AuthorityErrorCode; readonly message: string };

/** When a request that was refused with 503 may be sent again. */
export const RETRY_AFTER_SECONDS = 1;

/**
 * What may leave the process about an error: the text of our own refusals, and nothing about any other.
 * A store that cannot write now is 503: the same request may be tried again.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof AuthorityError) {
    return { status: AuthorityError.statusOf(error.code), code: error.code, message: error.message };
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
  return {
    status: AuthorityError.statusOf('authority.internal'),
    code: 'authority.internal',
    message: 'an internal error',
  };
}
