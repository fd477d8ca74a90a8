/** Why whoever sends decisions may not: everything that leaves the process about it. */
export type SenderRefusal = {
  /** Of HTTP. */
  readonly status: number;
  /** Of the issuer that knows the callers. */
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
};

/** Who sends decisions may do so, or why not. */
export type CheckedSender =
  | {
      readonly ok: true;
      /** Of a credential that counts once: uses it up, in the transaction that writes; the refusal where it was used. */
      spend?(): SenderRefusal | undefined;
    }
  | { readonly ok: false; readonly refusal: SenderRefusal };

/** Checks who sends decisions, by every `Authorization` header of the request. */
export type CheckSender = (authorizations: readonly string[]) => Promise<CheckedSender>;

/** Ends a request whose credential was used before; nothing is written. */
export class SenderRefused extends Error {
  override readonly name = 'SenderRefused';
  readonly refusal: SenderRefusal;

  constructor(refusal: SenderRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}
