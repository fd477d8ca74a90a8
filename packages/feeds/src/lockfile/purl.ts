import { PackageURL } from 'packageurl-js';

/** A purl, or undefined for a name that cannot be one. */
export function packagePurl(
  type: 'npm' | 'cargo' | 'pypi' | 'golang' | 'generic',
  group: string | undefined,
  name: string,
  version: string | undefined,
  qualifiers?: Readonly<Record<string, string>>,
): string | undefined {
  // The library throws on a module of one segment, which Go has.
  if (type === 'golang' && group === undefined) {
    const at = version === undefined ? '' : `@${encodeURIComponent(version)}`;
    return `pkg:golang/${encodeURIComponent(name)}${at}`;
  }
  try {
    return new PackageURL(type, group, name, version, qualifiers, undefined).toString();
  } catch {
    return undefined;
  }
}

/** Parameters of a query that say which package it is. Any other may hold a credential, whatever it is called. */
const PLAIN_PARAMETER =
  /^(?:branch|tag|rev|ref|commit|sha|version|subdirectory|path|file|filename|name|package|archive|format|type|ext|alt|api-version)$/i;

/**
 * An address without what may open the door there: the login, whatever stands before the last `@` of the authority, but
 * for the `git` of ssh; and every parameter of the query but those that say which package it is.
 */
export function withoutLogin(url: string): string {
  const [, scheme = '', slashes = '', authority = '', rest = ''] =
    /^([a-z][a-z0-9+.-]*:)?([/\\]*)([^/\\?#]*)(.*)$/is.exec(url) ?? [];
  // Without both it is a path, or `git@host:path`.
  const isAddress = scheme !== '' || slashes.length > 1;
  const at = authority.lastIndexOf('@');
  const login = authority.slice(0, Math.max(at, 0));
  const isKept = at < 0 || !isAddress || login === 'git';
  return `${scheme}${slashes}${isKept ? authority : authority.slice(at + 1)}${withPlainParameters(rest)}`;
}

/** An address in a text, whatever is said around it. */
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/\S+?(?=\)*(?:\s|$))/gi;

/** A text in which every address is as {@link withoutLogin} leaves it. */
export function withoutLogins(text: string): string {
  return text.replace(ADDRESS, withoutLogin);
}

function withPlainParameters(rest: string): string {
  const start = rest.indexOf('?');
  if (start < 0) return rest;
  const end = rest.indexOf('#', start);
  const query = rest.slice(start + 1, end < 0 ? undefined : end);
  const kept = query.split('&').filter((parameter) => PLAIN_PARAMETER.test(parameter.split('=', 1)[0]!));
  return `${rest.slice(0, start)}${kept.length > 0 ? `?${kept.join('&')}` : ''}${end < 0 ? '' : rest.slice(end)}`;
}
