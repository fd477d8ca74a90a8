import { createPublicKey } from 'node:crypto';
import { type EndedLog, type EndedLogs, frozenCtPath } from '@colophon/authority';
import { writeFileDurably } from '@colophon/durable-file';
import { createSigningConfig, createTrustedRoot } from '@colophon/sigstore';
import { dataPaths } from '../data-folder/data-folder.ts';

/** The public half of the embedded authority. */
export type LocalTrust = {
  /** PEM: the intermediate first, then the root. */
  readonly caCertificates: readonly string[];
  /** DER of the SubjectPublicKeyInfo. */
  readonly ctPublicKey: Uint8Array;
  readonly rekorPublicKey: Uint8Array;
  readonly validFrom: Date;
  /** From when on the keys of the logs count, where these took the place of others. */
  readonly logsValidFrom?: Date | undefined;
  readonly endedLogs?: EndedLogs | undefined;
};

/** The trusted root of the embedded services, as cosign and sigstore-js take it. */
export function trustedRootOf(url: string, trust: LocalTrust) {
  return createTrustedRoot({
    certificateChain: trust.caCertificates.join(''),
    fulcioUrl: url,
    ctPublicKey: trust.ctPublicKey,
    ctUrl: url,
    rekorPublicKey: trust.rekorPublicKey,
    rekorUrl: url,
    validFrom: trust.validFrom,
    logsValidFrom: trust.logsValidFrom,
    endedLogs: trust.endedLogs && {
      rekor: trust.endedLogs.transparency.map((one) => endedKey(one, url, trust)),
      ct: trust.endedLogs.certificate.map((one) => endedKey(one, url + frozenCtPath(one.publicKey), trust)),
    },
  });
}

function endedKey({ publicKey, validFrom, validUntil }: EndedLog, url: string, trust: LocalTrust) {
  return { url, publicKey, validFrom: validFrom ?? trust.validFrom, validUntil };
}

/** Writes what verifiers pin: `trusted_root.json`, `signing_config.json`, and the PEM files that older clients read. */
export function writeTrustFiles(dataDir: string, url: string, trust: LocalTrust): void {
  const paths = dataPaths(dataDir);
  const signingConfig = createSigningConfig(
    { fulcioUrl: url, oidcUrl: url, rekorUrl: url, rekorMajorVersion: 1 },
    trust.validFrom,
    'colophon (local)',
  );
  for (const [path, content] of [
    [paths.trustedRoot, `${JSON.stringify(trustedRootOf(url, trust), null, 2)}\n`],
    [paths.signingConfig, `${JSON.stringify(signingConfig, null, 2)}\n`],
    [paths.fulcioChain, trust.caCertificates.join('')],
    [paths.rekorPublicKey, pem(trust.rekorPublicKey)],
    [paths.ctPublicKey, pem(trust.ctPublicKey)],
  ] as const) {
    writeFileDurably(path, content, 0o644);
  }
}

/** Writes what the ledger's checkpoints are verified with. */
export function writeLedgerKey(dataDir: string, ledgerPublicKey: Uint8Array): void {
  writeFileDurably(dataPaths(dataDir).ledgerPublicKey, pem(ledgerPublicKey), 0o644);
}

function pem(spki: Uint8Array): string {
  const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  return key.export({ type: 'spki', format: 'pem' }) as string;
}
