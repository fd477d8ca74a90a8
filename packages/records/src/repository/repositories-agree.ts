import { parseRepositoryUri } from './repository.ts';

/** A repository as somebody wrote it: the segments of its path, and the origin where it is an address. */
type NamedRepository = { readonly origin?: string; readonly segments: readonly string[] };

/**
 * Whether two texts can be about one repository. Each is a name (contract §2.1 `repo`) or an address (`repo_uri`).
 * `.git`, slashes at the end and the spelling of the host do not count; the case of a path does.
 * A name agrees with an address that ends with its repository below its organisation, however deep groups are nested.
 * An address of fewer than two segments names no organisation, so it contradicts none.
 */
export function repositoriesAgree(one: string, other: string): boolean {
  if (one === other) return true;
  const a = readRepository(one);
  const b = readRepository(other);
  if (a === undefined || b === undefined) return false;
  if ((a.origin === undefined) !== (b.origin === undefined)) {
    return a.origin === undefined ? isNameOf(a.segments, b.segments) : isNameOf(b.segments, a.segments);
  }
  return a.origin === b.origin && a.segments.join('/') === b.segments.join('/');
}

function readRepository(text: string): NamedRepository | undefined {
  const address = parseRepositoryUri(text);
  if (address === undefined) return /[:@\s]/.test(text) ? undefined : { segments: segmentsOf(text) };
  const { origin, pathname } = new URL(address);
  return { origin, segments: segmentsOf(pathname) };
}

function segmentsOf(path: string): string[] {
  return path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter((segment) => segment !== '');
}

function isNameOf(name: readonly string[], path: readonly string[]): boolean {
  const repository = path.at(-1);
  if (repository !== undefined && repository !== name.at(-1)) return false;
  const groups = path.slice(0, -1);
  return groups.length === 0 || name.slice(0, -1).every((group) => groups.includes(group));
}
