import type { ParseResult } from '@colophon/records';
import { PackageURL } from 'packageurl-js';
import { faultOfPackageUrl } from '../check/package-url.ts';
import { refused } from './vendored-issue.ts';

/** The package that code was made from, as its package URL names it. */
export type SourcePurl = {
  /** As it was given. */
  readonly purl: string;
  readonly type: string;
  /** Scope, group or path; absent where there is none. */
  readonly namespace?: string;
  readonly name: string;
  readonly version: string;
  /** With its scope, group or path, as its ecosystem writes it: `@acme/pad`, `org.acme:pad`. */
  readonly packageName: string;
};

const EXAMPLE = 'pkg:npm/left-pad@1.3.0';

/**
 * Reads the package URL of a package's version, of whatever kind.
 * @returns issues with codes `vendored.purl_invalid`, `vendored.version_missing`
 */
export function parseSourcePurl(purl: string): ParseResult<SourcePurl> {
  const fault = faultOfPackageUrl(purl);
  if (fault !== undefined) return refused('vendored.purl_invalid', `this is no package URL: ${fault}`, EXAMPLE);
  let parsed: PackageURL;
  try {
    parsed = PackageURL.fromString(purl);
  } catch {
    // The library has errors of several kinds, some of them accidents of its own.
    return refused('vendored.purl_invalid', 'this is no package URL: it cannot be read', EXAMPLE);
  }
  const { type = '', namespace, name = '', version } = parsed;
  if (!version) return refused('vendored.version_missing', 'the package URL names no version', `${purl}@VERSION`);
  const separator = type === 'maven' ? ':' : '/';
  const packageName = namespace ? `${namespace}${separator}${name}` : name;
  return { ok: true, value: { purl, type, ...(namespace ? { namespace } : {}), name, version, packageName } };
}
