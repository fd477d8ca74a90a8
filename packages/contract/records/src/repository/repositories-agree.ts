import { parseRepositoryUri } from './repository.ts';

/** A repository as somebody wrote it: the segments of its path, and the origin where it is an address. */
type NamedRepository = { readonly origin?: string; readonly segments: readonly string[] };

/** Origins of forges where an address has an owner and a repository, and nothing above them. */
const NESTS_NO_GROUPS: ReadonlySet<string> = new Set(['https://github.com']);

/**
 * Whether two texts can be about one repository. Each is a name (contract §2.1 `repo`) or an address (`repo_uri`).
 * `.git`, slashes at the end and the spelling of the host do not count; the case of a path does.
 * A name is the last segments of its address, in order: a name has two, and on a forge that nests groups `group/team/shop`
 * is `team/shop`. An address with fewer segments than the name is another repository's. A name has no host, so it agrees
 * with an address on any.
 */
export function repositoriesAgree(one: string, other: string): boolean {
  if (one === other) return true;
  const a = readRepository(one);
  const b = readRepository(other);
  if (a === undefined || b === undefined) return false;
  if ((a.origin === undefined) !== (b.origin === undefined)) {
    return a.origin === undefined ? isNameOf(a.segments, b) : isNameOf(b.segments, a);
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

function isNameOf(name: readonly string[], { origin, segments }: NamedRepository): boolean {
  // Azure DevOps: `<organisation>/<project>/_git/<repository>`.
  const path = segments.filter((segment, index) => segment !== '_git' || index !== segments.length - 2);
  if (NESTS_NO_GROUPS.has(origin ?? '') && path.length !== name.length) return false;
  return path.slice(-name.length).join('/') === name.join('/');
}
