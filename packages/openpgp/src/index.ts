export { type SignDetachedOptions, signDetached } from './detached/sign-detached.ts';
export {
  type OpenPgpSignature,
  type RejectedSignature,
  type VerifiedDetached,
  type VerifyDetachedOptions,
  verifyDetached,
} from './detached/verify-detached.ts';
export { type DescribedKey, describeKey } from './key/describe-key.ts';
export { OpenPgpError, type OpenPgpErrorCode } from './openpgp-error/openpgp-error.ts';
export { isSignedBy } from './signature/signed-by.ts';
