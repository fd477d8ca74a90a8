import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A new folder for one run, the caller's to remove. Beside the repository and not in the system's temporary folder,
 * which may be memory: a durable write is to cost what it costs.
 */
export function makeScratchFolder(name: string): string {
  const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, `bench-${name}-`));
}
