/** A workload of a trust domain. */
export type SpiffeId = {
  /** Without the scheme. */
  readonly trustDomain: string;
  /** Begins with a slash; empty where the id names the trust domain itself. */
  readonly path: string;
};

/** Characters of an id: all of them are ASCII. */
const MAX_LENGTH = 2048;
const MAX_TRUST_DOMAIN_LENGTH = 255;
const SPIFFE_ID = /^spiffe:\/\/([a-z0-9._-]+)((?:\/[A-Za-z0-9._-]+)*)$/;

/**
 * Reads a SPIFFE ID in its one spelling: no capitals before the path, no port, login, query, fragment or escape, no
 * empty, `.` or `..` segment, no slash at the end.
 * @returns undefined for anything else
 * @see https://github.com/spiffe/spiffe/blob/main/standards/SPIFFE-ID.md §2
 */
export function parseSpiffeId(text: string): SpiffeId | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, trustDomain, path] = SPIFFE_ID.exec(text) ?? [];
  if (trustDomain === undefined || path === undefined || trustDomain.length > MAX_TRUST_DOMAIN_LENGTH) return undefined;
  return path.split('/').some((segment) => segment === '.' || segment === '..') ? undefined : { trustDomain, path };
}
