import { basename } from 'node:path';
import { executableFile } from '../executable/build-executable.ts';
import { PLATFORMS, type Platform } from '../executable/node-binary.ts';
import { MANIFEST } from '../names.ts';

/**
 * Which platforms the executables are for that other machines built.
 * @param built - the platforms that this machine builds for
 * @throws Error for a file with another name than this version's, and for a second one of a platform
 */
export function broughtPlatforms(files: readonly string[], built: readonly Platform[]): readonly Platform[] {
  const brought = files.map(platformOf);
  const all = [...built, ...brought];
  const second = all.find((platform, i) => all.indexOf(platform) < i);
  if (second !== undefined) throw new Error(`there would be two executables for ${second}`);
  return brought;
}

function platformOf(file: string): Platform {
  const found = PLATFORMS.find((platform) => basename(executableFile(platform)) === basename(file));
  if (found === undefined) throw new Error(`${file} is not named as an executable of ${MANIFEST.version} is`);
  return found;
}
