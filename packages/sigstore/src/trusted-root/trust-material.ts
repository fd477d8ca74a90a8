import type { KeyObject } from 'node:crypto';
import type { Namespace } from '@colophon/records';
import type { TrustMaterial as LibraryMaterial } from '@sigstore/verify';

/** A log whose key is pinned. */
export type TrustedLog = {
  readonly baseUrl: string;
  /** 32 bytes; its first four are the key hint of a checkpoint's signature. */
  readonly logId: Uint8Array;
  readonly publicKey: KeyObject;
  readonly validFrom: Date;
  /** Inclusive. */
  readonly validUntil: Date;
};

/** Pinned authorities and logs. The only source of trust that verification has. */
export type TrustMaterial = {
  readonly logs: readonly TrustedLog[];
  /** DER of every certificate of every certificate authority. */
  readonly authorityCertificates: readonly Uint8Array[];
  /** The same material in the form that the verification library takes. */
  readonly library: LibraryMaterial;
  /** The names that are ours, as the verifier has set them: no document that is verified has a say in them. */
  readonly namespace: Namespace;
};
