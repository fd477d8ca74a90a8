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

/** Parameters of a query that may hold a credential, such as `X-Amz-Signature` or `private_token`. */
const SECRET_PARAMETER = /token|secret|passw|pwd|key|sig|auth|cred|session/i;

/**
 * An address without what may open the door there: the login, whatever stands before the last `@` of the authority, but
 * for the `git` of ssh; and parameters of the query that are called like credentials.
 */
export function withoutLogin(url: string): string {
  const [, scheme = '', slashes = '', authority = '', rest = ''] =
    /^([a-z][a-z0-9+.-]*:)?([/\\]*)([^/\\?#]*)(.*)$/is.exec(url) ?? [];
  // Without both it is a path, or `git@host:path`.
  const isAddress = scheme !== '' || slashes.length > 1;
  const at = authority.lastIndexOf('@');
  const login = authority.slice(0, Math.max(at, 0));
  const isKept = at < 0 || !isAddress || login === 'git';
  return `${scheme}${slashes}${isKept ? authority : authority.slice(at + 1)}${withoutSecretParameters(rest)}`;
}

function withoutSecretParameters(rest: string): string {
  const start = rest.indexOf('?');
  if (start < 0) return rest;
  const end = rest.indexOf('#', start);
  const query = rest.slice(start + 1, end < 0 ? undefined : end);
  const kept = query.split('&').filter((parameter) => !SECRET_PARAMETER.test(parameter.split('=', 1)[0]!));
  return `${rest.slice(0, start)}${kept.length > 0 ? `?${kept.join('&')}` : ''}${end < 0 ? '' : rest.slice(end)}`;
}
