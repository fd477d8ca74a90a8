import { createHash } from 'node:crypto';
import { type GitOptions, runGit } from '../git/git.ts';
import { readObjects } from '../git/object.ts';
import { findCommit, listChangedFiles, type Repository } from '../repository/repository.ts';
import { decodePath } from '../touched-file/path.ts';
import { listTree } from '../tree/tree.ts';
import { readPatch, samePatches } from './patch.ts';

/** A file as one commit has it. */
export type FileVersion = {
  readonly commit: string;
  /** The name that git gives the content. */
  readonly object: string;
  /** Of the content, by CycloneDX's names of algorithms, in hex. */
  readonly hashes: Readonly<Record<'SHA-256' | 'SHA-384' | 'SHA-512', string>>;
};

/** What a commit wrote under a name, and what stands there now. */
export type WrittenFile = {
  /**
   * The commit's own version, and those of commits in the history of HEAD that made the same change (a rebase); none where
   * the commit has no regular file of this name.
   */
  readonly versions: readonly FileVersion[];
  /** What HEAD has, as git names it; undefined where it has none, and where the working tree differs from it. */
  readonly current: string | undefined;
  readonly isEdited: boolean;
  /** The newest commit in the history of HEAD that changed it to something else. */
  readonly changedBy?: string;
};

/**
 * Reads what a commit wrote: nothing is believed but content that git finds under the commit's own id.
 * @param paths from the top of the repository, with `/`
 * @returns undefined where the commit is not in the repository
 * @throws ForgeError
 */
export async function readWrittenFiles(
  repository: Repository,
  commit: string,
  paths: readonly string[],
  options: GitOptions = {},
): Promise<ReadonlyMap<string, WrittenFile> | undefined> {
  const { root, head, isBare } = repository;
  const found = await findCommit(root, commit, options);
  if (found !== commit) return undefined;
  const written = await regularFiles(root, commit, options);
  const current = head === undefined ? new Map<string, string>() : await regularFiles(root, head, options);
  const edited = head === undefined || isBare ? new Set<string>() : await listChangedFiles(repository, options);
  const files = new Map<string, WrittenFile>();
  for (const path of paths) {
    const object = written.get(path);
    const isEdited = edited.has(path);
    const now = isEdited ? undefined : current.get(path);
    const isSame = object === undefined || object === now;
    const later = isSame || head === undefined ? undefined : await readLater(root, commit, head, path, options);
    const places = [...(object === undefined ? [] : [{ commit, object }]), ...(later?.same ?? [])];
    files.set(path, {
      versions: await withHashes(root, places, options),
      current: now,
      isEdited,
      ...(later?.changedBy && { changedBy: later.changedBy }),
    });
  }
  return files;
}

/** Links and submodules are no content of their own. */
async function regularFiles(root: string, commit: string, options: GitOptions): Promise<ReadonlyMap<string, string>> {
  const entries = await listTree(root, commit, options);
  return new Map(
    entries.flatMap(({ mode, object, name }) => {
      const path = mode.startsWith('100') ? decodePath(name) : undefined;
      return path === undefined ? [] : [[path, object] as const];
    }),
  );
}

/** Commits of HEAD's history that made the commit's change to a file, and the last one that changed it. */
async function readLater(root: string, commit: string, head: string, path: string, options: GitOptions) {
  const { last, same } = await samePatches(root, await readPatch(root, commit, path, options), head, path, options);
  const places = same.filter((one) => one !== commit);
  const questions = places.map((one) => `${one}:${path}\n`).join('');
  const answers = await runGit(root, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    ...options,
    input: questions,
  });
  const objects = answers.toString().split('\n');
  return {
    same: places.flatMap((one, index) => {
      const [object, kind] = objects[index]?.split(' ') ?? [];
      return kind === 'blob' && object !== undefined ? [{ commit: one, object }] : [];
    }),
    changedBy: last === commit ? undefined : last,
  };
}

async function withHashes(
  root: string,
  places: ReadonlyArray<{ readonly commit: string; readonly object: string }>,
  options: GitOptions,
): Promise<readonly FileVersion[]> {
  const names = places.map(({ object }) => object);
  const blobs = await readObjects(root, names, options);
  return places.map((place, index) => {
    const digest = (algorithm: string) => createHash(algorithm).update(blobs[index]!.bytes).digest('hex');
    return {
      ...place,
      hashes: { 'SHA-256': digest('sha256'), 'SHA-384': digest('sha384'), 'SHA-512': digest('sha512') },
    };
  });
}
