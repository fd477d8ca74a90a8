import { systemReason } from '@colophon/durable-file';
import { isJsonObject, parseStrictJson } from '@colophon/json';
import { anonymous, type CredentialSource, credentialsIn } from '@colophon/sigstore';
import type { SecretReference } from '../configuration/configuration.ts';
import { ServerError } from '../server-error/server-error.ts';
import { readFiles, WatchedFiles } from '../watched-file/watched-files.ts';

export type RegistryCredentials = {
  /** By the credentials in force. */
  readonly source: CredentialSource;
  close(): void;
};

export type RegistryCredentialsOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told of every change of the file: with the error where those before stay in force. */
  readonly onChange: (refused: ServerError | undefined) => void;
  readonly watchIntervalMs?: number | undefined;
};

/** Limits of a `config.json`, as its reader has them. */
const LIMITS = { maxBytes: 1024 * 1024, maxDepth: 16 };

/**
 * Opens the docker `config.json` that `registryCredentials` names: one out of which no credential can be read is refused,
 * and not taken for a wish to be anonymous. A file that is exchanged counts from then on; one that cannot be used leaves
 * the credentials before it in force.
 * @throws ServerError `server.credentials_unusable`; nothing of the credentials is in it
 */
export async function openRegistryCredentials(
  reference: SecretReference | undefined,
  { env, onChange, watchIntervalMs }: RegistryCredentialsOptions,
): Promise<RegistryCredentials> {
  if (reference === undefined) return { source: anonymous, close: () => {} };
  if ('env' in reference) {
    const text = env[reference.env];
    if (!text) throw unusable(`$${reference.env} is not set`);
    return { source: await readCredentials(Buffer.from(text), `$${reference.env}`), close: () => {} };
  }
  const { file } = reference;
  const taken = readConfig(file);
  let inForce = await readCredentials(taken, file);
  const files = new WatchedFiles({
    paths: [file],
    taken: [taken],
    take: async ([bytes]) => {
      inForce = await readCredentials(bytes!, file);
      onChange(undefined);
    },
    onFailure: (error) => onChange(error instanceof ServerError ? error : unreadable(file, error)),
    ...(watchIntervalMs === undefined ? {} : { intervalMs: watchIntervalMs }),
  });
  return { source: (registry) => inForce(registry), close: () => files.close() };
}

function readConfig(file: string): Uint8Array {
  try {
    return readFiles([file]).contents[0]!;
  } catch (cause) {
    throw unreadable(file, new Error(systemReason(cause)));
  }
}

/** @param place where they stand, for a person */
async function readCredentials(bytes: Uint8Array, place: string): Promise<CredentialSource> {
  const parsed = parseStrictJson(bytes, LIMITS);
  const auths = parsed.ok && isJsonObject(parsed.value) ? parsed.value['auths'] : undefined;
  if (!isJsonObject(auths)) throw unusable(`${place} is no docker config.json with auths`);
  const source = credentialsIn({ text: new TextDecoder().decode(bytes) });
  const names = Object.keys(auths);
  const found = await Promise.all(names.flatMap(registryOf).map(source));
  if (names.length > 0 && found.every((credential) => credential === undefined)) {
    throw unusable(`no entry of auths in ${place} has a credential for a registry; helper programs are not run`);
  }
  return source;
}

/** `https://index.docker.io/v1/` is of index.docker.io; an entry for a part of a registry is of none. */
function registryOf(name: string): string[] {
  const [, host] = /^(?:https:\/\/)?([^/]+)(?:\/(?:v[12]\/)?)?$/.exec(name) ?? [];
  if (host === undefined) return [];
  return [host === 'docker.io' ? 'index.docker.io' : host];
}

function unreadable(file: string, cause: unknown): ServerError {
  return unusable(`${file} cannot be read: ${(cause as Error).message}`, cause);
}

function unusable(message: string, cause?: unknown): ServerError {
  return new ServerError('server.credentials_unusable', `registryCredentials: ${message}`, { cause });
}
