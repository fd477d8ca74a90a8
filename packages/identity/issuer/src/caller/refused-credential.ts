import type { CallerErrorCode } from '../caller-error/caller-error.ts';
import type { CredentialKind } from '../ports/ports.ts';

/** A credential counts for nothing. The message may leave the process: it holds nothing of the credential. */
export class RefusedCredential extends Error {
  override readonly name = 'RefusedCredential';
  readonly code: CallerErrorCode;
  /** Whose credential it is, where that is known. */
  readonly caller: string | undefined;
  /** Which kind it is, once that is known. */
  kind: CredentialKind = 'none';

  constructor(code: CallerErrorCode, message: string, { caller, cause }: { caller?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
    this.caller = caller;
  }
}
