import { isSha256Hex } from '@colophon/notation';
import { GeneratorError } from '../generator-error/generator-error.ts';
import { withoutLogin } from './address.ts';
import type { LockedPackage, LockedProject } from './locked-project.ts';
import { NoteGroups } from './note-groups.ts';
import { packagePurl } from './purl.ts';
import { isTable, namedTables, optionalTable, type Table, textOf } from './table.ts';

const CRATES_IO =
  /^(?:registry\+https:\/\/github\.com\/rust-lang\/crates\.io-index|sparse\+https:\/\/index\.crates\.io\/)/;

/**
 * The project of a `Cargo.lock`. Crates of the workspace have no source there: one alone is the project, several are
 * its parts, but for the one that the manifest describes. What is needed for development alone is not told apart.
 * @param manifest of `Cargo.toml`, if it is there
 * @throws GeneratorError `feeds.lockfile_invalid`
 */
export function readCargoLockfile(document: unknown, manifest?: unknown): LockedProject {
  const lockfile = isTable(document) ? document : {};
  // The oldest lockfiles have the project itself apart.
  const oldRoot = isTable(lockfile['root']) ? [lockfile['root']] : [];
  const tables = namedTables([...oldRoot, ...asList(lockfile['package'])], 'package');
  const checksums = optionalTable(lockfile, 'metadata');
  const notes = new NoteGroups();
  const entries = tables.map((entry) => {
    const version = textOf(entry['version']);
    if (version === undefined)
      throw new GeneratorError('feeds.lockfile_invalid', `package ${entry.name} has no version`);
    const source = textOf(entry['source']);
    return { entry, name: entry.name, version, source, key: keyOf(entry.name, version, source) };
  });
  const keys = new Map<string, Set<string>>();
  for (const { name, version, key } of entries) {
    // A dependency is written as short as it is clear: name, name and version, or all three.
    for (const short of new Set([name, `${name} ${version}`, key]))
      keys.set(short, (keys.get(short) ?? new Set()).add(key));
  }
  if (new Set(entries.map(({ key }) => key)).size < entries.length) {
    throw new GeneratorError('feeds.lockfile_invalid', 'a package is in it twice');
  }
  const packages = entries.map(({ entry, name, version, source, key }): LockedPackage => {
    const checksum = textOf(entry['checksum']) ?? textOf(checksums[`checksum ${key}`]);
    const git = source?.startsWith('git+') ? withoutLogin(source) : undefined;
    const isOther = source !== undefined && git === undefined && !CRATES_IO.test(source);
    const registry = isOther ? withoutLogin(source.replace(/^\w+\+/, '')) : undefined;
    const qualifiers = git ? { vcs_url: git } : registry ? { repository_url: registry } : undefined;
    const purl = packagePurl('cargo', undefined, name, version, qualifiers);
    const needed = asList(entry['dependencies']).map((one) => {
      const short = textOf(one) ?? 'what is no text';
      const found = keys.get(short);
      if (found?.size === 1) return [...found][0];
      notes.add('is needed, and not (or not clearly) in the lockfile', `${short} (by ${name})`);
      return undefined;
    });
    return {
      key,
      name,
      version,
      ...(purl && { purl }),
      hashes: checksum !== undefined && isSha256Hex(checksum) ? [{ alg: 'SHA-256', content: checksum }] : [],
      ...(git && { source: { kind: 'vcs', url: git } }),
      dependsOn: needed.filter((one) => one !== undefined),
      ...(needed.includes(undefined) && { isIncomplete: true }),
    };
  });
  for (const { name } of namedTables(optionalTable(lockfile, 'patch')['unused'], 'unused patch')) {
    notes.add('a patch that no package needs, and no package here', name);
  }
  return { ...withRoot(packages, entries, manifest), notes: notes.notes() };
}

function withRoot(
  packages: readonly LockedPackage[],
  entries: ReadonlyArray<{ readonly source: string | undefined }>,
  manifest: unknown,
): LockedProject {
  const members = packages.filter((_, index) => entries[index]!.source === undefined);
  const own = isTable(manifest) ? textOf(optionalTable(manifest, 'package')['name']) : undefined;
  const only = members.length === 1 ? members[0] : members.find((member) => member.name === own);
  if (only === undefined) return { root: {}, dependsOn: members.map(({ key }) => key), packages };
  const { name, version, purl, isIncomplete } = only;
  return {
    root: { name, ...(version && { version }), ...(purl && { purl }) },
    // Members that it does not need itself are still parts of the project.
    dependsOn: [...new Set([...(only.dependsOn ?? []), ...members.map(({ key }) => key)])].filter(
      (key) => key !== only.key,
    ),
    ...(isIncomplete && { isIncomplete }),
    packages: packages.filter((locked) => locked !== only),
  };
}

function keyOf(name: string, version: string, source: string | undefined): string {
  return [name, version, ...(source === undefined ? [] : [`(${source})`])].join(' ');
}

function asList(value: unknown): readonly (string | Table)[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new GeneratorError('feeds.lockfile_invalid', 'a list of packages is no list');
}
