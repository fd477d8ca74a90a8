import { existsSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemReason } from '@colophon/durable-file';
import { parseStrictJson } from '@colophon/json';
import { GeneratorError } from '../generator-error/generator-error.ts';
import { withoutLogin, withoutLogins } from './address.ts';
import type { LockedProject } from './locked-project.ts';

/** Bytes; the largest lockfile that is read. */
export const MAX_LOCKFILE_BYTES = 64 * 1024 * 1024;
/** Version 1 of npm has packages inside each other. */
const MAX_LOCKFILE_DEPTH = 500;

type Reader = (text: string, beside: Beside) => Promise<LockedProject>;
type Beside = {
  readonly path: string;
  readonly folder: string;
  /** Parsed, or undefined where it is not there or cannot be read. */
  manifest(name: string): Promise<unknown>;
};

/** Lockfiles that are read, the first that a folder has before others. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['npm-shrinkwrap.json', readNpm],
  ['package-lock.json', readNpm],
  [
    'pnpm-lock.yaml',
    async (text, { manifest }) => {
      const [{ readPnpmLockfile }, named] = await Promise.all([import('./pnpm-lockfile.ts'), npmRoot(manifest)]);
      const project = readPnpmLockfile(await yamlDocuments(text));
      return { ...project, root: named };
    },
  ],
  [
    'Cargo.lock',
    async (text, { manifest }) =>
      (await import('./cargo-lockfile.ts')).readCargoLockfile(await toml(text), await manifest('Cargo.toml')),
  ],
  [
    'poetry.lock',
    async (text, { manifest }) =>
      (await import('./python-lockfile.ts')).readPoetryLockfile(await toml(text), await manifest('pyproject.toml')),
  ],
  ['uv.lock', async (text) => (await import('./python-lockfile.ts')).readUvLockfile(await toml(text))],
  [
    'requirements.txt',
    async (text, { path, manifest }) => {
      const [{ readRequirements }, { requirementFiles }, { manifestRoot }] = await Promise.all([
        import('./requirements.ts'),
        import('./requirement-files.ts'),
        import('./python-lockfile.ts'),
      ]);
      const named = async (file: string) => {
        const { name, version } = manifestRoot(await toml(await readText(file)).catch(() => undefined));
        return name === undefined ? undefined : { name, ...(version !== undefined && { version }) };
      };
      const { start, files } = requirementFiles(path, text, readText, named, MAX_LOCKFILE_BYTES);
      return { ...(await readRequirements(start, files)), root: manifestRoot(await manifest('pyproject.toml')) };
    },
  ],
  ['go.mod', async (text) => (await import('./go-mod.ts')).readGoMod(text)],
]);

/** Projects have several, such as `requirements-dev.txt`. */
const REQUIREMENTS = /requirements[^/]*\.txt$/;

/** Lockfiles that are known and not read. */
const UNREAD = [
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'Pipfile.lock',
  'pdm.lock',
  'pylock.toml',
  'go.work',
  'composer.lock',
  'Gemfile.lock',
  'gradle.lockfile',
  'packages.lock.json',
  'pubspec.lock',
  'mix.lock',
  'Podfile.lock',
  'Package.resolved',
];

/** The names of the lockfiles that are read. */
export const LOCKFILE_NAMES: readonly string[] = [...READERS.keys()];

/**
 * The lockfiles in a folder: those that are read, the first one before others, those that are not, and requirements
 * files of other names, which are read when they are named.
 */
export function findLockfiles(folder: string): {
  readonly read: readonly string[];
  readonly unread: readonly string[];
  readonly others: readonly string[];
} {
  const here = (names: readonly string[]) => names.filter((name) => existsSync(join(folder, name)));
  const others = readdirSync(folder).filter((name) => REQUIREMENTS.test(name) && !LOCKFILE_NAMES.includes(name));
  return { read: here(LOCKFILE_NAMES), unread: here(UNREAD), others: others.sort() };
}

/**
 * The project of a lockfile; of which kind it is tells its name.
 * @throws GeneratorError `feeds.lockfile_unsupported`, `feeds.lockfile_invalid`
 */
export async function readLockfile(path: string): Promise<LockedProject> {
  const name = basename(path);
  const reader = READERS.get(name) ?? (REQUIREMENTS.test(name) ? READERS.get('requirements.txt') : undefined);
  const facts = { checked: path };
  if (reader === undefined) {
    throw new GeneratorError('feeds.lockfile_unsupported', `${name} is no lockfile that is read`, {
      ...facts,
      expected: LOCKFILE_NAMES.join(', '),
      next: 'colophon sbom create with the folder that it lies in',
    });
  }
  const folder = dirname(path);
  const manifest = async (wanted: string) => {
    const file = join(folder, wanted);
    if (!existsSync(file)) return undefined;
    try {
      const content = await readText(file);
      return wanted.endsWith('.json') ? JSON.parse(content) : await toml(content);
    } catch {
      // It only says what the project is called.
      return undefined;
    }
  };
  try {
    return withSoundNames(await reader(await readText(path), { path, folder, manifest }));
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    throw new GeneratorError(error.code, `${name}: ${error.message}`, { ...facts, ...error.facts, cause: error.cause });
  }
}

/** Names with blanks, line ends or characters that nobody sees are no names, whatever the lockfile says. */
function withSoundNames(project: LockedProject): LockedProject {
  for (const { name, group, version } of [project.root, ...project.packages]) {
    for (const text of [name, group, version]) {
      if (text === '' || (text !== undefined && /[\s\p{C}]/u.test(text))) {
        throw new GeneratorError(
          'feeds.lockfile_invalid',
          'a name or version has blanks or characters that cannot be seen',
          {
            found: JSON.stringify(withoutLogins(withoutLogin(text))).slice(0, 100),
          },
        );
      }
    }
  }
  return project;
}

async function readNpm(text: string, { folder, manifest }: Beside): Promise<LockedProject> {
  const { readNpmLockfile } = await import('./npm-lockfile.ts');
  const parsed = parseStrictJson(Buffer.from(text), { maxBytes: MAX_LOCKFILE_BYTES, maxDepth: MAX_LOCKFILE_DEPTH });
  if (!parsed.ok) {
    throw new GeneratorError('feeds.lockfile_invalid', parsed.issues[0]?.message ?? 'no JSON', {
      expected: 'what npm install writes',
    });
  }
  return readNpmLockfile(parsed.value, folder, await manifest('package.json'));
}

async function npmRoot(manifest: Beside['manifest']): Promise<LockedProject['root']> {
  const { npmName } = await import('./npm-name.ts');
  const { name, version, license } = ((await manifest('package.json')) ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') return {};
  return {
    ...npmName(name, typeof version === 'string' ? version : undefined, undefined),
    ...(typeof license === 'string' && license !== '' && { licence: license }),
  };
}

async function readText(path: string): Promise<string> {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw new GeneratorError('feeds.lockfile_invalid', `it cannot be read: ${systemReason(cause)}`, { cause });
  });
  try {
    const { size } = await file.stat();
    if (size > MAX_LOCKFILE_BYTES) {
      throw new GeneratorError('feeds.lockfile_invalid', `it is larger than ${MAX_LOCKFILE_BYTES} bytes`);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile());
  } catch (cause) {
    if (cause instanceof GeneratorError) throw cause;
    throw new GeneratorError('feeds.lockfile_invalid', 'it is no UTF-8 text', { cause });
  } finally {
    await file.close();
  }
}

/** Every document of a YAML text: from pnpm 11 on a lockfile may have two. */
async function yamlDocuments(text: string): Promise<readonly unknown[]> {
  const { parseAllDocuments } = await import('yaml');
  return parsed(() => {
    const documents = [...parseAllDocuments(text, { schema: 'core', prettyErrors: false, logLevel: 'silent' })];
    return documents.map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS({ maxAliasCount: 0 });
    });
  }, 'YAML');
}

async function toml(text: string): Promise<unknown> {
  const { parse } = await import('smol-toml');
  return parsed(() => parse(text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_LOCKFILE_DEPTH }), 'TOML');
}

function parsed<T>(parse: () => T, format: string): T {
  try {
    return parse();
  } catch (cause) {
    const message = (cause as Error).message.split('\n')[0];
    throw new GeneratorError('feeds.lockfile_invalid', `it is no ${format}: ${message}`, { cause });
  }
}
