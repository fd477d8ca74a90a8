export { assertSignature } from './document/assert-signature.ts';
export { verifySignedDocument } from './document/bundle-verifier.ts';
export { isBundle, verifyArmoredDocument } from './document/openpgp-verifier.ts';
export { type DocumentVerifier, NOT_COUNTED } from './document/verified-document.ts';
export type { VerifiedDocument } from './document/verified-document-result.ts';
export { SignatureError } from './signature-error/signature-error.ts';
