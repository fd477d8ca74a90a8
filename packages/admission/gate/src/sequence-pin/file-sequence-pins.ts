import { createHash } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@colophon/durable-file';
import type { SequencePins } from './sequence-pins.ts';

/**
 * Pins in a folder: one empty file for each list, whose name ends in the sequence. A larger one is made before smaller ones
 * go, so that no crash and no other process can take a sequence back.
 */
export function fileSequencePins(folder: string): SequencePins {
  return {
    async seen(list) {
      return largest(await sequencesOf(folder, list));
    },
    async keep(list, sequence) {
      const known = await sequencesOf(folder, list);
      if (known.some((one) => one >= sequence)) return;
      makeFolder(folder);
      await writeFile(join(folder, nameOf(list, sequence)), '', { mode: 0o600 });
      for (const old of known) await rm(join(folder, nameOf(list, old)), { force: true });
    },
  };
}

async function sequencesOf(folder: string, list: string): Promise<number[]> {
  const prefix = nameOf(list, '');
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)))
    .filter((sequence) => Number.isSafeInteger(sequence));
}

function nameOf(list: string, sequence: number | ''): string {
  return `${createHash('sha256').update(list).digest('hex')}.${sequence}`;
}

function largest(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}
