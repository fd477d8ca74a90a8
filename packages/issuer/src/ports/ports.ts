/** Milliseconds since the epoch. */
export type Clock = { now(): number };

/** Where salts, token identifiers and agents' identifiers come from; must be unpredictable. */
export type Random = {
  /** `length` fresh random bytes. */
  bytes(length: number): Uint8Array;
  /** A random UUID (RFC 9562, version 4). */
  uuid(): string;
};

/** What pino and its like offer. Nothing that a caller sent is given to it unescaped, and no secret at all. */
export type Logger = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};
