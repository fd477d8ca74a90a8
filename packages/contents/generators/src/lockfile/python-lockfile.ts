import { withoutLogin } from './address.ts';
import type { LockedPackage, LockedProject } from './locked-project.ts';
import { NoteGroups } from './note-groups.ts';
import { normalizedName, pypiName } from './pypi-name.ts';
import { isTable, namedTables, optionalTable, type Table, tablesOf, textOf } from './table.ts';

const ABSENT = 'is needed, and not in the lockfile';

/**
 * The project of a `poetry.lock`. What the project itself needs stands in `pyproject.toml`. Of a package that is locked
 * in several versions, for several platforms, a package that needs one of them needs all.
 * @param manifest of `pyproject.toml`, if it is there
 * @throws GeneratorError `feeds.lockfile_invalid`
 */
export function readPoetryLockfile(document: unknown, manifest?: unknown): LockedProject {
  const { entries, keysOf } = packagesOf(document);
  const notes = new NoteGroups();
  const packages = entries.map(({ entry, key, name, version }): LockedPackage => {
    const groups = Array.isArray(entry['groups']) ? entry['groups'] : [entry['category'] ?? 'main'];
    const scope = !groups.includes('main') ? 'excluded' : entry['optional'] === true ? 'optional' : 'required';
    const absent: string[] = [];
    const dependsOn = Object.entries(optionalTable(entry, 'dependencies')).flatMap(([needed, how]) => {
      const keys = keysOf(needed);
      if (keys.length === 0 && isAlwaysNeeded(how)) absent.push(needed);
      return keys;
    });
    for (const needed of absent) notes.add(ABSENT, `${needed} (by ${name})`);
    const source = sourceOf(optionalTable(entry, 'source'));
    return {
      ...pypiName(name, version, source?.qualifiers),
      key,
      scope,
      ...(source && { source: source.source }),
      dependsOn: dependsOn.filter((one) => one !== key),
      ...(absent.length > 0 && { isIncomplete: true }),
    };
  });
  if (!isTable(manifest)) return { root: {}, packages, notes: notes.notes() };
  const needs = manifestNeeds(manifest);
  const unlocked = needs.filter(({ name, isConditional }) => !isConditional && keysOf(name).length === 0);
  for (const { name } of unlocked) notes.add(ABSENT, `${name} (by the project)`);
  return {
    root: manifestRoot(manifest),
    dependsOn: [...new Set(needs.flatMap(({ name }) => keysOf(name)))],
    isIncomplete: unlocked.length > 0,
    packages,
    notes: notes.notes(),
  };
}

/**
 * The project of a `uv.lock`: the package that comes from the folder itself; the members of its workspace are parts.
 * @throws GeneratorError `feeds.lockfile_invalid`
 */
export function readUvLockfile(document: unknown): LockedProject {
  const { entries, keysOf } = packagesOf(document);
  const notes = new NoteGroups();
  const localKinds = ['virtual', 'editable', 'directory'];
  const folderOf = (entry: Table) => {
    const source = optionalTable(entry, 'source');
    return localKinds.map((kind) => source[kind]).find((folder) => folder !== undefined);
  };
  const members = optionalTable(isTable(document) ? document : {}, 'manifest')['members'];
  const memberKeys = Array.isArray(members) ? members.flatMap((name) => keysOf(textOf(name) ?? '')) : [];
  const own = entries.find(({ entry }) => folderOf(entry) === '.');
  const needsOf = ({ entry, key, name }: PythonEntry) => {
    const lists = ['optional-dependencies', 'dev-dependencies'].flatMap((kind) =>
      Object.values(optionalTable(entry, kind)),
    );
    const absent: string[] = [];
    const dependsOn = [entry['dependencies'], ...lists].flatMap(tablesOf).flatMap((needed) => {
      const wanted = textOf(needed['name']) ?? '';
      const keys = keysOf(wanted, textOf(needed['version']));
      if (keys.length > 0) return keys;
      absent.push(wanted);
      notes.add(ABSENT, `${wanted} (by ${name})`);
      return [];
    });
    return {
      dependsOn: [...new Set(dependsOn)].filter((one) => one !== key),
      ...(absent.length > 0 && { isIncomplete: true }),
    };
  };
  const packages = entries.flatMap((one): LockedPackage[] => {
    if (one === own) return [];
    const source = sourceOf(optionalTable(one.entry, 'source'));
    return [
      {
        ...pypiName(one.name, one.version, source?.qualifiers),
        key: one.key,
        ...(source && { source: source.source }),
        ...needsOf(one),
      },
    ];
  });
  const parts = memberKeys.filter((key) => key !== own?.key);
  if (own === undefined) {
    return { root: {}, ...(parts.length > 0 && { dependsOn: parts }), packages, notes: notes.notes() };
  }
  const needs = needsOf(own);
  // Members that it does not need itself are still parts of the project.
  const dependsOn = [...new Set([...needs.dependsOn, ...parts])];
  return { root: pypiName(own.name, own.version), ...needs, dependsOn, packages, notes: notes.notes() };
}

/** Name and version of a project from its `pyproject.toml`. */
export function manifestRoot(manifest: unknown): LockedProject['root'] {
  if (!isTable(manifest)) return {};
  const project = optionalTable(manifest, 'project');
  const poetry = optionalTable(optionalTable(manifest, 'tool'), 'poetry');
  const name = textOf(project['name']) ?? textOf(poetry['name']);
  const licence = textOf(project['license']) ?? textOf(poetry['license']);
  return name === undefined
    ? {}
    : { ...pypiName(name, textOf(project['version']) ?? textOf(poetry['version'])), ...(licence && { licence }) };
}

/** What a manifest asks for; conditional where a marker or an extra has a say. */
function manifestNeeds(manifest: Table): Array<{ readonly name: string; readonly isConditional: boolean }> {
  const poetry = optionalTable(optionalTable(manifest, 'tool'), 'poetry');
  const groups = Object.values(optionalTable(poetry, 'group')).map((group) =>
    isTable(group) ? optionalTable(group, 'dependencies') : {},
  );
  const tables = [optionalTable(poetry, 'dependencies'), optionalTable(poetry, 'dev-dependencies'), ...groups];
  const project = optionalTable(manifest, 'project');
  const lists = [
    project['dependencies'],
    ...Object.values(optionalTable(project, 'optional-dependencies')),
    ...Object.values(optionalTable(manifest, 'dependency-groups')),
  ];
  const stated = lists
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .flatMap((requirement) => {
      const name = typeof requirement === 'string' ? /^\s*([A-Za-z0-9._-]+)/.exec(requirement)?.[1] : undefined;
      return name === undefined ? [] : [{ name, isConditional: (requirement as string).includes(';') }];
    });
  const named = tables.flatMap((table) =>
    // The interpreter is no package.
    Object.entries(table).flatMap(([name, how]) =>
      normalizedName(name) === 'python' ? [] : [{ name, isConditional: !isAlwaysNeeded(how) }],
    ),
  );
  return [...named, ...stated];
}

/** True where neither an extra nor a marker decides. */
function isAlwaysNeeded(how: unknown): boolean {
  if (!isTable(how)) return !Array.isArray(how);
  return how['optional'] !== true && ['markers', 'python', 'platform'].every((name) => how[name] === undefined);
}

/** Where a package is from, if from no index: a git repository or an address, without logins. */
function sourceOf(source: Table) {
  const git = textOf(source['git']) ?? (source['type'] === 'git' ? textOf(source['url']) : undefined);
  if (git !== undefined) {
    const [base = '', commit = textOf(source['resolved_reference'])] = git.split('#');
    const plain = withoutLogin(base.replace(/\?.*$/s, ''));
    const url = `${plain.startsWith('git+') ? '' : 'git+'}${plain}${commit === undefined ? '' : `@${commit.replace(/[?&=].*$/s, '')}`}`;
    return { qualifiers: { vcs_url: url }, source: { kind: 'vcs' as const, url } };
  }
  const isArchive = source['type'] === undefined || source['type'] === 'url';
  const address = isArchive ? textOf(source['url']) : undefined;
  if (address === undefined) return undefined;
  const url = withoutLogin(address);
  return { qualifiers: { download_url: url }, source: { kind: 'distribution' as const, url } };
}

type PythonEntry = {
  readonly entry: Table;
  readonly key: string;
  readonly name: string;
  readonly version: string | undefined;
};

/** Every entry, and the keys of a name: several where it is locked in several versions or from several places. */
function packagesOf(document: unknown) {
  const byName = new Map<string, PythonEntry[]>();
  const taken = new Set<string>();
  const entries = namedTables(isTable(document) ? document['package'] : undefined, 'package').map(
    (entry): PythonEntry => {
      const plain = normalizedName(entry.name);
      const version = textOf(entry['version']);
      let key = taken.has(plain) ? `${plain}@${version}` : plain;
      for (let number = 2; taken.has(key); number++) key = `${plain}@${version}#${number}`;
      taken.add(key);
      const made = { entry, key, name: entry.name, version };
      const same = byName.get(plain);
      if (same === undefined) byName.set(plain, [made]);
      else same.push(made);
      return made;
    },
  );
  const keysOf = (name: string, version?: string): string[] =>
    (byName.get(normalizedName(name)) ?? []).flatMap((one) =>
      version === undefined || one.version === undefined || one.version === version ? [one.key] : [],
    );
  return { entries, keysOf };
}
