import { base64, choice, list, message, type Shape, text, time } from '../bundle/message-shape.ts';

/** More than this of anything is an attempt to keep us busy. */
const MOST = 1_000;
const MOST_IN_A_CHAIN = 10;

/** How long a key or an authority is trusted. Both ends are inclusive; without an end it still is. */
export const validity = message({ start: time, end: time });

/**
 * A log's key is trusted from a time on, and that time must be there: without it, a misspelt or lost member would make
 * the key good for all time.
 */
const logValidity = message({ start: time, end: time }, 'start');

/** sigstore.common.v1.PublicKeyDetails */
const keyDetails = choice(
  'PKCS1_RSA_PKCS1V5',
  'PKCS1_RSA_PSS',
  'PKIX_RSA_PKCS1V5',
  'PKIX_RSA_PSS',
  'PKIX_RSA_PKCS1V15_2048_SHA256',
  'PKIX_RSA_PKCS1V15_3072_SHA256',
  'PKIX_RSA_PKCS1V15_4096_SHA256',
  'PKIX_RSA_PSS_2048_SHA256',
  'PKIX_RSA_PSS_3072_SHA256',
  'PKIX_RSA_PSS_4096_SHA256',
  'PKIX_ECDSA_P256_HMAC_SHA_256',
  'PKIX_ECDSA_P256_SHA_256',
  'PKIX_ECDSA_P384_SHA_256',
  'PKIX_ECDSA_P384_SHA_384',
  'PKIX_ECDSA_P521_SHA_256',
  'PKIX_ECDSA_P521_SHA_512',
  'PKIX_ED25519',
  'PKIX_ED25519_PH',
  'LMS_SHA256',
  'LMOTS_SHA256',
);

const logId = message({ keyId: base64 }, 'keyId');
const log = message(
  {
    baseUrl: text,
    // The only hash that our proofs are computed with.
    hashAlgorithm: choice('SHA2_256'),
    publicKey: message({ rawBytes: base64, keyDetails, validFor: logValidity }, 'rawBytes', 'validFor'),
    logId,
    checkpointKeyId: logId,
    operator: text,
  },
  'publicKey',
);

// Its certificates say themselves how long they are valid, so here the time may be left out, as cosign lets it be.
const authority = message(
  {
    subject: message({ organization: text, commonName: text }),
    uri: text,
    certChain: message(
      { certificates: list(message({ rawBytes: base64 }, 'rawBytes'), MOST_IN_A_CHAIN) },
      'certificates',
    ),
    validFor: validity,
    operator: text,
  },
  'certChain',
);

/**
 * What stands in a trusted root, and nothing else.
 * @see https://github.com/sigstore/protobuf-specs, sigstore.trustroot.v1.TrustedRoot
 */
export const TRUSTED_ROOT: Shape = message(
  {
    mediaType: text,
    tlogs: list(log, MOST),
    certificateAuthorities: list(authority, MOST),
    ctlogs: list(log, MOST),
    timestampAuthorities: list(authority, MOST),
  },
  'mediaType',
);
