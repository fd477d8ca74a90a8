import type { KeyObject } from 'node:crypto';
import type { Namespace } from '@colophon/records';
import type { TrustMaterial as LibraryMaterial } from '@sigstore/verify';
import type { IssuerScope } from './issuer-scope.ts';

/** A log whose key is pinned. */
export type TrustedLog = {
  readonly baseUrl: string;
  /** 32 bytes; its first four are the key hint of a checkpoint's signature. */
  readonly logId: Uint8Array;
  readonly publicKey: KeyObject;
  readonly validFrom: Date;
  /** Inclusive. */
  readonly validUntil: Date;
  /** Is told every checkpoint that was verified with this log's key, for whoever pins what was seen. */
  readonly onCheckpoint?: ((seen: VerifiedCheckpoint) => void) | undefined;
};

/** A checkpoint whose signature by a pinned log was verified. */
export type VerifiedCheckpoint = {
  readonly log: TrustedLog;
  /** The signed note. */
  readonly note: string;
};

/** One trusted root: authorities and logs that belong together. */
export type PinnedRoot = {
  /** How people call it, where they have to tell it from others. */
  readonly name?: string | undefined;
  /** The issuers that it certifies; absent of the one root that certifies whom no other names. */
  readonly scope?: IssuerScope | undefined;
  readonly logs: readonly TrustedLog[];
  /** DER of every certificate of every certificate authority. */
  readonly authorityCertificates: readonly Uint8Array[];
  /**
   * Whether certificates need a timestamp of a CT log. Always where the root names CT logs; where it names none, unless
   * the verifier has said otherwise, and then nothing can meet it.
   */
  readonly demandsSct: boolean;
  /** The same material in the form that the verification library takes. */
  readonly library: LibraryMaterial;
};

/**
 * Pinned authorities and logs: the only source of trust that verification has. A signature counts where all of it,
 * certificate, timestamps and log entry, holds under one root, and where that root is for the certificate's issuer.
 */
export type TrustMaterial = {
  readonly roots: readonly [PinnedRoot, ...PinnedRoot[]];
  /** The logs of all roots. */
  readonly logs: readonly TrustedLog[];
  /** The names that are ours, as the verifier has set them: no document that is verified has a say in them. */
  readonly namespace: Namespace;
};
