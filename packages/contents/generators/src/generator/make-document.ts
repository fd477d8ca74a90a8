import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Bom } from '@colophon/sbom';
import library from '@cyclonedx/cyclonedx-library/package.json' with { type: 'json' };
import { GeneratorError } from '../generator-error/generator-error.ts';
import type { LockedProject } from '../lockfile/locked-project.ts';
import { lockfileBom } from '../lockfile/lockfile-bom.ts';
import { projectRoot } from '../lockfile/project-manifest.ts';
import { findLockfiles, LOCKFILE_NAMES, readLockfile } from '../lockfile/read-lockfile.ts';
import { findGenerators, type GenerateOptions, generate, installableGenerators } from './generate.ts';
import { GENERATORS } from './generators.ts';
import { missedPackages } from './missed-packages.ts';
import { withStableRefs } from './stable-refs.ts';
import { type Target, targetName } from './target.ts';
import { withWorkspacePlaces } from './workspace-places.ts';

/** Named in a note; of more the number is told. */
const MOST_MISSED = 10;

export type ArtifactName = {
  readonly type: 'application' | 'container';
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
};

/** A document as its generator wrote it, not yet completed. */
export type MadeDocument = {
  readonly bom: Bom;
  /** What made it: a generator, or the library that wrote down a lockfile. */
  readonly tool: { readonly name: string; readonly group?: string; readonly version?: string };
  /** The lockfile that was read. */
  readonly lockfile?: string;
  /** What the artifact is, where the generator knows it by its place on this machine alone. */
  readonly root?: ArtifactName;
  /** What is not in the document, for people. */
  readonly notes: readonly string[];
};

/**
 * Makes the SBOM of a target by what fits it: for an image syft, else trivy; for an npm project cyclonedx-npm, else its
 * lockfile; for another folder syft, trivy or cdxgen, else its lockfile.
 * @param options.generator the name of a generator, or `lockfile`, instead of that choice
 * @throws GeneratorError `feeds.generator_*`, `feeds.lockfile_*`; the signal's reason where that aborts
 */
export async function makeDocument(
  target: Target,
  options: GenerateOptions & { readonly generator?: string },
): Promise<MadeDocument> {
  const lockfile = chooseLockfile(target, options);
  if (lockfile !== undefined) return fromLockfile(lockfile, target, options);

  const chosen = findGenerators(target, options.env).find(
    ({ generator }) => options.generator === undefined || generator.name === options.generator,
  );
  if (chosen === undefined) throw noGenerator(target, options.generator);
  if (options.omitsDev && !chosen.generator.canOmitDev) throw cannotOmit(chosen.generator.name);
  const root = await artifactName(target);
  const { bom, tool } = await generate(chosen, target, {
    ...options,
    name: options.name ?? root?.name,
    version: options.version ?? root?.version,
  });
  const covered = tool.name === 'cyclonedx-npm' && target.kind === 'folder';
  const placed = covered ? await withWorkspacePlaces(bom, target.path) : bom;
  const notes = covered
    ? uncovered(target.path, ['package-lock.json', 'npm-shrinkwrap.json'])
    : await missed(bom, tool.name, target, options);
  return { bom: withStableRefs(placed), tool, ...(root && !covered && { root }), notes };
}

/** What a generator passed over in the lockfiles that we can read. */
async function missed(
  bom: Bom,
  generator: string,
  target: Target,
  { omitsDev = false }: Pick<GenerateOptions, 'omitsDev'>,
): Promise<string[]> {
  if (target.kind !== 'folder') return [];
  const notes: string[] = [];
  for (const name of findLockfiles(target.path).read) {
    // One that cannot be read is the generator's to judge.
    const project = await readLockfile(join(target.path, name)).catch(() => undefined);
    if (project === undefined) continue;
    const packages = missedPackages(bom, omitsDev ? withoutDevelopment(project) : project);
    if (packages.length === 0) continue;
    const more = packages.length > MOST_MISSED ? ` and ${packages.length - MOST_MISSED} more` : '';
    const names = `${packages.slice(0, MOST_MISSED).join(', ')}${more}`;
    notes.push(`${name} has what ${generator} does not say: ${names}; --generator lockfile reads it`);
  }
  return notes;
}

async function artifactName(target: Target): Promise<ArtifactName | undefined> {
  if (target.kind === 'image') return undefined;
  if (target.kind === 'folder') {
    const { licence: _, ...named } = await projectRoot(target.path);
    return { type: 'application', ...named };
  }
  return { type: 'container', name: basename(target.path).replace(/\.tar$/i, '') };
}

/** The lockfile to read, or undefined where a generator is to be run. */
function chooseLockfile(
  target: Target,
  { generator, env, omitsDev }: Pick<GenerateOptions, 'env' | 'omitsDev'> & { readonly generator?: string },
): string | undefined {
  if (generator !== undefined && generator !== 'lockfile') return undefined;
  const isWanted = generator === 'lockfile';
  // Which files are read, and that this is none of them, the reader says.
  if (target.kind === 'file') return target.path;
  if (target.kind !== 'folder') {
    if (isWanted) throw new GeneratorError('feeds.lockfile_unsupported', `${targetName(target)} has no lockfile`);
    return undefined;
  }
  const { read, unread } = findLockfiles(target.path);
  const [first] = read;
  const path = first === undefined ? undefined : join(target.path, first);
  if (isWanted && path === undefined) {
    throw new GeneratorError('feeds.lockfile_unsupported', `${target.path} has no lockfile that is read`, {
      checked: target.path,
      expected: `${LOCKFILE_NAMES.join(', ')}; or one of these installed: ${installableGenerators(target)}`,
      ...(unread.length > 0 && { found: unread.join(', ') }),
    });
  }
  if (isWanted) return path;
  const [best] = findGenerators(target, env);
  const isNpm = first === 'package-lock.json' || first === 'npm-shrinkwrap.json';
  const isUnfit = best === undefined || (omitsDev === true && !best.generator.canOmitDev);
  if (isUnfit || (isNpm && best.generator.name !== 'cyclonedx-npm')) return path;
  return undefined;
}

async function fromLockfile(
  path: string,
  target: Target,
  { specVersion, omitsDev = false }: GenerateOptions,
): Promise<MadeDocument> {
  const locked = await readLockfile(path);
  const project = omitsDev ? withoutDevelopment(locked) : locked;
  const root = project.root.name === undefined ? await projectRoot(dirname(path)) : project.root;
  const bom = await lockfileBom({ ...project, root: { ...root, ...project.root } }, specVersion);
  const notes = [
    ...(project.notes ?? []),
    ...(target.kind === 'folder' ? uncovered(target.path, [basename(path), ...(project.files ?? [])]) : []),
  ];
  return {
    bom,
    tool: { group: '@cyclonedx', name: 'cyclonedx-library', version: library.version },
    lockfile: path,
    notes,
  };
}

/** Without the packages for development alone; what else needs them is one of those too. */
function withoutDevelopment(project: LockedProject): LockedProject {
  const { packages, notes = [] } = project;
  const isSaid = packages.length === 0 || packages.some(({ scope }) => scope !== undefined);
  const unsaid = isSaid ? [] : ['the lockfile does not say which packages are for development, so none is left out'];
  return { ...project, packages: packages.filter(({ scope }) => scope !== 'excluded'), notes: [...notes, ...unsaid] };
}

function cannotOmit(generator: string): GeneratorError {
  const able = GENERATORS.flatMap(({ name, canOmitDev }) => (canOmitDev ? [name] : []));
  return new GeneratorError('feeds.generator_missing', `${generator} cannot leave out what is for development`, {
    expected: [...able, 'lockfile'].join(' or '),
    next: 'colophon sbom create --omit dev --generator lockfile',
  });
}

function uncovered(folder: string, covered: readonly string[]): string[] {
  const { read, unread, others: more } = findLockfiles(folder);
  const others = [...read, ...unread, ...more].filter((name) => !covered.includes(name));
  return others.length === 0 ? [] : [`not covered, and in the same folder: ${others.join(', ')}`];
}

function noGenerator(target: Target, generator: string | undefined): GeneratorError {
  const what = `there is no ${generator ?? 'generator'} on PATH`;
  // A mistyped folder looks like the name of an image.
  const unseen = target.kind === 'image' ? ' (no file or folder is called that, so it is taken for an image)' : '';
  const unfit = generator !== undefined && !GENERATORS.some(({ name, fits }) => name === generator && fits(target));
  const { read, unread } = target.kind === 'folder' ? findLockfiles(target.path) : { read: [], unread: [] };
  const isUnlocked = read.length + unread.length === 0;
  const isNpm = target.kind === 'folder' && existsSync(join(target.path, 'package.json'));
  return new GeneratorError(
    'feeds.generator_missing',
    unfit ? `${generator} makes no SBOM of such a thing` : `${what}${unseen}`,
    {
      checked: targetName(target),
      expected: `${target.kind === 'folder' ? `a lockfile (${LOCKFILE_NAMES.join(', ')}) or ` : ''}one of ${installableGenerators(target)}`,
      ...(unread.length > 0 && { found: `${unread.join(', ')}, which only a generator reads` }),
      ...(isNpm && isUnlocked && { next: 'npm install --package-lock-only' }),
    },
  );
}
