/** Error identifiers of the distribution spec ("Error Codes"), and the two that a 5xx answer adds. */
export const OCI_ERROR_CODES = [
  'BLOB_UNKNOWN',
  'BLOB_UPLOAD_INVALID',
  'BLOB_UPLOAD_UNKNOWN',
  'DIGEST_INVALID',
  'MANIFEST_BLOB_UNKNOWN',
  'MANIFEST_INVALID',
  'MANIFEST_UNKNOWN',
  'NAME_INVALID',
  'NAME_UNKNOWN',
  'SIZE_INVALID',
  'DENIED',
  'UNSUPPORTED',
  'TOOMANYREQUESTS',
  'UNAVAILABLE',
  'INTERNAL',
] as const;
export type OciErrorCode = (typeof OCI_ERROR_CODES)[number];

/** A refusal as the distribution spec renders it: `{"errors":[{"code","message"}]}` with an HTTP status. */
export class OciError extends Error {
  readonly status: number;
  readonly code: OciErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: OciErrorCode,
    message: string,
    { headers = {}, cause }: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'OciError';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const UNAVAILABLE = new Set(['EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EACCES', 'EPERM']);
const SQLITE_FULL = 13;
/** BUSY, LOCKED, NOMEM, READONLY, IOERR, CANTOPEN. */
const SQLITE_UNAVAILABLE = new Set([5, 6, 7, 8, 10, 14]);

/** What a storage failure looks like from outside; anything unmapped is a 500 whose cause goes to the log only. */
export function toOciError(error: unknown): OciError {
  if (error instanceof OciError) return error;
  const { code, errcode, statusCode } = error as { code?: unknown; errcode?: unknown; statusCode?: unknown };
  const sqlite = typeof errcode === 'number' ? errcode & 0xff : undefined;
  if (NO_SPACE.has(String(code)) || sqlite === SQLITE_FULL) {
    return new OciError(507, 'UNAVAILABLE', 'the registry has no room left', { cause: error });
  }
  if (UNAVAILABLE.has(String(code)) || (sqlite !== undefined && SQLITE_UNAVAILABLE.has(sqlite))) {
    return new OciError(503, 'UNAVAILABLE', 'the registry cannot reach its storage', {
      headers: { 'retry-after': '5' },
      cause: error,
    });
  }
  if (statusCode === 503) {
    return new OciError(503, 'UNAVAILABLE', 'too many large requests at once', { headers: { 'retry-after': '1' } });
  }
  // Fastify's own refusals: a malformed Content-Type, a body that ended early.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new OciError(statusCode, 'UNSUPPORTED', 'the request could not be read', { cause: error });
  }
  return new OciError(500, 'INTERNAL', 'internal error', { cause: error });
}
