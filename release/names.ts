import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT: string = join(import.meta.dirname, '..');
/** Everything that is built. */
export const DIST: string = join(ROOT, 'dist');

const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

/** Under which names Colophon is published: the one place for both. */
export const NAMES: { readonly scope: string; readonly program: string } = read('release/names.json');

/** The version of everything, and what else the repository's manifest says of it. */
export const MANIFEST: { readonly version: string; readonly description: string; readonly license: string } =
  read('package.json');
