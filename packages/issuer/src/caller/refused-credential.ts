import type { CallerErrorCode } from '../caller-error/caller-error.ts';

/** A credential counts for nothing. The message may leave the process: it holds nothing of the credential. */
export class RefusedCredential extends Error {
  override readonly name = 'RefusedCredential';
  readonly code: CallerErrorCode;
  /** Whose credential it is, where that is known. */
  readonly caller: string | undefined;

  constructor(code: CallerErrorCode, message: string, { caller, cause }: { caller?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
    this.caller = caller;
  }
}
