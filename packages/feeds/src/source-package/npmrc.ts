import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { homeFolder } from '@colophon/durable-file';
import { DEFAULT_REGISTRIES } from './default-registries.ts';
import type { Environment, SourceContext } from './source-context.ts';
import { type Registry, registryAt } from './source-context.ts';

type Settings = ReadonlyMap<string, string>;

/**
 * The npm registry for a scope (`@acme`, or empty) as npm would choose it: environment, the project's `.npmrc`, the
 * user's. Credentials are read where npm keeps them, by host and path, and belong to that host and path alone.
 */
export async function npmRegistry(
  scope: string,
  { env, localFolders, registries }: Pick<SourceContext, 'env' | 'localFolders' | 'registries'>,
): Promise<Registry> {
  const { project, user } = await readSettings(env, localFolders);
  const setting = (name: string) => project.get(name) ?? user.get(name);
  const address =
    registries.npm ??
    (scope === '' ? undefined : setting(`${scope}:registry`)) ??
    variable(env, 'npm_config_registry') ??
    setting('registry') ??
    DEFAULT_REGISTRIES.npm;
  const { base, authorizationFor } = registryAt(address);
  return { base, authorizationFor: (url) => authorizationFor(url) ?? credentialFor(url, [project, user]) };
}

async function readSettings(
  env: Environment,
  localFolders: readonly string[],
): Promise<{ project: Settings; user: Settings }> {
  const projects = await Promise.all(localFolders.map((folder) => readText(join(folder, '.npmrc'))));
  const home = homeFolder({ HOME: env['HOME'] ?? env['USERPROFILE'] });
  const user = await readText(variable(env, 'npm_config_userconfig') ?? join(home, '.npmrc'));
  return {
    // A project is somebody else's text: it does not get to say which of our variables goes to which host.
    project: new Map(projects.reverse().flatMap((text) => parseNpmrc(text, {}))),
    user: new Map(parseNpmrc(user, env)),
  };
}

/** `key=value` lines; `${NAME}` is the variable of that name. A value whose variable is not set counts for nothing. */
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
    return value.includes('${') ? [] : [[key, value]];
  });
}

/** The header for an address from `//host/path/:_authToken` and its older forms; the longest path that fits counts. */
function credentialFor(url: URL, all: readonly Settings[]): string | undefined {
  for (let path = url.pathname; path !== ''; path = path.slice(0, path.slice(0, -1).lastIndexOf('/') + 1)) {
    if (!path.endsWith('/')) continue;
    for (const settings of all) {
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
  }
  return undefined;
}

function variable(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
