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

/** What kubectl reads of a folder. */
const MANIFEST = /\.(?:json|ya?ml)$/;

/**
 * The objects of files, of folders, and of standard input for `-`, in this order. As with kubectl, a folder stands for the
 * `.json`, `.yaml` and `.yml` files in it, and not for the folders in it.
 * @throws CliError `cli.file_unreadable`, `cli.file_too_large`; `cli.manifest_invalid` with every issue of the first file
 * that has some; `cli.no_objects` where there is none: an empty chart is a mistake
 */
export async function readManifests(paths: readonly string[]): Promise<readonly FiledObject[]> {
  const objects: FiledObject[] = [];
  for (const file of new Set(paths.flatMap(filesAt))) {
    const read = readManifest(await readBounded(file, MAX_MANIFEST_BYTES));
    if (!read.ok) {
      const named = file === '-' ? 'standard input' : file;
      throw new CliError('cli.manifest_invalid', `${named} is no manifest`, { checked: file, issues: read.issues });
    }
    objects.push(...manifestImages(read.documents).map((object) => ({ file, document: object.document + 1, object })));
  }
  if (objects.length > 0) return objects;
  throw new CliError('cli.no_objects', 'there is no Kubernetes object to decide about', {
    checked: paths.join(', '),
    expected: 'YAML or JSON with Kubernetes objects',
  });
}

function filesAt(path: string): string[] {
  if (path === '-') return [path];
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
    const files = readdirSync(path)
      .filter((name) => MANIFEST.test(name))
      .sort(compareTexts)
      .map((name) => join(path, name));
    return files.filter((file) => statSync(file).isDirectory() === false);
  } catch (cause) {
    throw unreadable(path, systemReason(cause), cause);
  }
}
