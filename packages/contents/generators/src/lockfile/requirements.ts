import type { LockedPackage, LockedProject } from './locked-project.ts';
import { NoteGroups } from './note-groups.ts';
import { packagePurl } from './purl.ts';
import { normalizedName, pypiName } from './pypi-name.ts';
import { parseRequirementAddress, placeName, type RequirementAddress } from './requirement-address.ts';
import { parseRequirementLine, type Requirement } from './requirement-line.ts';
import { requirementLines } from './requirement-lines.ts';

/** A requirements file; `id` is the same for every way that leads to it. */
export type RequirementFile = { readonly id: string; readonly name: string; readonly text: string };

/** The files around a requirements file. Paths are as they are written there, and are meant from the file that says them. */
export type RequirementFiles = {
  /** The file, or why it is not read. */
  open(path: string, from: RequirementFile): Promise<RequirementFile | string>;
  /** What the project in a folder calls itself: `own` for the folder of the lockfile, undefined where nobody says. */
  project(path: string): Promise<'own' | { readonly name: string; readonly version?: string } | undefined>;
};

type Entry = {
  readonly line: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly address: RequirementAddress | undefined;
  /** Its name is from its place alone: it may be a package of any name. */
  readonly isUnnamed: boolean;
};

/**
 * The packages of a requirements file and of those that it names: every line is a package, or part of one, or is in the
 * notes. Who needs whom is not said there, only that the project needs them all.
 * @see https://pip.pypa.io/en/stable/reference/requirements-file-format/
 */
export async function readRequirements(start: RequirementFile, files: RequirementFiles): Promise<LockedProject> {
  const notes = new NoteGroups();
  const entries: Entry[] = [];
  const constraints: Entry[] = [];
  const read = new Set<string>();
  const names = new Set<string>();
  let isIncomplete = false;
  const leaveOut = (reason: string, line: string) => {
    isIncomplete = true;
    notes.add(reason, line);
  };
  const open = [{ file: start, isConstraint: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { file, isConstraint } = next;
    // The same file may be one of constraints and one of requirements.
    const once = `${isConstraint ? 'c' : 'r'} ${file.id}`;
    if (read.has(once)) continue;
    read.add(once);
    names.add(file.name);
    const named = file.id === start.id ? '' : `${file.name} `;
    for (const { text, number } of requirementLines(file.text)) {
      const line = `${named}line ${number}`;
      for (const part of parseRequirementLine(text)) {
        if (part.kind === 'unknown') leaveOut('no requirement that is understood, and left out', line);
        else if (part.kind === 'option')
          notes.add('says where from or how pip installs, which the document does not', line);
        else if (part.kind === 'file') {
          const found = await files.open(part.path, file);
          if (typeof found === 'string')
            leaveOut(`the file that it names is not read: ${found}`, `${line} (${part.path})`);
          else open.push({ file: found, isConstraint: isConstraint || part.isConstraint });
        } else {
          const entry = await entryOf(part, line, files, notes);
          if (entry === undefined) leaveOut('no requirement that is understood, and left out', line);
          else if (entry === 'own') leaveOut('the project itself, of which is not read what it needs', line);
          else (isConstraint ? constraints : entries).push(entry);
          if (part.isConditional && !isConstraint) notes.add('needed only where a marker holds', line);
        }
      }
    }
  }
  const packages = packagesOf(entries, constraints, notes);
  return {
    root: {},
    dependsOn: packages.map(({ key }) => key),
    isIncomplete,
    packages,
    files: [...names],
    notes: notes.notes(),
  };
}

async function entryOf(
  { name: stated, version, address: written }: Requirement,
  line: string,
  files: RequirementFiles,
  notes: NoteGroups,
): Promise<Entry | 'own' | undefined> {
  if (written === undefined) {
    return { line, name: stated!, version, address: undefined, isUnnamed: false };
  }
  const address = parseRequirementAddress(written);
  if (address === undefined) return undefined;
  const { egg, wheel, kind, place } = address;
  const isFolder = kind === 'local' && wheel === undefined;
  const project = isFolder ? await files.project(place) : undefined;
  if (project === 'own') return 'own';
  const names = [stated, egg, wheel?.name, project?.name].filter((one) => one !== undefined);
  if (new Set(names.map(normalizedName)).size > 1) {
    notes.add('gives one package different names, of which the first is taken', `${line} (${names.join(', ')})`);
  }
  const name = names[0] ?? placeName(place);
  if (name === undefined) return undefined;
  const isUnnamed = names.length === 0;
  if (isUnnamed) notes.add('does not say what the package is called; named by its place', `${line} (${name})`);
  return { line, name, version: wheel?.version ?? project?.version, address, isUnnamed };
}

/** One package for each name, version and place; one without a version is the one that has it. */
function packagesOf(entries: readonly Entry[], constraints: readonly Entry[], notes: NoteGroups): LockedPackage[] {
  const pinned = groupedByName(constraints);
  const packages = new Map<string, LockedPackage>();
  for (const [key, group] of groupedByName(entries)) {
    const constraint = pinned.get(key) ?? [];
    pinned.delete(key);
    const limits = [...new Set(constraint.flatMap(({ version }) => version ?? []))];
    const exact = group.filter(({ version, address }) => version !== undefined || address !== undefined);
    for (const { line, version } of exact) {
      if (version === undefined || limits.length === 0 || limits.includes(version)) continue;
      notes.add('a constraint wants another version, and pip would refuse', `${line} (${key} ${limits.join(', ')})`);
    }
    const taken = exact.length > 0 ? exact : limits.length === 1 ? [{ ...group[0]!, version: limits[0] }] : [group[0]!];
    for (const entry of taken) {
      const made = packageOf(entry);
      if (!packages.has(made.key)) packages.set(made.key, made);
      if (made.version === undefined && made.source === undefined) {
        notes.add('has no one version, only what it may be', `${entry.line} (${entry.name})`);
      }
    }
    const versions = [...new Set(taken.map((entry) => packageOf(entry).key))];
    if (versions.length > 1) {
      const lines = taken.map(({ line }) => line).join(' and ');
      notes.add('one package in several versions or from several places, all of them listed', `${lines} (${key})`);
    }
  }
  for (const group of pinned.values()) {
    for (const { line, name } of group) {
      notes.add('a constraint on what no line requires, and no package here', `${line} (${name})`);
    }
  }
  return [...packages.values()];
}

function groupedByName(entries: readonly Entry[]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = entry.isUnnamed ? `${entry.address?.place}` : normalizedName(entry.name);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return groups;
}

function packageOf({ name, version, address, isUnnamed }: Entry): LockedPackage {
  const { kind, place, hash } = address ?? {};
  const isRemote = kind === 'vcs' || kind === 'archive';
  const qualifiers = isRemote ? { [kind === 'vcs' ? 'vcs_url' : 'download_url']: place! } : undefined;
  // A name that only the place says is in no index of packages.
  const purl = isUnnamed && isRemote ? packagePurl('generic', undefined, name, version, qualifiers) : undefined;
  return {
    ...(isUnnamed ? { name, ...(version && { version }), ...(purl && { purl }) } : pypiName(name, version, qualifiers)),
    key: [isUnnamed ? name : normalizedName(name), version ?? '', place ?? ''].join(' '),
    ...(isRemote && { source: { kind: kind === 'vcs' ? 'vcs' : 'distribution', url: place! } as const }),
    hashes: hash === undefined ? [] : [hash],
  };
}
