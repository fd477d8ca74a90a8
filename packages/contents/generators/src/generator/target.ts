import { existsSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isRegistry, parseImageReference } from '@colophon/notation';
import { GeneratorError } from '../generator-error/generator-error.ts';
import { imageArchiveFormat } from './image-archive.ts';

/** What an SBOM is made of; paths are absolute. */
export type Target =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'image'; readonly reference: string }
  | { readonly kind: 'image-layout'; readonly path: string }
  | { readonly kind: 'image-archive'; readonly path: string; readonly format: 'docker' | 'oci' };

/**
 * What a person means: a folder, an OCI image layout, an archive of an image, another file, else an image by name.
 * @throws GeneratorError `feeds.target_unknown` for what is none of these
 */
export function parseTarget(text: string): Target {
  const path = resolve(text);
  const stats = statsAt(path);
  if (stats?.isDirectory()) {
    const isLayout = existsSync(join(path, 'oci-layout')) && existsSync(join(path, 'index.json'));
    return { kind: isLayout ? 'image-layout' : 'folder', path };
  }
  if (stats?.isFile()) {
    const format = imageArchiveFormat(path);
    return format === undefined ? { kind: 'file', path } : { kind: 'image-archive', path, format };
  }
  const reference = fullImageName(text);
  if (reference !== undefined) return { kind: 'image', reference };
  throw new GeneratorError('feeds.target_unknown', `${text}: there is no such folder or file`, {
    checked: text,
    expected: 'a folder, a lockfile, an image layout or archive, or the name of an image',
  });
}

/**
 * The full reference of an image, or undefined for what is no name of one: a flag, a path, a scheme of a scanner's own.
 * With its registry: syft would take `registry:2`, which is an image, for a place to look in.
 */
export function fullImageName(text: string): string | undefined {
  if (parseImageReference(text) === undefined) return undefined;
  const slash = text.indexOf('/');
  if (slash >= 0 && isRegistry(text.slice(0, slash))) return text;
  return `docker.io/${slash < 0 ? 'library/' : ''}${text}`;
}

function statsAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // Not there, behind links in a circle, or no name of a file at all: it may be that of an image.
    return undefined;
  }
}

/** For people. */
export function targetName(target: Target): string {
  return target.kind === 'image' ? target.reference : target.path;
}
