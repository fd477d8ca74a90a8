import { createHash } from 'node:crypto';
import type { Artifact } from '@colophon/sigstore';

/** A kind of bundle as verifiers meet it. */
export type BundleKind = {
  readonly name: string;
  /** Verifies one bundle each. @throws where the bundle does not verify, which ends the bench */
  readonly verifications: readonly (() => unknown)[];
};

/** What a verifier has who read the file once and kept its digests. */
export function digestsOf(artifact: Uint8Array): Artifact {
  const hex = (algorithm: string) => createHash(algorithm).update(artifact).digest('hex');
  return { sha256: hex('sha256'), sha384: hex('sha384'), sha512: hex('sha512') };
}
