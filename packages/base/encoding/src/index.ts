export { decodeBase64, encodeBase64 } from './base64/base64.ts';
export {
  caConstraint,
  certificateExtension,
  encodeCertificate,
  encodeTbs,
  keyUsage,
} from './certificate/certificate-writer.ts';
export { parseCompactJws } from './compact-jws/compact-jws.ts';
export {
  DER_TAG,
  type DerElement,
  DerError,
  readBitString,
  readDer,
  readDerElements,
  readDerSequence,
  readDerTime,
  readOid,
  readUtf8,
  readUtf8String,
} from './der/der-reader.ts';
export {
  contextPrimitiveTag,
  contextTag,
  derBitString,
  derBoolean,
  derInteger,
  derNull,
  derOctetString,
  derOid,
  derSequence,
  derSet,
  derTime,
  derUnsigned,
  derUtf8,
  encodeDer,
} from './der/der-writer.ts';
export { derEcdsaSignature, rawEcdsaSignature } from './der/ecdsa-signature.ts';
export { preAuthenticationEncoding } from './dsse/pre-authentication-encoding.ts';
export { findPemBlocks, formatPem, type PemBlock, parsePem } from './pem/pem.ts';
