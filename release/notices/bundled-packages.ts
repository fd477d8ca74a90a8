import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import licences from 'spdx-license-list/full.js';
import { ROOT } from '../names.ts';

/** A package of others that is in what we ship. */
export type BundledPackage = {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, as its manifest states it. */
  readonly licence: string;
  /** Where its source is. */
  readonly homepage: string | undefined;
  /** Its licence and notice files; where it ships none, SPDX's text of the licence. */
  readonly texts: readonly string[];
};

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
  readonly repository?: string | { readonly url?: string };
  readonly homepage?: string;
};

const TEXT_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** The folders of packages in which files stand, relative to the repository. */
export function packageFolders(files: readonly string[]): string[] {
  const folders = files.flatMap((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** The files that a bundle was made from. */
export function bundledFiles({ inputs }: Metafile): string[] {
  // A module that a plugin wrote has its name before the colon.
  return Object.keys(inputs).filter((file) => !/^[\w-]+:/.test(file));
}

/** @throws Error for a package that states no licence, or one of which there is no text */
export function readBundledPackage(folder: string): BundledPackage {
  const place = join(ROOT, folder);
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license } = manifest;
  if (license === undefined) throw new Error(`${name} states no licence`);
  const files = readdirSync(place, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && TEXT_FILE.test(entry.name),
  );
  // In an order that no file system has a part in.
  const names = files.map((file) => file.name).sort();
  const shipped = names.map((file) => readFileSync(join(place, file), 'utf8').trim());
  return {
    name,
    version,
    licence: license,
    homepage: homepageOf(manifest),
    texts: shipped.length > 0 ? shipped : [standardText(manifest, license)],
  };
}

function homepageOf({ repository, homepage }: Manifest): string | undefined {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return homepage ?? url?.replace(/^git\+|\.git$/g, '');
}

function standardText({ name, author }: Manifest, license: string): string {
  const text = licences[license]?.licenseText;
  if (text === undefined) throw new Error(`${name} ships no text of its licence, and SPDX has none of ${license}`);
  const holder = typeof author === 'string' ? author : author?.name;
  return `${holder === undefined ? '' : `By ${holder}.\n\n`}${text.trim()}`;
}
