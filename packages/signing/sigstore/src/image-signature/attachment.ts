/** Media type of the layer that the older signature format signs. */
export const SIMPLE_SIGNING_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';
/** Media type of the layer that holds an envelope in the older attestation format. */
export const DSSE_ENVELOPE_TYPE = 'application/vnd.dsse.envelope.v1+json';
/** Media types of bundles of any version begin so. */
export const BUNDLE_TYPE_PREFIX = 'application/vnd.dev.sigstore.bundle';
/** Predicate type of the statement by which a bundle signs an image and says nothing more of it. */
export const SIGN_PREDICATE_TYPE = 'https://sigstore.dev/cosign/sign/v1';

/** Annotations of the older format's layers, each holding one piece of what a bundle has in one place. */
export const OLDER_ANNOTATIONS = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  chain: 'dev.sigstore.cosign/chain',
  rekorBundle: 'dev.sigstore.cosign/bundle',
  timestamp: 'dev.sigstore.cosign/rfc3161timestamp',
  predicateType: 'predicateType',
} as const;

/** The tag under which the older format keeps signatures (`sig`) or attestations (`att`) of an image. */
export function olderTag(imageDigest: string, kind: 'sig' | 'att'): string {
  return `${referrersTag(imageDigest)}.${kind}`;
}

/** The tag whose index lists referrers where the registry has no API for them (distribution spec). */
export function referrersTag(imageDigest: string): string {
  return imageDigest.replace(':', '-');
}
