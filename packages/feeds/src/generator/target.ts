import { existsSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FeedsError } from '../feeds-error/feeds-error.ts';
import { imageArchiveFormat } from './image-archive.ts';

/** What an SBOM is made of; paths are absolute. */
export type Target =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'image'; readonly reference: string }
  | { readonly kind: 'image-layout'; readonly path: string }
  | { readonly kind: 'image-archive'; readonly path: string; readonly format: 'docker' | 'oci' };

/** A reference as registries take it; none begins with what a program could take for a flag or a path. */
const IMAGE =
  /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;
const LONGEST_REFERENCE = 512;

/**
 * What a person means: a folder, an OCI image layout, an archive of an image, another file, else an image by name.
 * @throws FeedsError `feeds.target_unknown` for what is none of these
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
  const reference = parseImageReference(text);
  if (reference !== undefined) return { kind: 'image', reference };
  throw new FeedsError('feeds.target_unknown', `${text}: there is no such folder or file`, {
    checked: text,
    expected: 'a folder, a lockfile, an image layout or archive, or the name of an image',
  });
}

/** The full reference of an image, or undefined for what is no name of one: a flag, a path, a scheme of a scanner's own. */
export function parseImageReference(text: string): string | undefined {
  return text.length <= LONGEST_REFERENCE && IMAGE.test(text) ? fullReference(text) : undefined;
}

function statsAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // Not there, behind links in a circle, or no name of a file at all: it may be that of an image.
    return undefined;
  }
}

/** With its registry: syft would take `registry:2`, which is an image, for a place to look in. */
function fullReference(reference: string): string {
  const [first = '', ...rest] = reference.split('/');
  if (rest.length > 0 && /[.:]|^localhost$/.test(first)) return reference;
  return `docker.io/${rest.length === 0 ? 'library/' : ''}${reference}`;
}

/** For people. */
export function targetName(target: Target): string {
  return target.kind === 'image' ? target.reference : target.path;
}
