import { readFileSync } from 'node:fs';
import { systemReason } from '@colophon/durable-file';
import { loadSigningConfig, loadTrustedRoots, type SigningServices, type TrustedRootSource } from '@colophon/sigstore';
import type { TrustRule } from '../configuration/configuration.ts';
import { ServerError } from '../server-error/server-error.ts';

/** Whom an operator trusts beside the services that are served here, and where those sign who sign here. */
export type ConfiguredTrust = {
  readonly roots: ReadonlyArray<TrustedRootSource & { readonly file: string }>;
  readonly services?: SigningServices;
};

/**
 * Reads the files of a trust rule; each of them has to hold what it is named for.
 * @param now for the validity of the services
 * @param read the bytes of a file
 * @throws ServerError `server.trust_unusable`
 */
export function readConfiguredTrust(
  { roots = [], signingConfigFile }: TrustRule,
  now: Date,
  read: (file: string) => Uint8Array = readFileSync,
): ConfiguredTrust {
  const sources = roots.map(({ name, file, insecureIgnoreSct, issuers }) =>
    used(file, () => {
      const source = { name, file, json: read(file), insecureIgnoreSct, issuers };
      loadTrustedRoots([source]);
      return source;
    }),
  );
  if (signingConfigFile === undefined) return { roots: sources };
  const services = used(signingConfigFile, () => loadSigningConfig(read(signingConfigFile), now));
  return { roots: sources, services };
}

function used<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const { code, message } = cause as { readonly code?: string; readonly message: string };
    const reason = code?.includes('.') ? message : systemReason(cause);
    throw new ServerError('server.trust_unusable', `${file} cannot be used: ${reason}`, { cause });
  }
}
