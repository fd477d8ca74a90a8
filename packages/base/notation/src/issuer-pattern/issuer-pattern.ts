/** Of an issuer, or a pattern. */
const MOST_CHARACTERS = 2_048;

/**
 * Whether a text names issuers: the `iss` of tokens, byte for byte, or an address in which each `*` is one whole label of
 * the host, but for the last two, or one whole segment of the path.
 */
export function isIssuerPattern(text: string): boolean {
  if (text === '' || text.length > MOST_CHARACTERS || /[\s\p{Cc}\p{Cf}]/u.test(text)) return false;
  return !text.includes('*') || isWildcardPattern(text);
}

/**
 * `https://*.acme.example/id/*`: each `*` is a whole label of the host or a whole segment of the path. The last two labels
 * of a host are exact, so that no pattern takes the issuers of everybody.
 */
function isWildcardPattern(text: string): boolean {
  const parts = partsOf(text);
  if (parts === undefined) return false;
  const labels = parts.host.split('.');
  const segments = parts.path.split('/');
  if ([...labels, ...segments].some((part) => part.includes('*') && part !== '*')) return false;
  return !labels.slice(-2).includes('*') && labels.every((label) => label !== '');
}

/** Scheme, host with its port, and the path with its first slash; undefined for what is no address. */
function partsOf(text: string): { readonly [part in 'scheme' | 'host' | 'path']: string } | undefined {
  const found = /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?<host>[^/?#@]+)(?<path>[^?#]*)$/.exec(text);
  return found?.groups as ReturnType<typeof partsOf>;
}

/**
 * Whether an issuer is the one of a pattern, or one of those.
 * @param pattern as of {@link isIssuerPattern}
 */
export function matchesIssuer(pattern: string, issuer: string): boolean {
  if (!pattern.includes('*')) return pattern === issuer;
  const [wanted, found] = [partsOf(pattern), partsOf(issuer)];
  if (wanted === undefined || found === undefined || wanted.scheme !== found.scheme) return false;
  return isLike(wanted.host, found.host, '.') && isLike(wanted.path, found.path, '/');
}

/** Part for part; a star is one whole part, of plain characters: neither empty, nor encoded, nor a way up. */
function isLike(pattern: string, text: string, separator: '.' | '/'): boolean {
  const [wanted, found] = [pattern.split(separator), text.split(separator)];
  if (wanted.length !== found.length) return false;
  return wanted.every((part, index) => {
    const other = found[index] as string;
    return part === '*' ? /^[\w~-][\w.~-]*$/.test(other) : part === other;
  });
}
