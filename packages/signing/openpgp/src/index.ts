export { signDetached } from './detached/sign-detached.ts';
export { verifyDetached } from './detached/verify-detached.ts';
export { describeKey } from './key/describe-key.ts';
export { isSignedBy } from './signature/signed-by.ts';
