/** Exit code of the command line for each way in which reading the log fails. */
export const LOG_EXIT_CODES = {
  'log.unavailable': 3,
  'log.refused': 4,
  'log.not_found': 11,
  'log.answer_invalid': 13,
  'log.entry_mismatch': 12,
  'log.untrusted': 13,
  'log.proof_invalid': 13,
  'log.promise_invalid': 13,
} as const;
export type LogErrorCode = keyof typeof LOG_EXIT_CODES;

/** Every code of LogError. */
export const LOG_ERROR_CODES = Object.keys(LOG_EXIT_CODES) as readonly LogErrorCode[];

/** The transparency log could not be read, or what it said does not hold. */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly code: LogErrorCode;
  /** The peer's HTTP status, where it answered. */
  readonly status: number | undefined;

  constructor(
    code: LogErrorCode,
    message: string,
    details: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
  }

  /** For the command line. */
  get exitCode(): (typeof LOG_EXIT_CODES)[LogErrorCode] {
    return LOG_EXIT_CODES[this.code];
  }
}
