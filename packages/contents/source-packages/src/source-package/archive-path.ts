/** Where an entry of an archive belongs, why it is left out, or why the whole archive is not trusted. */
export type ArchivePath = { readonly path: string } | { readonly skipped: string } | { readonly refused: string };

/**
 * The path of an entry inside its package. Nothing is ever written to disk by it; an archive with a name that leaves
 * its folder is still refused, since it was made to write elsewhere when it is unpacked.
 */
export function archivePath(name: string): ArchivePath {
  if (name.includes('\0')) return { refused: 'a name with a NUL' };
  if (name.startsWith('/') || /^[A-Za-z]:[\\/]/.test(name) || name.startsWith('\\')) {
    return { refused: 'an absolute name' };
  }
  if (name.split(/[\\/]/).includes('..')) return { refused: 'a name that leaves the folder' };
  // What the decoder puts for bytes that are no UTF-8.
  if (name.includes('\ufffd')) return { skipped: 'its name is not UTF-8' };
  if (name.includes('\\')) return { skipped: 'its name has a backslash' };
  const path = name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  return path === '' ? { skipped: 'it has no name' } : { path };
}
