import { declareErrors } from '@colophon/fault';
import type { Issue } from '@colophon/json';

const KINDS = {
  'pack.malformed': 'untrusted',
  'pack.digest_mismatch': 'untrusted',
  'pack.root_mismatch': 'untrusted',
  'pack.too_large': 'refused',
} as const;

/** An evidence pack cannot be written or read. */
export const PackError = declareErrors(
  'PackError',
  KINDS,
  ({
    issues,
    expected,
    found,
  }: {
    readonly issues?: readonly Issue[];
    readonly expected?: string;
    readonly found?: string;
  }) => ({
    issues,
    expected,
    found,
  }),
);
export type PackError = InstanceType<typeof PackError>;
