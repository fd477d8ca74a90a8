/**
 * One issuer for every spelling of its address: scheme and host in lower case, without default port, user, dot segments,
 * trailing slashes, empty query and empty fragment. The rest of the path is its own, and what has no host stays as it is.
 */
export function foldedIssuer(issuer: string): string {
  if (!URL.canParse(issuer)) return issuer;
  const { protocol, host, pathname, search, hash } = new URL(issuer);
  if (host === '') return issuer;
  // Whoever asks for a certificate writes the text: each slash is looked at once.
  return `${protocol}//${host.toLowerCase()}${pathname.replace(/(?<!\/)\/+$/, '')}${search}${hash}`;
}
