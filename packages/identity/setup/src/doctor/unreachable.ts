import { type Fault, type Finding, fault, type Probe } from './finding.ts';

/** Codes with which Node refuses the certificate of a server. */
const REFUSED_CERTIFICATE =
  /\b(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|CERT_REJECTED|CERT_REVOKED|INVALID_CA|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID)\b/;

/**
 * A service that does not answer. One whose certificate this machine refuses is there, and is no better after a while.
 * @param reason why there is no answer, in words of this machine; undefined where something answered
 * @see https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
export function unreachable(probe: Probe, found: Fault, reason: string | undefined): Finding {
  const [refused] = REFUSED_CERTIFICATE.exec(reason ?? '') ?? [];
  if (refused === undefined) return fault(probe, found);
  const { expected: _, ...rest } = found;
  return fault(probe, {
    ...rest,
    code: 'doctor.tls_refused',
    found: refused,
    file: 'the certificate store of this machine, or a PEM file that $NODE_EXTRA_CA_CERTS names',
    advice: 'have this machine trust the authority of the certificate, or renew it for this name',
  });
}
