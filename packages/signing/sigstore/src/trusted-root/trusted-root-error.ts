import { declareErrors } from '@colophon/fault';

const KINDS = {
  'trusted_root.malformed': 'untrusted',
  'trusted_root.unsupported_media_type': 'untrusted',
  'trusted_root.empty': 'untrusted',
  'trusted_root.issuers_invalid': 'usage',
  'trusted_root.issuers_missing': 'usage',
  'trusted_root.local_issuer_repeated': 'usage',
} as const;

/** One of {@link TrustedRootError.codes}. */
export type TrustedRootErrorCode = keyof typeof KINDS;

/** The trust material itself cannot be used. */
export const TrustedRootError = declareErrors('TrustedRootError', KINDS, (details: TrustedRootErrorDetails) => details);
export type TrustedRootError = InstanceType<typeof TrustedRootError>;

export type TrustedRootErrorDetails = {
  /** JSON Pointer of the value that is to blame. */
  readonly path?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly cause?: unknown;
};
