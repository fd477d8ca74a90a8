import { withoutLogin, withoutLogins } from './address.ts';
import type { LockedName, LockedPackage } from './locked-project.ts';
import { packagePurl } from './purl.ts';

/**
 * Group, name, version and purl of an npm package. Where it comes from stands in the purl only for what no registry
 * has; an archive where registries keep them may come from any mirror, and is the same package.
 */
export function npmName(fullName: string, said: string | undefined, resolved: string | undefined): LockedName {
  const version = said && withoutLogins(said);
  const [, group, name] = /^(@[^/]+)\/(.+)$/.exec(fullName) ?? [undefined, undefined, fullName];
  const purl = packagePurl('npm', group, name!, version, qualifiersOf(resolved));
  return { ...(group && { group }), name: name!, ...(version && { version }), ...(purl && { purl }) };
}

/** Where a package was resolved from; undefined for folders and for what is no address. */
export function npmSource(resolved: string | undefined): LockedPackage['source'] {
  if (resolved === undefined) return undefined;
  if (isGit(resolved)) return { kind: 'vcs', url: withoutLogin(resolved) };
  return /^https?:/.test(resolved) ? { kind: 'distribution', url: withoutLogin(resolved) } : undefined;
}

/** True for `…/-/name-1.0.0.tgz`. */
export function isRegistryArchive(resolved: string): boolean {
  return /^https?:\/\/[^?#]*\/-\/[^/?#]+\.tgz(?:[?#].*)?$/.test(resolved);
}

function qualifiersOf(resolved: string | undefined): Record<string, string> | undefined {
  if (resolved === undefined) return undefined;
  if (isGit(resolved)) return { vcs_url: withoutLogin(resolved) };
  const isArchive = /^https?:/.test(resolved) && !isRegistryArchive(resolved);
  return isArchive ? { download_url: withoutLogin(resolved) } : undefined;
}

function isGit(resolved: string): boolean {
  return /^git[+:@]/.test(resolved);
}
