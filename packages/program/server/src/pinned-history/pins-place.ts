import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { PinnedHistory } from './pinned-history.ts';
import { isWithin } from './within-folder.ts';

/** Where pins are kept that have no place of their own. */
export function pinsBeside(reviewerSecretFile: string): string {
  return join(dirname(reviewerSecretFile), 'pins');
}

/**
 * The pins in a folder. A service often has no home but its data folder, and pins in there would be put back together
 * with it: they are none, and each start says so.
 */
export function openPinnedHistory(
  folder: string,
  dataDir: string,
  logger: ConstructorParameters<typeof PinnedHistory>[1],
): PinnedHistory | undefined {
  if (!isWithin(realFolder(folder), realFolder(dataDir))) return new PinnedHistory(folder, logger);
  logger.warn(
    { code: 'server.pin_missing', pins: folder },
    'no pins are kept, as their folder lies in the data folder: an older copy of it will not be noticed; name another one, pins: FOLDER in the configuration',
  );
  return undefined;
}

/** Where a folder lies, or would be made, once links are followed. */
function realFolder(folder: string): string {
  const path = resolve(folder);
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realFolder(dirname(path)), basename(path));
  }
}
