import { realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { GeneratorError } from '../generator-error/generator-error.ts';
import type { RequirementFile, RequirementFiles } from './requirements.ts';

/** Files that one requirements file may lead to; real projects have ten. */
const MOST_FILES = 1000;

/**
 * The files that requirements name, as far as they lie in the folder of the first one, links followed: what lies
 * elsewhere on the machine is none of the project's, and stays unread.
 * @param read the text of a file
 * @param maxBytes of all files together
 */
export function requirementFiles(
  first: string,
  firstText: string,
  read: (path: string) => Promise<string>,
  projectName: (path: string) => Promise<{ readonly name: string; readonly version?: string } | undefined>,
  maxBytes: number,
): { readonly start: RequirementFile; readonly files: RequirementFiles } {
  const folder = realpathSync(dirname(first));
  const start = { id: realpathSync(first), name: relative(folder, first), text: firstText };
  const folders = new Map([[start.id, folder]]);
  const known = new Map<string, RequirementFile>([[start.id, start]]);
  let bytes = firstText.length;
  const placeOf = (path: string, from: RequirementFile): string | undefined => {
    try {
      return realpathSync(resolve(folders.get(from.id)!, path));
    } catch {
      return undefined;
    }
  };
  const isInside = (place: string) => place === folder || place.startsWith(folder + sep);
  return {
    start,
    files: {
      async open(path, from) {
        if (path === '' || path.includes('\0')) return 'it has no name';
        if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return 'it is not in the folder';
        const written = resolve(folders.get(from.id)!, path);
        // Whether something exists elsewhere is not told either.
        if (!isInside(written)) return 'it is not in the folder';
        const place = placeOf(path, from);
        if (place === undefined) return 'it is not there';
        if (!isInside(place)) return 'it is not in the folder';
        if (!statSync(place).isFile()) return 'it is no file';
        const seen = known.get(place);
        if (seen !== undefined) return seen;
        if (known.size >= MOST_FILES) {
          throw new GeneratorError('feeds.lockfile_invalid', `it leads to more than ${MOST_FILES} files`);
        }
        const text = await read(place);
        bytes += text.length;
        if (bytes > maxBytes) {
          throw new GeneratorError(
            'feeds.lockfile_invalid',
            `with the files that it names it is larger than ${maxBytes} bytes`,
          );
        }
        const file = { id: place, name: relative(folder, place).split(sep).join('/'), text };
        known.set(place, file);
        folders.set(place, dirname(place));
        return file;
      },
      async project(path) {
        // pip means folders from where it is started, which is mostly the folder of the first file.
        const place = placeOf(path, start);
        if (place === folder) return 'own';
        const said = place === undefined ? undefined : placeOf(join(place, 'pyproject.toml'), start);
        return said === undefined || !isInside(said) ? undefined : projectName(said);
      },
    },
  };
}
