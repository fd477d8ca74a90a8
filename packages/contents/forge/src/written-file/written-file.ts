import { createHash } from 'node:crypto';
import { ForgeError } from '../forge-error/forge-error.ts';
import { type GitOptions, runGit } from '../git/git.ts';
import { readObjects } from '../git/object.ts';
import { findCommit, listChangedFiles, type Repository } from '../repository/repository.ts';
import { decodePath } from '../touched-file/path.ts';
import { listTree } from '../tree/tree.ts';
import { readPatch, samePatches } from './patch.ts';

/** A file as one commit has it. */
export type FileVersion = {
  readonly commit: string;
  /** The name that git gives the content, of a link with its mode before it. */
  readonly object: string;
  /** Of the content, by CycloneDX's names of algorithms, in hex. */
  readonly hashes: Readonly<Record<'SHA-256' | 'SHA-384' | 'SHA-512', string>>;
};

/** What a commit wrote under a name, and what stands there now. */
export type WrittenFile = {
  /**
   * The commit's own version, and those of commits in the history of HEAD that made the same change (a rebase); none where
   * the commit has no file of this name.
   */
  readonly versions: readonly FileVersion[];
  /** What HEAD has, as `object` of a version; undefined where it has none, and where the working tree differs from it. */
  readonly current: string | undefined;
  readonly isEdited: boolean;
  /** The newest commit in the history of HEAD that changed it to something else. */
  readonly changedBy?: string;
};

/** Histories that are walked for one commit: a run that lists a million files must not take an hour. */
const MOST_HISTORIES = 1_000;

/**
 * Reads what commits wrote: nothing is believed but content that git finds under a commit's own id.
 * @param wanted for each commit the paths of files, from the top of the repository, with `/`
 * @returns by commit and path; a commit that is not in the repository is left out, and so is a submodule, and a file whose
 * contents are not in this clone. Where more than 1,000 files of a commit
 * are not what it wrote, nothing more is told of the others
 * @throws ForgeError
 */
export async function readWrittenFiles(
  repository: Repository,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  options: GitOptions = {},
): Promise<ReadonlyMap<string, ReadonlyMap<string, WrittenFile>>> {
  const { root, head, isBare } = repository;
  const current = head === undefined ? new Map<string, Entry>() : await filesOf(root, head, options);
  const edited = head === undefined || isBare ? new Set<string>() : await listChangedFiles(repository, options);
  const found = new Map<string, ReadonlyMap<string, WrittenFile>>();
  for (const [commit, paths] of wanted) {
    if ((await findCommit(root, commit, options)) !== commit) continue;
    const written = await filesOf(root, commit, options);
    const files = new Map<string, WrittenFile>();
    let histories = 0;
    for (const path of paths) {
      const entry = written.get(path);
      if (entry?.mode === SUBMODULE) continue;
      const isEdited = edited.has(path);
      const now = isEdited ? undefined : current.get(path);
      const isWalked = !isSame(entry, now) && head !== undefined && histories++ < MOST_HISTORIES;
      try {
        const later = isWalked
          ? await readLater(repository, commit, head, path, options).catch(unlessTooLarge)
          : undefined;
        const places = entry === undefined ? [] : [{ commit, entry }, ...(later?.same ?? [])];
        files.set(path, {
          versions: await withHashes(root, places, options),
          current: now && nameOf(now),
          isEdited,
          ...(later?.changedBy && { changedBy: later.changedBy }),
        });
      } catch (error) {
        // A partial clone lacks contents; then nothing shows what was written.
        if (!(error instanceof ForgeError) || error.code !== 'forge.git_failed') throw error;
      }
    }
    found.set(commit, files);
  }
  return found;
}

type Entry = { readonly mode: string; readonly object: string };

const SUBMODULE = '160000';

/** A link and a file of the same bytes are two contents; whether a file may be run is none. */
function nameOf({ mode, object }: Entry): string {
  return mode.startsWith('100') ? object : `${mode} ${object}`;
}

function isSame(a: Entry | undefined, b: Entry | undefined): boolean {
  return (a && nameOf(a)) === (b && nameOf(b));
}

async function filesOf(root: string, commit: string, options: GitOptions): Promise<ReadonlyMap<string, Entry>> {
  const entries = await listTree(root, commit, options);
  return new Map(
    entries.flatMap(({ mode, object, name }) => {
      const path = decodePath(name);
      return path === undefined ? [] : [[path, { mode, object }] as const];
    }),
  );
}

/** Commits of HEAD's history that made the commit's change to a file, and the last one that changed it. */
async function readLater(
  { root, shallowCommits }: Repository,
  commit: string,
  head: string,
  path: string,
  options: GitOptions,
) {
  // What it changed cannot be told where the commit before it is not here.
  const patch = shallowCommits.has(commit) ? '' : await readPatch(root, commit, path, options);
  const { last, same } = await samePatches(root, patch, head, path, options);
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
      return kind === 'blob' && object !== undefined ? [{ commit: one, entry: { mode: '100644', object } }] : [];
    }),
    changedBy: last === commit ? undefined : last,
  };
}

/** A history of more than git may print is not searched: a commit that is not found there makes no mark. */
function unlessTooLarge(error: unknown): undefined {
  if (!(error instanceof ForgeError) || error.code !== 'forge.output_too_large') throw error;
}

async function withHashes(
  root: string,
  places: ReadonlyArray<{ readonly commit: string; readonly entry: Entry }>,
  options: GitOptions,
): Promise<readonly FileVersion[]> {
  const names = places.map(({ entry }) => entry.object);
  const blobs = await readObjects(root, names, options);
  return places.map(({ commit, entry }, index) => {
    const digest = (algorithm: string) => createHash(algorithm).update(blobs[index]!.bytes).digest('hex');
    return {
      commit,
      object: nameOf(entry),
      hashes: { 'SHA-256': digest('sha256'), 'SHA-384': digest('sha384'), 'SHA-512': digest('sha512') },
    };
  });
}
