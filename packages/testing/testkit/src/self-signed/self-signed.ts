import { generateKeyPairSync, sign } from 'node:crypto';
import {
  contextPrimitiveTag,
  contextTag,
  derBitString,
  derInteger,
  derOctetString,
  derOid,
  derSequence,
  derSet,
  derTime,
  derUtf8,
  encodeDer,
  formatPem,
} from '@colophon/encoding';

const YEAR_MS = 365 * 24 * 3_600_000;
const ECDSA_WITH_SHA256 = derSequence(derOid('1.2.840.10045.4.3.2'));
const COMMON_NAME = '2.5.4.3';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/** A certificate of a host that vouches for itself, and its key; both PEM. */
export function selfSigned(host = 'localhost'): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = derSequence(derSet(derSequence(derOid(COMMON_NAME), derUtf8(host))));
  const dnsName = encodeDer(contextPrimitiveTag(2), Buffer.from(host));
  const names = derSequence(derOid(SUBJECT_ALTERNATIVE_NAME), derOctetString(derSequence(dnsName)));
  const tbs = derSequence(
    encodeDer(contextTag(0), derInteger(2n)),
    derInteger(1n),
    ECDSA_WITH_SHA256,
    name,
    derSequence(derTime(new Date(Date.now() - YEAR_MS)), derTime(new Date(Date.now() + YEAR_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeDer(contextTag(3), derSequence(names)),
  );
  const signed = derSequence(tbs, ECDSA_WITH_SHA256, derBitString(sign('sha256', tbs, privateKey)));
  return {
    cert: formatPem('CERTIFICATE', signed),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
