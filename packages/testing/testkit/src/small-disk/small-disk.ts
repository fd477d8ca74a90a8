import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup/cleanup.ts';
import { temporaryFolder } from '../temporary-folder/temporary-folder.ts';

/** Path of a disk of a few megabytes, or undefined where this machine does not let us mount one. */
export function smallDisk(megabytes: number, cleanup: Cleanup): string | undefined {
  const folder = temporaryFolder(cleanup);
  const mounted = spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder]);
  if (mounted.status !== 0) return undefined;
  cleanup(() => void spawnSync('/bin/umount', ['--lazy', folder]));
  return folder;
}

/** Takes every byte that is left; answers with the function that gives them back. */
export function fillDisk(disk: string): () => void {
  const file = join(disk, 'filler');
  const handle = openSync(file, 'a');
  for (const bytes of [1 << 20, 1 << 12, 1]) {
    const block = Buffer.alloc(bytes);
    try {
      while (writeSync(handle, block) === bytes);
    } catch {
      // Smaller pieces may still fit.
    }
  }
  closeSync(handle);
  return () => rmSync(file);
}
