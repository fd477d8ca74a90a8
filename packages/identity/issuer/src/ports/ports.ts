/** Milliseconds since the epoch. */
export type Clock = { now(): number };

/** Where salts, token identifiers and agents' identifiers come from; must be unpredictable. */
export type Random = {
  /** `length` fresh random bytes. */
  bytes(length: number): Uint8Array;
  /** A random UUID (RFC 9562, version 4). */
  uuid(): string;
};

/** How a caller said who it is. */
export const CREDENTIAL_KINDS = ['api-key', 'token', 'none'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** Is told what the issuer did, for its operator's numbers. Texts are codes and kinds, never what somebody sent. */
export type IssuerWatch = {
  /**
   * A token request has its answer.
   * @param refusal undefined where a token was issued; `caller` says that the caller was known
   */
  answered(refusal: { readonly code: string; readonly caller?: string } | undefined, elapsedMs: number): void;
  /** A credential was looked at. @param code why it counts for nothing; undefined where it does */
  credential(kind: CredentialKind, code: string | undefined): void;
};

/** What pino and its like offer. Nothing that a caller sent is given to it unescaped, and no secret at all. */
export type Logger = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};
