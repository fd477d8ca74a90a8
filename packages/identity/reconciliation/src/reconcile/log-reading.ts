import type { CertificateFields } from '@colophon/sigstore/certificate';

/** A certificate in a log. */
export type LoggedCertificate = {
  /** Of the entry. */
  readonly index: number;
  /** Certificate, TBSCertificate or whatever stands in their place. */
  readonly bytes: Uint8Array;
  /** Undefined where it cannot be read. */
  readonly certificate: CertificateFields | undefined;
  /** Whether a pinned authority issued it: into some logs anybody writes certificates that he made himself. */
  readonly vouched: boolean;
};

/** What was read: from `start` up to the tree of `size` entries. */
export type ReadLog = {
  readonly logId: Uint8Array;
  readonly start: number;
  /** Of the entries before `start`; absent where the log was not asked for it. */
  readonly startRoot?: Uint8Array;
  readonly size: number;
  readonly root: Uint8Array;
  /** Of the tree head; absent where the log does not say it. */
  readonly signedAt?: Date;
};

/** A log that can be read once, to its end. */
export type LogReading = {
  readonly kind: 'ct' | 'rekor';
  readonly url: string;
  /** What was visited counts only if this is fulfilled: only then is the log known to have shown all that it holds. */
  read(visit: (logged: LoggedCertificate) => void): Promise<ReadLog>;
};
