/**
 * A path inside the repository, as git writes it: `src/a.ts`. Undefined for one that leads out of it, is absolute, or
 * is the repository itself.
 * @param root what a scanner put before its paths (`/`, `/builds/shop`); taken off where it is there
 */
export function repositoryPath(text: string, root?: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no path of a repository has them
  if (/[\u0000-\u001f]/.test(text)) return undefined;
  const slashed = text.replaceAll('\\', '/');
  const inside = root === undefined ? slashed : withoutRoot(slashed, root.replaceAll('\\', '/'));
  if (inside.startsWith('/') || /^[A-Za-z]:\//.test(inside)) return undefined;
  const names = inside.split('/').filter((name) => name !== '' && name !== '.');
  return names.length === 0 || names.includes('..') ? undefined : names.join('/');
}

function withoutRoot(path: string, root: string): string {
  const folder = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}
