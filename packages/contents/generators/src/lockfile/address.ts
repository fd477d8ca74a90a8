/** Parameters that say which package it is. Any other may hold a credential, whatever it is called. */
const PLAIN_PARAMETER =
  /^(?:branch|tag|rev|ref|commit|sha|version|subdirectory|path|file|filename|name|package|archive|format|type|ext|alt|api-version)$/i;

/** Parameters of a fragment, which npm, yarn and pip write. */
const PLAIN_FRAGMENT =
  /^(?:egg|subdirectory|commit|head|tag|semver|workspace|cwd|path|md5|sha1|sha224|sha256|sha384|sha512)$/i;

/** A value of one, decoded: in an address or a further parameter there may be a credential again. */
const PLAIN_VALUE = /^@?[\w.+/~^*<> -]*$/;

/**
 * An address without what may open the door there: the login, whatever stands before the last `@` of the authority, but
 * for the `git` of ssh; and every parameter of the query and of the fragment but those that say which package it is.
 */
export function withoutLogin(url: string): string {
  const [, scheme = '', slashes = '', found = '', after = ''] =
    /^([a-z][a-z0-9+.-]*:)?([/\\]*)([^/\\?#]*)(.*)$/is.exec(url) ?? [];
  // Without both it is a path, or `git@host:path`.
  const isAddress = scheme !== '' || slashes.length > 1;
  const isCutShort = isAddress && /^[^@[]*:[^@]*\D/.test(found) && !/@|%40/i.test(found) && after.includes('@');
  // No port is a word: it is a password with a `/`, `?` or `#`, and the host comes later.
  const end = isCutShort ? after.lastIndexOf('@') + 1 : 0;
  const rest = isCutShort ? (/[/\\?#].*$/s.exec(after.slice(end))?.[0] ?? '') : after;
  const authority = isCutShort ? after.slice(end, after.length - rest.length) : found;
  const isKept = !isAddress || /^git@(?!.*(?:@|%40))/is.test(authority);
  return `${scheme}${slashes}${isKept ? authority : authority.replace(/^.*(?:@|%40)/is, '')}${withPlainParameters(rest)}`;
}

/** An address in a text, whatever is said around it. Repetitions have ends: a lockfile may have a name of megabytes. */
const ADDRESS = /(?:[a-z][a-z0-9+.-]{0,30}:(?=[/\\])|https?:|(?<=^|[\s(@])(?=[/\\]{2}))\S+?(?=\){0,3}(?:\s|$))/gi;

/** A text in which every address is as {@link withoutLogin} leaves it. */
export function withoutLogins(text: string): string {
  return text.replace(ADDRESS, withoutLogin);
}

function withPlainParameters(rest: string): string {
  const [, path = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(rest) ?? [];
  const plainQuery = query?.split('&').filter((one) => isPlain(one, PLAIN_PARAMETER)) ?? [];
  // Without a name it is a commit, a branch or a range of versions.
  const plainFragment = fragment?.split('&').filter((one) => !/=|%3d/i.test(one) || isPlain(one, PLAIN_FRAGMENT)) ?? [];
  return `${path}${plainQuery.length > 0 ? `?${plainQuery.join('&')}` : ''}${plainFragment.length > 0 ? `#${plainFragment.join('&')}` : ''}`;
}

function isPlain(parameter: string, names: RegExp): boolean {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(parameter) ?? [];
  try {
    return names.test(name) && PLAIN_VALUE.test(decodeURIComponent(value));
  } catch {
    return false;
  }
}
