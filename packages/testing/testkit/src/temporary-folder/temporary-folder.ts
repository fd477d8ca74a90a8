import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a test says what is to be done after it; vitest's `onTestFinished` is one, and so is `afterAll`. */
export type Cleanup = (undo: () => void) => void;

/**
 * Path of a new empty folder, mode 0700, that is removed with all it holds when `cleanup` says so:
 * `temporaryFolder(onTestFinished)`.
 */
export function temporaryFolder(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-test-'));
  cleanup(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
