import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemReason } from '@colophon/durable-file';
import { MAX_MANIFEST_BYTES, type ManifestObject, manifestImages, readManifest } from '@colophon/kubernetes';
import { compareTexts } from '@colophon/notation';
import { CliError } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';
import { unreadable } from '../input/input.ts';

/** An object, the file that it stands in (`-` for standard input), and in which of its documents, from 1. */
export type FiledObject = { readonly file: string; readonly document: number; readonly object: ManifestObject };

/** The objects of the files that were named, and folders below them whose files were not read. */
export type FiledObjects = { readonly objects: readonly FiledObject[]; readonly foldersNotRead: readonly string[] };

/** What kubectl reads of a folder. */
const MANIFEST = /\.(?:json|ya?ml)$/;

/**
 * The objects of files, of folders, and of standard input for `-`, in this order. As with kubectl, a folder stands for the
 * `.json`, `.yaml` and `.yml` files in it, and for those of all folders below it where they are asked for; a link to a
 * folder is never followed.
 * @throws CliError `cli.file_unreadable`, `cli.file_too_large`; `cli.manifest_invalid` with every issue of the first file
 * that has some; `cli.no_objects` where there is none: an empty chart is a mistake
 */
export async function readManifests(paths: readonly string[], isRecursive: boolean): Promise<FiledObjects> {
  const objects: FiledObject[] = [];
  const found = paths.map((path) => filesAt(path, isRecursive));
  for (const file of new Set(found.flatMap(({ files }) => files))) {
    const read = readManifest(await readBounded(file, MAX_MANIFEST_BYTES));
    if (!read.ok) {
      const named = file === '-' ? 'standard input' : file;
      throw new CliError('cli.manifest_invalid', `${named} is no manifest`, { checked: file, issues: read.issues });
    }
    objects.push(...manifestImages(read.documents).map((object) => ({ file, document: object.document + 1, object })));
  }
  const foldersNotRead = [...new Set(found.flatMap(({ folders }) => folders))];
  if (objects.length > 0) return { objects, foldersNotRead };
  throw new CliError('cli.no_objects', 'there is no Kubernetes object to decide about', {
    checked: paths.join(', '),
    expected: 'YAML or JSON with Kubernetes objects',
    ...(foldersNotRead.length > 0 && { found: `folders that --recursive reads: ${foldersNotRead.join(', ')}` }),
  });
}

/** What a path stands for: files, and the folders in it where they are not read. */
function filesAt(path: string, isRecursive: boolean): { readonly files: string[]; readonly folders: string[] } {
  if (path === '-') return { files: [path], folders: [] };
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return { files: [path], folders: [] };
    const { files, folders } = inFolder(path);
    if (!isRecursive) return { files, folders };
    // Node's own recursion follows links to folders, also in a circle.
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      const below = inFolder(next);
      files.push(...below.files);
      folders.push(...below.folders);
    }
    return { files: files.sort(compareTexts), folders };
  } catch (cause) {
    throw unreadable(path, systemReason(cause), cause);
  }
}

function inFolder(folder: string): { readonly files: string[]; readonly folders: string[] } {
  const entries = readdirSync(folder, { withFileTypes: true });
  const pathsOf = (list: typeof entries) => list.map(({ name }) => join(folder, name)).sort(compareTexts);
  const files = pathsOf(entries.filter((entry) => !entry.isDirectory() && MANIFEST.test(entry.name)));
  return {
    files: files.filter((file) => !statSync(file).isDirectory()),
    folders: pathsOf(entries.filter((entry) => entry.isDirectory())),
  };
}
