import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Metafile } from 'esbuild';
import { ROOT } from '../names.ts';
import { type BundledPackage, bundledFiles, packageFolders, readBundledPackage } from './bundled-packages.ts';

/** The file of that name in every form of the program. */
export const NOTICES_FILE = 'THIRD-PARTY-NOTICES.txt';

/** The packages of others in a bundle and among the files that are shipped beside it. */
export function bundledPackages(bundle: Metafile, files: Iterable<string>): BundledPackage[] {
  const beside = [...files].map((file) => relative(ROOT, file));
  return packageFolders([...bundledFiles(bundle), ...beside]).map(readBundledPackage);
}

/** Node.js, which is in an executable. */
export function nodeNotice(version: string, licenceFile: string): BundledPackage {
  const texts = [readFileSync(licenceFile, 'utf8').trim()];
  return {
    name: 'Node.js',
    version,
    licence: 'MIT, and those of what it contains',
    homepage: 'https://nodejs.org',
    texts,
  };
}

/** The licences of everything by others that is shipped with the program. */
export function noticesText(packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ name, version, licence, homepage, texts }) =>
    [`${name} ${version}`, `Licence: ${licence}`, ...(homepage === undefined ? [] : [homepage]), '', ...texts].join(
      '\n',
    ),
  );
  return `${[HEAD, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

const HEAD = readFileSync(join(import.meta.dirname, 'head.txt'), 'utf8').trim();
