import { join } from 'node:path';
import { homeFolder, readSettingsFile } from '@colophon/durable-file';
import { SourceError } from '../source-error/source-error.ts';
import { DEFAULT_REGISTRIES } from './default-registries.ts';
import { readersVariable } from './readers-variable.ts';
import type { Environment, SourceContext } from './source-context.ts';
import { type Registry, registryAt } from './source-context.ts';

type Settings = ReadonlyMap<string, string>;

/**
 * The npm registry for a scope (`@acme`, or empty) as npm would choose it outside of every project: the environment,
 * then the user's `.npmrc`. A project's is not read, because whoever wrote the project would then choose what it is
 * compared with. Credentials are read where npm keeps them, by host and path, and belong to that host and path alone.
 * @throws SourceError `feeds.registry_unclear` where a variable may be the project's, `feeds.settings_unreadable`
 */
export async function npmRegistry(
  scope: string,
  { env, registries }: Pick<SourceContext, 'env' | 'registries'>,
): Promise<Registry> {
  const user = readSettings(env);
  const stated = user.get('registry');
  const address =
    registries.npm ??
    (scope === '' ? undefined : user.get(`${scope}:registry`)) ??
    readersVariable(env, 'npm_config_registry', stated ?? DEFAULT_REGISTRIES.npm) ??
    stated ??
    DEFAULT_REGISTRIES.npm;
  if (address.includes('${')) throw unreadable('.npmrc', 'its registry names a variable that is not set');
  const { base, authorizationFor } = registryAt(address);
  return { base, authorizationFor: (url) => authorizationFor(url) ?? credentialFor(url, user) };
}

/** Without what the user set another registry would be asked, which has other packages of the same names. */
function readSettings(env: Environment): Settings {
  const own = join(homeFolder({ HOME: env['HOME'] ?? env['USERPROFILE'] }), '.npmrc');
  const file = readersVariable(env, 'npm_config_userconfig', own) ?? own;
  // npm hands on the usual place as well, whether or not there is such a file.
  const read = readSettingsFile(file, { isNamed: file !== own });
  if (!read.ok) throw unreadable(file, read.reason);
  return new Map(parseNpmrc(read.text, env));
}

function unreadable(checked: string, reason: string): SourceError {
  return new SourceError('feeds.settings_unreadable', `the settings of npm cannot be used: ${reason}`, { checked });
}

/** `key=value` lines; `${NAME}` is the variable of that name. Of a login whose variable is not set, nothing counts. */
function parseNpmrc(text: string, env: Environment): Array<[string, string]> {
  return text.split(/\r?\n/).flatMap((line): Array<[string, string]> => {
    // By its place: a pattern with blanks on both sides takes minutes for a line of blanks.
    const equals = line.indexOf('=');
    const key = line.slice(0, Math.max(equals, 0)).trim();
    if (key === '' || /^[;#]/.test(key)) return [];
    const value = line
      .slice(equals + 1)
      .trim()
      .replace(/^(["'])(.*)\1$/, '$2')
      .replace(/\$\{([^}?]+)\??\}/g, (whole, name: string) => env[name] ?? whole);
    return value.includes('${') && !/(?:^|:)registry$/.test(key) ? [] : [[key, value]];
  });
}

/** The header for an address from `//host/path/:_authToken` and its older forms; the longest path that fits counts. */
function credentialFor(url: URL, settings: Settings): string | undefined {
  for (let path = url.pathname; path !== ''; path = path.slice(0, path.slice(0, -1).lastIndexOf('/') + 1)) {
    if (!path.endsWith('/')) continue;
    const of = (name: string) =>
      settings.get(`//${url.host}${path}:${name}`) ?? settings.get(`//${url.host}${path.slice(0, -1)}:${name}`);
    const [token, basic, username, password] = [of('_authToken'), of('_auth'), of('username'), of('_password')];
    if (token !== undefined) return `Bearer ${token}`;
    if (basic !== undefined) return `Basic ${basic}`;
    if (username !== undefined && password !== undefined) {
      // Decoded as npm does it: with Node's decoder, which skips what is no base64.
      const login = `${username}:${Buffer.from(password, 'base64').toString()}`;
      return `Basic ${Buffer.from(login).toString('base64')}`;
    }
  }
  return undefined;
}
