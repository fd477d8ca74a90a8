import type { CertificateIdentity, Person } from '@colophon/records';
import type { Rejection } from '../rejection/rejection.ts';

/** A withdrawal of a rejection, and who signed it. */
export type Withdrawal = {
  /** Hex SHA-256 of the bundle of the rejection that is taken back. */
  readonly rejection: string;
  readonly certificate_identity: CertificateIdentity;
};

/** Somebody with more rejections than the list holds of them. */
export type Overflow = {
  readonly person: Person;
  readonly certificate_identity: CertificateIdentity;
};

/** A list of standing negatives whose signature, age and sequence were verified. */
export type NegativesList = {
  readonly from: string;
  readonly sequence: number;
  /** RFC 3339 with Z: when it was signed. */
  readonly time: string;
  /** RFC 3339 with Z: when it was put together, which may be longer ago than its signature. */
  readonly made_at?: string;
  /** `identity` signed the rejection. */
  readonly rejections: ReadonlyArray<Rejection & { readonly certificate_identity: CertificateIdentity }>;
  readonly withdrawals: readonly Withdrawal[];
  /** What they rejected, beside what is listed, nobody can tell; nobody where absent. */
  readonly overflows?: readonly Overflow[];
};

/** What is known of rejections beside the registry: a list, none at all, or one that could not be had. */
export type NegativesView =
  | { readonly kind: 'registry-only' }
  | {
      readonly kind: 'list';
      readonly list: NegativesList;
      /** How old it may be, by whoever read it; where absent, as the policy says, or DEFAULT_NEGATIVES_MAX_AGE_SECONDS. */
      readonly maxAgeSeconds?: number;
    }
  | { readonly kind: 'incomplete'; readonly from: string; readonly message: string };
