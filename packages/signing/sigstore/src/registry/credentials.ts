import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';

/** What opens a registry: name and password, an OAuth refresh token, or a token that is sent as it is. */
export type RegistryCredential =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  | { readonly kind: 'refresh-token'; readonly token: string }
  | { readonly kind: 'bearer'; readonly token: string };

/** Looks up the credential for a registry host; undefined means anonymous. */
export type CredentialSource = (registry: string) => Promise<RegistryCredential | undefined>;

const HELPER_TIMEOUT_MS = 10_000;
const HELPER_NAME = /^[A-Za-z0-9._-]+$/;

/** Nobody's credentials: for registries that ask for none. */
export const anonymous: CredentialSource = async () => undefined;

/**
 * Credentials as docker keeps them: `config.json` in DOCKER_CONFIG or `~/.docker`, with `credHelpers`, `credsStore`
 * and `auths`. A file that is not there, cannot be read or is damaged, and a helper that fails, mean anonymous: the
 * registry then says what is missing. What is read is never part of an error.
 */
export function dockerCredentials(env: Readonly<Record<string, string | undefined>> = process.env): CredentialSource {
  const file = join(env['DOCKER_CONFIG'] || join(homeFolder(env), '.docker'), 'config.json');
  return async (registry) => {
    const config = await readConfig(file);
    if (config === undefined) return undefined;
    const server = serverKeys(registry)[0]!;
    const helper = textAt(config['credHelpers'], registry) ?? textOf(config['credsStore']);
    const fromHelper = helper === undefined ? undefined : await askHelper(helper, server, env);
    return fromHelper ?? fromAuths(config['auths'], registry);
  };
}

/**
 * Credentials of one `config.json`, by its `auths` alone: no helper program is run. A file is read again for each
 * question, so that an exchanged one counts.
 */
export function credentialsIn(config: { readonly file: string } | { readonly text: string }): CredentialSource {
  return async (registry) => {
    const read = 'file' in config ? await readConfig(config.file) : configOf(Buffer.from(config.text));
    return fromAuths(read?.['auths'], registry);
  };
}

/**
 * A user whom the system does not know has the root folder, as in a container. A variable that is set to nothing names no
 * folder: least of all the one that somebody stands in, whose files are a stranger's.
 */
function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return env['HOME'] || homedir();
  } catch {
    return '/';
  }
}

async function readConfig(file: string): Promise<JsonObject | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes === undefined ? undefined : configOf(bytes);
}

function configOf(bytes: Uint8Array): JsonObject | undefined {
  const parsed = parseStrictJson(bytes, { maxBytes: 1024 * 1024, maxDepth: 16 });
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}

/** How the file may spell a registry, docker's own spelling first. */
function serverKeys(registry: string): string[] {
  if (registry === 'index.docker.io') return ['https://index.docker.io/v1/', 'index.docker.io', 'docker.io'];
  return [
    registry,
    `https://${registry}`,
    `https://${registry}/`,
    `https://${registry}/v1/`,
    `https://${registry}/v2/`,
  ];
}

function fromAuths(auths: JsonObject[string] | undefined, registry: string): RegistryCredential | undefined {
  if (!isJsonObject(auths)) return undefined;
  for (const key of serverKeys(registry)) {
    const entry = Object.hasOwn(auths, key) ? auths[key] : undefined;
    if (!isJsonObject(entry)) continue;
    const refresh = textOf(entry['identitytoken']);
    if (refresh !== undefined) return { kind: 'refresh-token', token: refresh };
    const bearer = textOf(entry['registrytoken']);
    if (bearer !== undefined) return { kind: 'bearer', token: bearer };
    const decoded = decodeLogin(textOf(entry['auth']) ?? '');
    const colon = decoded.indexOf(':');
    const username = colon > 0 ? decoded.slice(0, colon) : textOf(entry['username']);
    const password = colon > 0 ? decoded.slice(colon + 1) : textOf(entry['password']);
    if (username !== undefined && password !== undefined) return { kind: 'password', username, password };
  }
  return undefined;
}

/** Docker writes padding; people and Kubernetes leave it out, and `base64` breaks lines: all readers of the file allow that. */
function decodeLogin(auth: string): string {
  const bytes = decodeBase64(auth.replace(/[\r\n]/g, ''), { padding: 'optional' });
  return bytes === undefined ? '' : Buffer.from(bytes).toString('utf8');
}

/** Asks `docker-credential-<helper> get` for the server, as docker does; no shell. */
async function askHelper(
  helper: string,
  server: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RegistryCredential | undefined> {
  if (!HELPER_NAME.test(helper)) return undefined;
  const options = { env: { ...env }, timeout: HELPER_TIMEOUT_MS, maxBuffer: 64 * 1024 };
  const output = await new Promise<string | undefined>((resolve) => {
    const child = execFile(`docker-credential-${helper}`, ['get'], options, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(server);
  });
  if (output === undefined) return undefined;
  const parsed = parseStrictJson(Buffer.from(output), { maxBytes: 64 * 1024 });
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const username = textOf(parsed.value['Username']);
  const secret = textOf(parsed.value['Secret']);
  if (username === undefined || secret === undefined) return undefined;
  return username === '<token>'
    ? { kind: 'refresh-token', token: secret }
    : { kind: 'password', username, password: secret };
}

function textAt(value: JsonObject[string] | undefined, key: string): string | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? textOf(value[key]) : undefined;
}

function textOf(value: JsonObject[string] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
