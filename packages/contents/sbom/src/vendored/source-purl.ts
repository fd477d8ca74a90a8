import type { ParseResult } from '@colophon/json';
import { type PackageUrl, parsePackageUrl } from '@colophon/notation';
import { faultOfPackageUrl } from '@colophon/notation/package-url-fault';
import { refused } from './vendored-issue.ts';

/** The package that code was made from, as its package URL names it. */
export type SourcePurl = {
  /** As it was given, with the @ of a scope as %40. */
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
 * Reads the package URL of a package's version, of whatever kind. Many write the @ of an npm scope as it is.
 * @returns issues with codes `vendored.purl_invalid`, `vendored.version_missing`
 */
export function parseSourcePurl(given: string): ParseResult<SourcePurl> {
  const purl = given.replace(/^(pkg:\/*npm\/)@/i, '$1%40');
  const fault = faultOfPackageUrl(purl);
  if (fault !== undefined) return refused('vendored.purl_invalid', `this is no package URL: ${fault}`, EXAMPLE);
  const { type, name, version, ...parts } = parsePackageUrl(purl) as PackageUrl;
  if (version === undefined) {
    return refused('vendored.version_missing', 'the package URL names no version', `${purl}@VERSION`);
  }
  const namespace = parts.namespace.join('/');
  if ([namespace, name, version].some((part) => UNPRINTABLE.test(part))) {
    return refused('vendored.purl_invalid', 'this is no package URL: it holds control characters', EXAMPLE);
  }
  const packageName = namespace === '' ? name : `${namespace}${type === 'maven' ? ':' : '/'}${name}`;
  const value = {
    purl,
    type,
    ...(namespace === '' ? {} : { namespace }),
    name,
    version,
    packageName,
  };
  return { ok: true, value };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it finds
const UNPRINTABLE = /[\u0000-\u001f\u007f]/;
