import { GeneratorError } from '../generator-error/generator-error.ts';
import { withoutLogins } from './address.ts';
import { type LockedPackage, type LockedProject, type Needs, scopesOf } from './locked-project.ts';
import { NoteGroups } from './note-groups.ts';
import { hashesOfIntegrity } from './npm-integrity.ts';
import { npmName, npmSource } from './npm-name.ts';
import { isTable, optionalTable, type Table, textOf } from './table.ts';

/** In notes; no package has such a key. */
const PROJECT = 'the project';
const EDGES = ['dependencies', 'optionalDependencies', 'devDependencies'] as const;

/**
 * The project of a `pnpm-lock.yaml` of version 6 or 9, workspaces included. Workspace folders are read as parts of the
 * project, not as packages of their own: the lockfile does not say what they are called. What pnpm itself consists of,
 * which stands in a document before the project's, is in a note.
 * @param documents of the YAML file
 * @throws GeneratorError `feeds.lockfile_unsupported`, `feeds.lockfile_invalid`
 */
export function readPnpmLockfile(documents: readonly unknown[]): LockedProject {
  const own = documents.filter(isOfPnpmItself);
  const [document, another] = documents.filter((one) => !own.includes(one));
  if (another !== undefined) throw new GeneratorError('feeds.lockfile_invalid', 'two lockfiles stand in it');
  const notes = new NoteGroups();
  for (const name of own.flatMap((one) => Object.keys(optionalTable(one as Table, 'packages'))))
    notes.add('what pnpm itself consists of or is configured with, and left out', name);
  const lockfile = isTable(document) ? document : {};
  const stated = lockfile['lockfileVersion'];
  const version = typeof stated === 'number' ? `${stated}` : (textOf(stated) ?? '');
  if (!/^[69]\.\d+$/.test(version)) {
    throw new GeneratorError('feeds.lockfile_unsupported', 'pnpm wrote this lockfile in a version that is not read', {
      expected: "lockfileVersion '6.0' or '9.0'",
      found: version.slice(0, 40),
    });
  }
  const isOld = version.startsWith('6');
  const described = optionalTable(lockfile, 'packages');
  // From version 9 who needs whom stands apart from what a package is.
  const resolved = isOld ? described : optionalTable(lockfile, 'snapshots');
  const byName = new Map(Object.keys(resolved).map((name) => [baseName(name), name]));
  const keyOf = (name: string, wanted: string): string | undefined => {
    const candidates = [`${name}@${wanted}`, wanted, wanted.startsWith('/') ? wanted : `/${name}@${wanted}`];
    const found = candidates.find((candidate) => Object.hasOwn(resolved, candidate));
    return found ?? byName.get(baseName(candidates[0]!));
  };
  const incomplete = new Set<string>();
  const keysOf = (holder: Table, kind: string, by: string): string[] =>
    Object.entries(optionalTable(holder, kind)).flatMap(([name, wanted]) => {
      const text = isTable(wanted) ? textOf(wanted['version']) : textOf(wanted);
      const key = text === undefined ? undefined : keyOf(name, text);
      if (key !== undefined) return [key];
      if (text?.startsWith('link:')) {
        notes.add('a folder, and part of the project', `${name} (by ${by})`);
        return [];
      }
      // One for another platform may be missing.
      if (kind === 'optionalDependencies') return [];
      incomplete.add(by);
      notes.add('is needed, and not in the lockfile', `${name} (by ${by})`);
      return [];
    });

  const needs = new Map<string, Needs>();
  for (const [key, entry] of Object.entries(resolved)) {
    const holder = isTable(entry) ? entry : {};
    needs.set(key, {
      needed: keysOf(holder, 'dependencies', key),
      optional: keysOf(holder, 'optionalDependencies', key),
    });
  }
  const importers = Object.values(isTable(lockfile['importers']) ? lockfile['importers'] : { '.': lockfile });
  const [needed, optional, development] = EDGES.map((kind) =>
    importers.flatMap((importer) => (isTable(importer) ? keysOf(importer, kind, PROJECT) : [])),
  ) as [string[], string[], string[]];
  const scopes = scopesOf((key) => needs.get(key) ?? { needed: [], optional: [] }, { needed, optional, development });

  // What is described and resolved nowhere: nobody says what it needs.
  const unresolved = Object.keys(described).filter((key) => !byName.has(baseName(key)));
  for (const name of Object.keys(optionalTable(lockfile, 'patchedDependencies'))) {
    notes.add('patched by the project: it is not what was published', name);
  }
  const packages = [...Object.keys(resolved), ...unresolved].flatMap((key): LockedPackage[] => {
    const description = described[key] ?? described[baseName(key)];
    const resolution = isTable(description) ? optionalTable(description, 'resolution') : {};
    const [, name, version] = /^\/?((?:@[^/@]+\/)?[^/@]+)@(.+)$/.exec(baseName(key)) ?? [];
    if (name === undefined) {
      throw new GeneratorError(
        'feeds.lockfile_invalid',
        `a package has no name and version: ${withoutLogins(key).slice(0, 100)}`,
      );
    }
    const archive = textOf(resolution['tarball']) ?? (/^(?:https?|git)/.test(version!) ? version : undefined);
    const stated = isTable(description) ? textOf(description['version']) : undefined;
    const isAddress = /[:/]/.test(version!);
    const source = npmSource(archive);
    return [
      {
        ...npmName(name, isAddress ? stated : version, archive),
        key,
        ...(scopes.has(key) && { scope: scopes.get(key)! }),
        hashes: hashesOfIntegrity(textOf(resolution['integrity']) ?? ''),
        ...(source && { source }),
        ...(needs.has(key) && { dependsOn: [...needs.get(key)!.needed, ...needs.get(key)!.optional] }),
        ...(incomplete.has(key) && { isIncomplete: true }),
      } as LockedPackage,
    ];
  });
  return {
    root: {},
    dependsOn: [...new Set([...needed, ...optional, ...development])],
    isIncomplete: incomplete.has(PROJECT),
    packages,
    notes: notes.notes(),
  };
}

const PNPMS_OWN = ['configDependencies', 'packageManagerDependencies'];

/** A document of which every folder needs nothing but pnpm and its configuration. */
function isOfPnpmItself(document: unknown): boolean {
  if (!isTable(document)) return false;
  const importers = Object.values(optionalTable(document, 'importers'));
  return importers.length > 0 && importers.every((one) => isTable(one) && hasOnly(one, PNPMS_OWN));
}

function hasOnly(table: Table, members: readonly string[]): boolean {
  const keys = Object.keys(table);
  return keys.length > 0 && keys.every((key) => members.includes(key));
}

/** Without the peers that it was resolved with: `a@1.0.0(b@2.0.0)`. */
function baseName(key: string): string {
  const peers = key.indexOf('(');
  return peers < 0 ? key : key.slice(0, peers);
}
