import type { LockedPackage, LockedProject } from './locked-project.ts';
import { packagePurl, withoutLogin } from './purl.ts';
import { isTable, optionalTable, type Table, tablesOf, textOf } from './table.ts';

/**
 * The project of a `poetry.lock`. What the project itself needs stands in `pyproject.toml`.
 * @param manifest of `pyproject.toml`, if it is there
 */
export function readPoetryLockfile(document: unknown, manifest?: unknown): LockedProject {
  const entries = packagesOf(document);
  const known = new Set(entries.map(({ key }) => key));
  const packages = entries.map(({ entry, key, name, version }): LockedPackage => {
    const groups = Array.isArray(entry['groups']) ? entry['groups'] : [entry['category'] ?? 'main'];
    const scope = !groups.includes('main') ? 'excluded' : entry['optional'] === true ? 'optional' : 'required';
    const needed = Object.keys(optionalTable(entry, 'dependencies')).map(normalizedName);
    return { ...named(name, version), key, scope, dependsOn: needed.filter((one) => known.has(one)) };
  });
  const needed = manifestNeeds(isTable(manifest) ? manifest : {}).filter((name) => known.has(name));
  return { root: manifestRoot(manifest), ...(needed.length > 0 && { dependsOn: needed }), packages };
}

/** The project of a `uv.lock`: the package that comes from the folder itself. */
export function readUvLockfile(document: unknown): LockedProject {
  const entries = packagesOf(document);
  const isOwn = (entry: Table) => {
    const source = optionalTable(entry, 'source');
    return ['virtual', 'editable', 'directory'].some((kind) => source[kind] === '.');
  };
  const known = new Set(entries.map(({ key }) => key));
  const needsOf = (list: unknown) =>
    tablesOf(list).flatMap((needed) => {
      const name = normalizedName(textOf(needed['name']) ?? '');
      return known.has(name) ? [name] : [];
    });
  const packages: LockedPackage[] = [];
  let root: LockedProject['root'] = {};
  let dependsOn: string[] | undefined;
  for (const { entry, key, name, version } of entries) {
    const all = [
      ...needsOf(entry['dependencies']),
      ...Object.values(optionalTable(entry, 'optional-dependencies')).flatMap(needsOf),
      ...Object.values(optionalTable(entry, 'dev-dependencies')).flatMap(needsOf),
    ];
    if (isOwn(entry)) {
      root = named(name, version);
      dependsOn = all;
    } else {
      packages.push({ ...named(name, version), key, dependsOn: all.filter((one) => one !== key) });
    }
  }
  return { root, ...(dependsOn && { dependsOn }), packages };
}

/**
 * The packages of a `requirements.txt`: one a line, with `==` and the version. Who needs whom is not said there. Other
 * files that it names are not followed.
 */
export function readRequirements(text: string): LockedProject {
  const notes: string[] = [];
  const packages = new Map<string, LockedPackage>();
  for (const [line, number] of logicalLines(text)) {
    const requirement = line.replace(/(?:^|\s)#.*$/, '').trim();
    if (requirement === '') continue;
    if (requirement.startsWith('-')) {
      if (/^(?:-r|-c|--requirement|--constraint)/.test(requirement)) {
        notes.push(`line ${number}: the file that it names is not read`);
      }
      continue;
    }
    const [, name, rest = ''] =
      /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?(.*)$/s.exec(requirement) ?? [];
    if (name === undefined) {
      notes.push(`line ${number} is no requirement with a name`);
      continue;
    }
    const [condition = ''] = rest.split(/;|\s--/);
    const version = /^\s*={2,3}\s*([A-Za-z0-9.!+_-]+)\s*$/.exec(condition)?.[1];
    const address = /^\s*@\s*(\S+)/.exec(condition)?.[1];
    if (version === undefined && address === undefined) {
      notes.push(`line ${number}: ${name} has no one version, only what it may be`);
    }
    const key = normalizedName(name);
    const url = address === undefined ? undefined : withoutLogin(address);
    packages.set(key, {
      ...named(name, version, url),
      key,
      ...(url && { source: { kind: url.startsWith('git+') ? 'vcs' : 'distribution', url } }),
      dependsOn: [],
    });
  }
  return { root: {}, dependsOn: [...packages.keys()], packages: [...packages.values()], notes };
}

/** Lines with those that a backslash continues, and the number of the first of them. */
function* logicalLines(text: string): Generator<readonly [line: string, number: number]> {
  let open = '';
  let first = 0;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (open === '') first = index + 1;
    if (line.endsWith('\\')) {
      open += `${line.slice(0, -1)} `;
      continue;
    }
    yield [open + line, first];
    open = '';
  }
  if (open !== '') yield [open, first];
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
    : { ...named(name, textOf(project['version']) ?? textOf(poetry['version'])), ...(licence && { licence }) };
}

function manifestNeeds(manifest: Table): string[] {
  const poetry = optionalTable(optionalTable(manifest, 'tool'), 'poetry');
  const groups = Object.values(optionalTable(poetry, 'group')).map((group) =>
    isTable(group) ? optionalTable(group, 'dependencies') : {},
  );
  const tables = [optionalTable(poetry, 'dependencies'), optionalTable(poetry, 'dev-dependencies'), ...groups];
  const project = optionalTable(manifest, 'project');
  const lists = [project['dependencies'], ...Object.values(optionalTable(project, 'optional-dependencies'))];
  const names = lists
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .flatMap((requirement) => {
      const name = /^\s*([A-Za-z0-9._-]+)/.exec(String(requirement))?.[1];
      return name === undefined ? [] : [name];
    });
  return [...tables.flatMap((table) => Object.keys(table)), ...names].map(normalizedName);
}

/** Entries of one name (for several platforms) are one package, the first of them. */
function packagesOf(
  document: unknown,
): Array<{ entry: Table; key: string; name: string; version: string | undefined }> {
  const entries = new Map<string, { entry: Table; key: string; name: string; version: string | undefined }>();
  for (const entry of tablesOf(isTable(document) ? document['package'] : undefined)) {
    const name = textOf(entry['name']);
    if (name === undefined) continue;
    const plain = normalizedName(name);
    const version = textOf(entry['version']);
    const key = entries.has(plain) ? `${plain}@${version}` : plain;
    if (!entries.has(key)) entries.set(key, { entry, key, name, version });
  }
  return [...entries.values()];
}

function named(name: string, version: string | undefined, address?: string) {
  const qualifiers =
    address === undefined ? undefined : address.startsWith('git+') ? { vcs_url: address } : { download_url: address };
  const purl = packagePurl('pypi', undefined, name, version, qualifiers);
  return { name, ...(version && { version }), ...(purl && { purl }) };
}

/** @see PEP 503 */
function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
