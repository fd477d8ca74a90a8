import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Node's own, for whatever program asks for it. */
const NOT_OURS = new Set(['node-compile-cache']);

/**
 * Gives the tests of a run a folder of their own for temporary files. What they leave there fails the run: on a
 * person's machine it would stay.
 */
export default function useOwnTemporaryFolder(): () => void {
  const before = process.env['TMPDIR'];
  const folder = mkdtempSync(join(tmpdir(), 'colophon-tests-'));
  // PostgreSQL refuses to run as root, and its other user has to come through.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    const left = readdirSync(folder).filter((name) => !NOT_OURS.has(name));
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`tests left in the folder for temporary files: ${left.join(', ')}`);
  };
}
