import type { ParseResult } from '@colophon/json';
import { faultOfPackageUrl } from '@colophon/notation';
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
  // By hand: the library fails on versions such as Go's `v1` and changes the case of names.
  const [path = ''] = purl.slice('pkg:'.length).split(/[?#]/);
  const [, names = '', version] = /^(.*?)(?:@([^@/]*))?$/.exec(path) ?? [];
  if (!version) return refused('vendored.version_missing', 'the package URL names no version', `${purl}@VERSION`);
  const [type = '', ...parts] = names.split('/').filter((part) => part !== '');
  const [namespace, name] = [parts.slice(0, -1).map(decoded).join('/'), decoded(parts.at(-1) ?? '')];
  if ([type, namespace, name, version].some((part) => UNPRINTABLE.test(decoded(part)))) {
    return refused('vendored.purl_invalid', 'this is no package URL: it holds control characters', EXAMPLE);
  }
  const packageName = namespace === '' ? name : `${namespace}${type === 'maven' ? ':' : '/'}${name}`;
  const value = {
    purl,
    type,
    ...(namespace === '' ? {} : { namespace }),
    name,
    version: decoded(version),
    packageName,
  };
  return { ok: true, value };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it finds
const UNPRINTABLE = /[\u0000-\u001f\u007f]/;

/** A text whose escapes are no UTF-8 stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
