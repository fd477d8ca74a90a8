import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { GeneratorError } from '../generator-error/generator-error.ts';
import { withoutLogin } from './address.ts';
import { type LockedPackage, type LockedProject, type Scope, strongestScope } from './locked-project.ts';
import { NoteGroups } from './note-groups.ts';
import { hashesOfIntegrity } from './npm-integrity.ts';
import { isRegistryArchive, npmName, npmSource } from './npm-name.ts';
import { workspaceTest } from './npm-workspaces.ts';
import { isTable, type Table, textOf } from './table.ts';

type Entry = {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly inBundle?: boolean;
  readonly extraneous?: boolean;
  readonly license?: unknown;
  readonly workspaces?: unknown;
  readonly peerDependenciesMeta?: unknown;
} & Readonly<Partial<Record<(typeof EDGES)[number], Readonly<Record<string, string>>>>>;

/** In version 1, packages stand inside each other. */
type OldEntry = Entry & {
  readonly bundled?: boolean;
  readonly requires?: Readonly<Record<string, string>> | boolean;
  readonly dependencies?: Readonly<Record<string, OldEntry>>;
};

const EDGES = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'] as const;
const LONGEST_LOCATION = 4096;
const MOST_MANIFEST_BYTES = 1024 * 1024;

/**
 * The project of a `package-lock.json` or `npm-shrinkwrap.json` of version 1, 2 or 3, workspaces included. A package
 * that is installed in several places is one package that needs all that they need.
 * @param folder where `node_modules` is looked for, for licences that the lockfile does not say
 * @throws GeneratorError `feeds.lockfile_unsupported`, `feeds.lockfile_invalid`
 */
export function readNpmLockfile(document: unknown, folder: string, manifest?: unknown): LockedProject {
  const lockfile = objectOf(document, 'the lockfile');
  const version = lockfile['lockfileVersion'];
  if (version !== undefined && ![1, 2, 3].includes(version as number)) {
    throw new GeneratorError('feeds.lockfile_unsupported', 'npm wrote this lockfile in a version that is not read', {
      expected: 'lockfileVersion 1, 2 or 3',
      found: JSON.stringify(version).slice(0, 40),
    });
  }
  const entries = isTable(lockfile['packages'])
    ? currentEntries(lockfile['packages'] as Record<string, unknown>)
    : oldEntries(lockfile as OldEntry, manifest);
  const project = projectOf(entries, folder);
  if (isTable(lockfile['packages'])) return project;
  return {
    ...project,
    ...(!hasEdges(tableOf(manifest)) && { isIncomplete: true }),
    packages: project.packages.map((locked) => ({ ...locked, isIncomplete: true })),
    notes: [...(project.notes ?? []), 'version 1 of the lockfile does not say which peers packages need'],
  };
}

function hasEdges(manifest: Table): boolean {
  return EDGES.some((kind) => manifest[kind] !== undefined);
}

function currentEntries(packages: Record<string, unknown>): Map<string, Entry> {
  return new Map(
    Object.entries(packages).map(([location, entry]) => {
      if (location.length > LONGEST_LOCATION) invalid('a package lies deeper than folders can');
      return [location, objectOf(entry, `the package at ${location.slice(0, 200)}`) as Entry];
    }),
  );
}

function oldEntries(lockfile: OldEntry, manifest: unknown): Map<string, Entry> {
  const root = isTable(manifest) ? (manifest as Entry) : {};
  const entries = new Map<string, Entry>([['', { ...root, ...named(lockfile) }]]);
  const add = (base: string, packages: OldEntry['dependencies']) => {
    if (packages === undefined) return;
    for (const [name, entry] of Object.entries(objectOf(packages, 'dependencies'))) {
      const { version: said, requires, dependencies, bundled, ...rest } = objectOf(entry, name) as OldEntry;
      const version = textOf(said) ?? '';
      const location = `${base}node_modules/${name}`;
      if (location.length > LONGEST_LOCATION) invalid('a package lies deeper than folders can');
      const alias = /^npm:(.+)@([^@]+)$/.exec(version);
      const isElsewhere = /^(?:file:|git|https?:|[\w-]+\/)/.test(version);
      entries.set(location, {
        ...rest,
        ...(alias === null ? {} : { name: alias[1]! }),
        ...(isElsewhere ? { resolved: rest.resolved ?? version } : { version: alias?.[2] ?? version }),
        ...(bundled && { inBundle: true }),
        ...(isTable(requires) && { dependencies: requires as Record<string, string> }),
      });
      add(`${location}/`, dependencies);
    }
  };
  add('', lockfile.dependencies);
  // The folders of workspaces are nowhere else.
  const isWorkspace = workspaceTest(root.workspaces);
  const parts = Object.entries(tableOf(lockfile.dependencies)).flatMap(([name, entry]) => {
    const [, folder] = /^file:(.+)$/s.exec(textOf(tableOf(entry)['version']) ?? '') ?? [];
    return folder !== undefined && isWorkspace(folder) ? [[name, '*'] as const] : [];
  });
  if (parts.length > 0) {
    entries.set('', { ...entries.get('')!, dependencies: { ...root.dependencies, ...Object.fromEntries(parts) } });
  }
  // Without the manifest the packages that nobody needs are the project's own, and others may be too.
  if (!hasEdges(root)) {
    const needed = new Set([...entries.values()].flatMap(({ dependencies = {} }) => Object.keys(dependencies)));
    const own = Object.keys(lockfile.dependencies ?? {}).filter((name) => !needed.has(name));
    entries.set('', { ...named(lockfile), dependencies: Object.fromEntries(own.map((name) => [name, '*'])) });
  }
  return entries;
}

function named({ name, version }: Entry): Entry {
  return { ...(name !== undefined && { name }), ...(version !== undefined && { version }) };
}

function projectOf(entries: ReadonlyMap<string, Entry>, folder: string): LockedProject {
  const rootEntry = entries.get('') ?? {};
  const notes = new NoteGroups();
  const keys = new Map<string, string>();
  const contents = new Map<string, Entry>();
  for (const [location, entry] of entries) {
    if (location === '' || isFollowed(entries, entry)) continue;
    const key = keyOf(location, entry);
    const known = contents.get(key);
    const isSame = known === undefined || haveSameContent(known, entry);
    if (known === undefined) contents.set(key, entry);
    // One of them is not what the other is, whatever both are called.
    if (!isSame) notes.add(haveOtherHashes(known, entry) ? OTHER_HASHES : OTHER_ADDRESS, `${key} (${location})`);
    keys.set(location, isSame ? key : `${key} ${location}`);
    if (entry.link === true) notes.add('a link to what the lockfile does not have', location);
  }
  const needsOf = (location: string, entry: Entry): Pick<LockedPackage, 'dependsOn' | 'isIncomplete'> => {
    const names = new Set(EDGES.flatMap((kind) => Object.keys(tableOf(entry[kind]))));
    const absent: string[] = [];
    const dependsOn = [...names].flatMap((name) => {
      const found = resolvedLocation(entries, location, name);
      if (found !== undefined) return keys.get(found) ?? [];
      if (mayBeMissing(entry, name)) return [];
      absent.push(name);
      const by = location === '' ? 'the project' : packageName(location, entry);
      notes.add('is needed, and not in the lockfile', `${name} (by ${by})`);
      return [];
    });
    return { dependsOn, ...(absent.length > 0 && { isIncomplete: true }) };
  };

  const packages = new Map<string, LockedPackage>();
  for (const [location, key] of keys) {
    const entry = entries.get(location) as Entry;
    const needs = entry.link === true ? {} : needsOf(location, entry);
    const here = packageAt(location, key, entry, folder, needs);
    const known = packages.get(key);
    packages.set(key, known === undefined ? here : merged(known, here));
  }
  const needs = needsOf('', rootEntry);
  const isWorkspace = workspaceTest(rootEntry.workspaces);
  const parts = [...keys].flatMap(([location, key]) => (isWorkspace(location) ? [key] : []));
  const name = textOf(rootEntry.name);
  const licence = licenceOf(rootEntry.license);
  return {
    root: { ...(name && npmName(name, textOf(rootEntry.version), undefined)), ...(licence && { licence }) },
    dependsOn: [...(needs.dependsOn ?? []), ...parts],
    ...(needs.isIncomplete && { isIncomplete: true }),
    packages: [...packages.values()],
    notes: [...(packages.size === 0 ? ['the lockfile names no package'] : []), ...notes.notes()],
  };
}

/** True for a link to an entry, which is then the package. */
function isFollowed(entries: ReadonlyMap<string, Entry>, { link, resolved }: Entry): boolean {
  return link === true && typeof resolved === 'string' && entries.has(resolved);
}

/** Optional packages, optional peers, and what a package that is installed needs for its own development. */
function mayBeMissing(entry: Entry, name: string): boolean {
  if (Object.hasOwn(tableOf(entry.optionalDependencies), name)) return true;
  if (Object.hasOwn(tableOf(entry.dependencies), name)) return false;
  if (Object.hasOwn(tableOf(entry.devDependencies), name)) return false;
  const how = tableOf(entry.peerDependenciesMeta)[name];
  return isTable(how) && how['optional'] === true;
}

const OTHER_HASHES = 'one name and version with different hashes in different places';
const OTHER_ADDRESS = 'one name and version from different addresses, and no hash says that they are the same';

/** Hashes of one algorithm in both, as pairs. */
function comparedHashes(a: Entry, b: Entry): ReadonlyArray<readonly [string, string]> {
  const [left, right] = [a, b].map(({ integrity }) => hashesOfIntegrity(textOf(integrity) ?? ''));
  return left!.flatMap(({ alg, content }) => {
    const other = right!.find((hash) => hash.alg === alg);
    return other === undefined ? [] : [[content, other.content] as const];
  });
}

function haveOtherHashes(a: Entry, b: Entry): boolean {
  return comparedHashes(a, b).some(([one, other]) => one !== other);
}

/** A mirror has the same content where a hash says so; any other address may have anything under the name. */
function haveSameContent(a: Entry, b: Entry): boolean {
  if (haveOtherHashes(a, b)) return false;
  const [left, right] = [textOf(a.resolved), textOf(b.resolved)];
  return left === undefined || right === undefined || left === right || comparedHashes(a, b).length > 0;
}

function tableOf(value: unknown): Table {
  return isTable(value) ? value : {};
}

/** As Node resolves a package: beside the package that needs it, then in every folder above; links are followed. */
function resolvedLocation(entries: ReadonlyMap<string, Entry>, location: string, name: string): string | undefined {
  for (let base = location; ; base = base.slice(0, Math.max(base.lastIndexOf('/'), 0))) {
    const candidate = `${base === '' ? '' : `${base}/`}node_modules/${name}`;
    const entry = entries.get(candidate);
    if (entry !== undefined) return isFollowed(entries, entry) ? entry.resolved : candidate;
    if (base === '') return undefined;
  }
}

function packageAt(
  location: string,
  key: string,
  entry: Entry,
  folder: string,
  { dependsOn, isIncomplete }: Pick<LockedPackage, 'dependsOn' | 'isIncomplete'>,
): LockedPackage {
  const { version, resolved } = entry;
  const licence = licenceOf(entry.license) ?? installedLicence(folder, location);
  const source = npmSource(textOf(resolved));
  const properties: Array<readonly [string, string]> = [['cdx:npm:package:path', location]];
  if (entry.dev || entry.devOptional) properties.push(['cdx:npm:package:development', 'true']);
  if (entry.inBundle) properties.push(['cdx:npm:package:bundled', 'true']);
  if (entry.extraneous) properties.push(['cdx:npm:package:extraneous', 'true']);
  return {
    ...npmName(packageName(location, entry), textOf(version), textOf(resolved)),
    key,
    scope: scopeOf(entry),
    ...(licence !== undefined && { licence }),
    hashes: typeof entry.integrity === 'string' ? hashesOfIntegrity(entry.integrity) : [],
    ...(source !== undefined && { source }),
    properties,
    ...(dependsOn && { dependsOn: dependsOn.filter((needed) => needed !== key) }),
    ...(isIncomplete && { isIncomplete }),
  } as LockedPackage;
}

function merged(a: LockedPackage, b: LockedPackage): LockedPackage {
  const scope = strongestScope(a.scope, b.scope);
  const properties = [...(a.properties ?? []), ...(b.properties ?? [])];
  const distinct = new Map(properties.map((property) => [property.join('='), property]));
  return {
    ...b,
    ...a,
    ...(scope !== undefined && { scope }),
    properties: [...distinct.values()],
    hashes: distinctHashes([...(a.hashes ?? []), ...(b.hashes ?? [])]),
    dependsOn: [...new Set([...(a.dependsOn ?? []), ...(b.dependsOn ?? [])])],
    ...((a.isIncomplete || b.isIncomplete) && { isIncomplete: true }),
  };
}

function distinctHashes(hashes: NonNullable<LockedPackage['hashes']>): NonNullable<LockedPackage['hashes']> {
  return [...new Map(hashes.map((hash) => [hash.alg, hash])).values()];
}

/** The same name and version from one place is one package. */
function keyOf(location: string, entry: Entry): string {
  const { resolved } = entry;
  const from = typeof resolved === 'string' && !isRegistryArchive(resolved) ? ` ${withoutLogin(resolved)}` : '';
  return `${packageName(location, entry)}@${textOf(entry.version) ?? ''}${isInstalled(location) ? from : ` ${location}`}`;
}

/** The real name: of an alias it stands in the entry, where the location has the alias. */
function packageName(location: string, { name }: Entry): string {
  const installed = location.slice(location.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return textOf(name) ?? (isInstalled(location) ? installed : (location.split('/').at(-1) ?? location));
}

function isInstalled(location: string): boolean {
  return location.startsWith('node_modules/') || location.includes('/node_modules/');
}

function scopeOf({ dev, optional, devOptional }: Entry): Scope {
  if (dev) return 'excluded';
  return optional || devOptional ? 'optional' : 'required';
}

/** A text, or as it was once written: an object with `type`, or a list of those. */
function licenceOf(license: unknown): string | undefined {
  if (typeof license === 'string') return license.trim() || undefined;
  if (Array.isArray(license)) {
    const all = license.flatMap((one) => licenceOf(one) ?? []);
    return all.length > 1 ? `(${all.join(' OR ')})` : all[0];
  }
  return isTable(license) ? licenceOf((license as { type?: unknown }).type) : undefined;
}

function installedLicence(folder: string, location: string): string | undefined {
  if (location.split(/[/\\]/).includes('..') || location.includes('\0')) return undefined;
  try {
    const file = openSync(join(folder, location, 'package.json'), 'r');
    try {
      const bytes = Buffer.alloc(MOST_MANIFEST_BYTES);
      const length = readSync(file, bytes, 0, MOST_MANIFEST_BYTES, 0);
      const manifest = JSON.parse(bytes.toString('utf8', 0, length)) as { license?: unknown; licenses?: unknown };
      return licenceOf(manifest.license) ?? licenceOf(manifest.licenses);
    } finally {
      closeSync(file);
    }
  } catch {
    // It is not installed, or nothing that says a licence.
    return undefined;
  }
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (isTable(value)) return value as Record<string, unknown>;
  return invalid(`${what} is no object`);
}

function invalid(message: string): never {
  throw new GeneratorError('feeds.lockfile_invalid', message);
}
