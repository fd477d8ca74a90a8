import { execFileSync } from 'node:child_process';
import { copyFileSync, createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { manPages } from '../../tools/man/man-pages.ts';
import { buildExecutables, executableFile } from '../executable/build-executable.ts';
import type { Platform } from '../executable/node-binary.ts';
import { buildImage, IMAGE_PLATFORMS, IMAGE_TAR } from '../image/build-image.ts';
import { writeTar } from '../image/tar.ts';
import { buildLibraries } from '../libraries/build.ts';
import { publishedLibraries } from '../libraries/libraries.ts';
import { DIST, MANIFEST, NAMES, ROOT } from '../names.ts';
import { buildProgram, PROGRAM_FOLDER } from '../program/build-program.ts';
import { writeSboms } from '../sbom/write-sboms.ts';
import { sourceTime } from '../source-time.ts';
import { broughtPlatforms } from './brought.ts';

/** Everything of one release, and nothing else. */
export const RELEASE_FOLDER: string = join(DIST, 'release');

/** Whose executables are built on Linux too, besides those in the image. */
const OTHER_PLATFORMS: readonly Platform[] = ['win32-x64'];
const BUILT_PLATFORMS: readonly Platform[] = [...IMAGE_PLATFORMS, ...OTHER_PLATFORMS];

/** The program and its version, with which the name of a file starts that is not of npm. */
const STEM = `${NAMES.program}-${MANIFEST.version}`;

/**
 * Builds every artifact of a release into an empty folder.
 * @param changes - what is new in the version, in Markdown
 * @param elsewhere - executables that other machines built, for platforms that this one does not build for
 * @throws Error for such a file of another version, and for one of a platform that is built here
 */
export async function buildArtifacts(changes: string, elsewhere: readonly string[]): Promise<void> {
  const brought = broughtPlatforms(elsewhere, BUILT_PLATFORMS);
  rmSync(RELEASE_FOLDER, { recursive: true, force: true });
  mkdirSync(RELEASE_FOLDER, { recursive: true });
  const time = sourceTime();
  await buildProgram();
  const packages = join(DIST, 'npm');
  buildLibraries(ROOT, packages);
  packForNpm([PROGRAM_FOLDER, ...publishedLibraries(ROOT).map(({ name }) => join(packages, name))]);
  await buildImage(IMAGE_PLATFORMS);
  await buildExecutables(OTHER_PLATFORMS);
  const sboms = await writeSboms(time, [...BUILT_PLATFORMS, ...brought]);
  for (const file of [...BUILT_PLATFORMS.map(executableFile), ...elsewhere, IMAGE_TAR, ...sboms]) {
    copyFileSync(file, join(RELEASE_FOLDER, basename(file)));
  }
  await packManPages(time);
  writeFileSync(join(RELEASE_FOLDER, `${STEM}-changes.md`), changes);
}

function packForNpm(folders: readonly string[]): void {
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', RELEASE_FOLDER, ...folders];
  execFileSync('npm', pack, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The manual pages, below `man/`: to be unpacked in /usr/local/share. */
async function packManPages(time: Date): Promise<void> {
  const entries = [...(await manPages(ROOT))].map(([name, text]) => {
    return { type: 'file', path: `man/man1/${name}`, mode: 0o644, content: Buffer.from(text) } as const;
  });
  const gzip = createGzip({ level: 9 });
  const written = pipeline(gzip, createWriteStream(join(RELEASE_FOLDER, `${STEM}-man.tar.gz`)));
  await writeTar(entries, time, gzip);
  await written;
}
