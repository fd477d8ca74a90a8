import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileDurably } from '@colophon/durable-file';
import { caConstraint, encodeCertificate, encodeTbs, formatPem, parsePem } from '@colophon/encoding';
import { openKeyFile, type SigningKey } from '@colophon/keys';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { type Certificate, readCertificate } from '../certificate/certificate.ts';
import {
  authorityKeyIdentifier,
  CA_KEY_USAGE,
  CODE_SIGNING,
  localName,
  subjectKeyIdentifier,
} from './certificate-parts.ts';

/** Years that the root and the intermediate live. */
const CA_LIFETIME_YEARS = 10;

/** The two certificates above every signing certificate, and the key that signs those. */
export type CaCertificates = {
  readonly intermediateKey: SigningKey;
  readonly intermediate: Certificate;
  readonly root: Certificate;
  /** Intermediate, then root; PEM with a newline at the end. */
  readonly chainPem: readonly string[];
  /** From when on they may have signed anything. */
  readonly validFrom: Date;
};

/** A random serial of 159 bits: at most 20 bytes, positive and never short (RFC 5280 §4.1.2.2). */
export function randomSerial(): Uint8Array {
  const serial = new Uint8Array(randomBytes(20));
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  return serial;
}

/**
 * Opens the keys and certificates in the data folder, and makes them where there are none: keys in `keys/` (mode
 * 0600), certificates in `ca/`.
 * @throws AuthorityError `authority.ca_certificate_mismatch` where a certificate is not for the key beside it: the
 *   folder was put together from two, and certificates issued now would not verify
 */
export function openCaCertificates(dataDir: string, clock: { now(): Date }): CaCertificates {
  const { rootFile, intermediateFile } = certificateFiles(dataDir);
  const rootKey = openCaKey(join(dataDir, 'keys', 'ca-root.pem'), rootFile);
  const intermediateKey = openCaKey(join(dataDir, 'keys', 'ca-intermediate.pem'), intermediateFile);
  const root = openCertificate(rootFile, rootKey, () =>
    issueCa({ key: rootKey, by: rootKey, pathLength: 1, now: clock.now() }),
  );
  const intermediate = openCertificate(intermediateFile, intermediateKey, () =>
    issueCa({ key: intermediateKey, by: rootKey, root, pathLength: 0, now: clock.now() }),
  );
  if (!new X509Certificate(intermediate.der).verify(rootKey.publicKey)) throw mismatch(intermediateFile);
  return {
    intermediateKey,
    intermediate,
    root,
    chainPem: [formatPem('CERTIFICATE', intermediate.der), formatPem('CERTIFICATE', root.der)],
    validFrom: new X509Certificate(intermediate.der).validFromDate,
  };
}

/** Whether a CA was made in the folder before. */
export function hasCaCertificates(dataDir: string): boolean {
  return Object.values(certificateFiles(dataDir)).some((file) => existsSync(file));
}

function certificateFiles(dataDir: string) {
  return { rootFile: join(dataDir, 'ca', 'root.crt'), intermediateFile: join(dataDir, 'ca', 'intermediate.crt') };
}

/** A key for a certificate that is there is put back, never made anew. */
function openCaKey(keyFile: string, certificateFile: string): SigningKey {
  if (!existsSync(keyFile) && existsSync(certificateFile)) throw mismatch(certificateFile);
  return openKeyFile(keyFile, 'ES256');
}

function issueCa({
  key,
  by,
  root,
  pathLength,
  now,
}: {
  key: SigningKey;
  by: SigningKey;
  root?: Certificate;
  pathLength: number;
  now: Date;
}): Uint8Array {
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(now.getUTCFullYear() + CA_LIFETIME_YEARS);
  // A root from before names ended in their key keeps its name, and what it signs names it so.
  const rootName = root?.subject ?? localName(`Colophon local root ${keyWord(by)}`);
  const tbs = encodeTbs({
    serial: randomSerial(),
    issuer: rootName,
    subject: root === undefined ? rootName : localName(`Colophon local intermediate ${keyWord(key)}`),
    notBefore: now,
    notAfter,
    spki: key.spki,
    extensions: [
      CA_KEY_USAGE,
      // The root is not bound to one use; a chain under it is, by its intermediate.
      ...(root === undefined ? [] : [CODE_SIGNING]),
      caConstraint(pathLength),
      subjectKeyIdentifier(key.spki),
      authorityKeyIdentifier(by.spki),
    ],
  });
  return encodeCertificate(tbs, by.signDer(tbs));
}

/** 8 hex digits of a key: two authorities of one program, and their certificates, have names of their own. */
function keyWord({ spki }: SigningKey): string {
  return createHash('sha256').update(spki).digest('hex').slice(0, 8);
}

function openCertificate(file: string, key: SigningKey, issue: () => Uint8Array): Certificate {
  if (!existsSync(file)) writeFileDurably(file, formatPem('CERTIFICATE', issue()), 0o644);
  const [block, ...more] = parsePem(readFileSync(file, 'latin1')) ?? [];
  if (block?.label !== 'CERTIFICATE' || more.length > 0) throw mismatch(file);
  const certificate = readCertificate(block.der);
  if (Buffer.compare(certificate.spki, key.spki) !== 0) throw mismatch(file);
  return certificate;
}

function mismatch(file: string): AuthorityError {
  return new AuthorityError(
    'authority.ca_certificate_mismatch',
    `${file} is not the certificate of the key in this data folder`,
  );
}
