import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScratchError } from '../scratch-error/scratch-error.ts';
import { systemReason } from '../system-reason/system-reason.ts';

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Does `work` in a new folder for its owner alone, below the folder for temporary files (`TMPDIR`), and removes it with
 * all it holds, however `work` ends.
 * @param purpose - what the folder's name says after `colophon-`
 * @param needsBytes - space that must be free before `work` begins
 * @throws ScratchError `scratch.folder_unusable`; what `work` throws
 */
export async function inScratchFolder<T>(
  purpose: string,
  work: (folder: string) => Promise<T>,
  { needsBytes = 0 }: { readonly needsBytes?: number } = {},
): Promise<T> {
  const folder = await makeScratchFolder(purpose);
  try {
    await checkSpace(needsBytes);
    return await work(folder);
  } catch (error) {
    throw NO_SPACE.has((error as NodeJS.ErrnoException | undefined)?.code ?? '') ? unusable(error) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeScratchFolder(purpose: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), `colophon-${purpose}-`));
  } catch (error) {
    throw unusable(error);
  }
}

async function checkSpace(needsBytes: number): Promise<void> {
  if (needsBytes === 0) return;
  const { bavail, bsize } = await statfs(tmpdir());
  const free = bavail * bsize;
  if (free >= needsBytes) return;
  throw refused(`has ${megabytes(free)} MB free, and this needs ${megabytes(needsBytes)} MB`);
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1_000_000);
}

function unusable(cause: unknown): ScratchError {
  const { code } = cause as NodeJS.ErrnoException;
  return refused(`cannot be used: ${code === 'ENOENT' ? 'there is no such folder' : systemReason(cause)}`, cause);
}

function refused(problem: string, cause?: unknown): ScratchError {
  return new ScratchError(
    'scratch.folder_unusable',
    `the folder for temporary files, ${tmpdir()}, ${problem}: set TMPDIR to another folder`,
    { cause },
  );
}
