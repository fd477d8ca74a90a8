import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup/cleanup.ts';

/**
 * Path of a new empty folder, mode 0700, that is removed with all it holds when `cleanup` says so:
 * `temporaryFolder(onTestFinished)`.
 */
export function temporaryFolder(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-test-'));
  cleanup(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
