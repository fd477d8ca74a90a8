import { createHash } from 'node:crypto';
import { ForgeError } from '../forge-error/forge-error.ts';
import { type GitOptions, runGit } from './git.ts';

export type GitObject = { readonly kind: string; readonly bytes: Buffer };

/** Objects that one git process reads. */
const BATCH = 2_000;

/**
 * Reads objects by their full names, in their order. Git shows what is stored under a name; here it is hashed again.
 * @throws ForgeError `forge.git_failed` for one that is not there, `forge.object_corrupt`
 */
export async function readObjects(
  folder: string,
  names: readonly string[],
  options: GitOptions = {},
): Promise<GitObject[]> {
  const objects: GitObject[] = [];
  for (let i = 0; i < names.length; i += BATCH) {
    const batch = names.slice(i, i + BATCH);
    const output = await runGit(folder, ['cat-file', '--batch'], { ...options, input: `${batch.join('\n')}\n` });
    let offset = 0;
    for (const name of batch) {
      const end = output.indexOf(0x0a, offset);
      const [, kind, size] =
        / (commit|blob|tree|tag) (\d+)$/.exec(output.subarray(offset, end).toString('latin1')) ?? [];
      if (kind === undefined) throw new ForgeError('forge.git_failed', `object ${name} is not in the repository`);
      const start = end + 1;
      offset = start + Number(size);
      objects.push(genuine(name, { kind, bytes: output.subarray(start, offset) }));
      // The newline behind it is no part of it.
      offset += 1;
    }
  }
  return objects;
}

function genuine(name: string, object: GitObject): GitObject {
  const { kind, bytes } = object;
  const hash = createHash(name.length === 64 ? 'sha256' : 'sha1')
    .update(`${kind} ${bytes.length}\0`)
    .update(bytes);
  if (hash.digest('hex') === name) return object;
  throw new ForgeError(
    'forge.object_corrupt',
    `the ${kind} ${name} of the repository has not the content of that name`,
  );
}

/** The bytes of a file as a commit has it, or undefined where it has none. @throws ForgeError `forge.output_too_large` */
export async function readFileAt(
  folder: string,
  commit: string,
  path: string,
  options: GitOptions = {},
): Promise<Buffer | undefined> {
  try {
    return await runGit(folder, ['cat-file', 'blob', `${commit}:${path}`], options);
  } catch (error) {
    if (error instanceof ForgeError && error.code === 'forge.git_failed') return undefined;
    throw error;
  }
}

/** Whether a commit has a file or a folder of this name; the empty name is all of it. */
export async function hasPathAt(
  folder: string,
  commit: string,
  path: string,
  options: GitOptions = {},
): Promise<boolean> {
  try {
    await runGit(folder, ['cat-file', '-e', `${commit}:${path}`], options);
    return true;
  } catch (error) {
    if (error instanceof ForgeError && error.code === 'forge.git_failed') return false;
    throw error;
  }
}
