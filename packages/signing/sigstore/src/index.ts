export { type BundleClaim, type BundleSigner, isSameSigner, readBundleClaim } from './bundle/bundle-signer.ts';
export { BUNDLE_V03_MEDIA_TYPE, type BundleVersion, type ParsedBundle, parseBundle } from './bundle/parse-bundle.ts';
export { isCertifiableKey } from './certificate/certifiable-key.ts';
export { readCertificateIdentity } from './certificate/certificate-identity.ts';
export { readCommitSigner, type VerifyCommitOptions, verifyCommit } from './commit-signature/commit-signature.ts';
export {
  createIdentityPolicy,
  decideIdentity,
  type IdentityMismatch,
  type IdentityPolicy,
  type IdentityPolicyOptions,
  namesIssuer,
} from './identity-policy/identity-policy.ts';
export {
  IdentityPolicyError,
  type IdentityPolicyErrorCode,
} from './identity-policy/identity-policy-error.ts';
export {
  formatImageReference,
  formatRepository,
  type ImageReference,
  type ImageRepository,
  imageToFetch,
  isLoopbackRegistry,
} from './image-reference/image-reference.ts';
export { addStatements, readStatementFor, type StatementBundle } from './image-signature/add-statements.ts';
export { attachedSignature } from './image-signature/attached-signature.ts';
export { SIGN_PREDICATE_TYPE } from './image-signature/attachment.ts';
export { AttachmentRoom, type AttachmentRoomOptions, type RoomShare } from './image-signature/attachment-room.ts';
export {
  type Attachment,
  copyAttachments,
  type SortedAttachments,
  sortAttachments,
  type VerifiedAttachment,
} from './image-signature/attachments.ts';
export {
  AttachmentBudget,
  type CollectedSignature,
  type CollectedSignatures,
  collectedOlder,
  collectImageSignatures,
  collectManifestSignatures,
  MAX_ATTACHMENT_BYTES,
  MAX_IMAGE_SIGNATURES,
} from './image-signature/collect.ts';
export {
  ImageSignatureError,
  type ImageSignatureErrorCode,
} from './image-signature/image-signature-error.ts';
export {
  type FetchedPlatform,
  fetchPlatforms,
  listedManifests,
  manifestDigests,
} from './image-signature/manifest-digests.ts';
export {
  type AttestImageOptions,
  attestImage,
  type ImageBundle,
  type ImageSignatureFormat,
  type ImageSignatureResult,
  type ImageSigner,
  keyedImageSigner,
  keylessImageSigner,
  type SignImageOptions,
  signImage,
} from './image-signature/sign-image.ts';
export type { PredicateParser } from './image-signature/verify-each.ts';
export {
  type AssessImageOptions,
  assessCollected,
  assessImage,
  type ImageVerification,
  type KeyedImageSignature,
  OTHER_KIND_CODES,
  type VerifiedImageSignature,
  type VerifyImageOptions,
  type VerifyImageWithKeyOptions,
  verifyImage,
  verifyImageWithKey,
} from './image-signature/verify-image.ts';
export { formatInspection } from './inspect/format-inspection.ts';
export { inspect } from './inspect/inspect.ts';
export {
  type Inspection,
  InspectionError,
  type InspectionErrorCode,
  type InspectionKind,
} from './inspect/inspection.ts';
export {
  anonymous,
  type CredentialSource,
  credentialsIn,
  dockerCredentials,
  type RegistryCredential,
} from './registry/credentials.ts';
export {
  DEFAULT_REGISTRY_TIMEOUT_MS,
  digestOf,
  type FetchedManifest,
  type PutCondition,
  RegistryClient,
  type RegistryClientOptions,
  type ResolvedImage,
} from './registry/registry-client.ts';
export { RegistryError, type RegistryErrorCode } from './registry/registry-error.ts';
export {
  DEFAULT_SEARCH_LIMIT,
  type FoundEntries,
  LogClient,
  type LogClientOptions,
  type LogTree,
  SEARCHED_DIGESTS,
} from './rekor/log-client.ts';
export { bundleEntryOfV1 } from './rekor/log-entry-json.ts';
export { LogError, type LogErrorCode } from './rekor/log-error.ts';
export type { LoggedEntry } from './rekor/log-result.ts';
export type { LoggedCertificate } from './rekor/log-signers.ts';
export type { ArtifactToSign } from './sign/content-signer.ts';
export { generateSealedKey, type SealedKey } from './sign/generate-key.ts';
export { type IdentityToken, readIdentityToken } from './sign/identity-token.ts';
export { signatureIn } from './sign/made-signature.ts';
export { assertRunAgrees, type RunWitness } from './sign/run-agreement.ts';
export {
  createKeylessSigner,
  type KeylessOptions,
  type KeylessSigner,
  type LoggingOptions,
  type SignBlobOptions,
  type SignedBundle,
  type SignStatementOptions,
  signBlob,
  signStatement,
} from './sign/sign.ts';
export {
  createKeyedSigner,
  type KeyedBundle,
  type KeyedOptions,
  type KeyedSigner,
  signBlobWithKey,
  signStatementWithKey,
} from './sign/sign-with-key.ts';
export { SigningError, type SigningErrorCode } from './sign/signing-error.ts';
export {
  createSigningConfig,
  loadSigningConfig,
  SIGNING_CONFIG_MEDIA_TYPE,
  type SigningServices,
} from './signing-config/signing-config.ts';
export { requestTimestamp } from './timestamp/request-timestamp.ts';
export { createTrustedRoot, type TrustedRootParts } from './trusted-root/create-trusted-root.ts';
export { rootsOfIssuer } from './trusted-root/issuer-scope.ts';
export { loadTrustedRoot, loadTrustedRoots, type TrustedRootSource } from './trusted-root/load-trusted-root.ts';
export type { PinnedRoot, TrustedLog, TrustMaterial } from './trusted-root/trust-material.ts';
export {
  TrustedRootError,
  type TrustedRootErrorCode,
} from './trusted-root/trusted-root-error.ts';
export { type Artifact, artifactDigest, assertKind, type HashedArtifact, hashFile } from './verify/artifact.ts';
export type { Check } from './verify/check.ts';
export { verifyDigestSignature } from './verify/digest-signature.ts';
export { signedDigestIn } from './verify/signed-digest.ts';
export { timestampTime } from './verify/signed-time.ts';
export { hasSubject, readStatement } from './verify/statement.ts';
export {
  VerificationError,
  type VerificationErrorCode,
} from './verify/verification-error.ts';
export {
  type BundleVerification,
  type KeyedVerification,
  type VerifyBundleOptions,
  type VerifyBundleWithKeyOptions,
  verifyBundle,
  verifyBundleWithKey,
} from './verify/verify-bundle.ts';
