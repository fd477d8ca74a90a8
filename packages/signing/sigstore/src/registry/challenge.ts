/** What a registry asks for in WWW-Authenticate (RFC 9110 §11.6.1; token flow of the distribution project). */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service?: string; readonly scope?: string };

/** Reads the first challenge that we can answer; undefined where there is none. */
export function parseChallenge(header: string | null): Challenge | undefined {
  if (header === null || header.length > 4096) return undefined;
  const bearer = /(?:^|,\s*)bearer\s+(.*)$/i.exec(header);
  if (bearer !== null) {
    const { realm, service, scope } = parseParameters(bearer[1]!);
    if (realm !== undefined) {
      return {
        scheme: 'bearer',
        realm,
        ...(service === undefined ? {} : { service }),
        ...(scope === undefined ? {} : { scope }),
      };
    }
  }
  return /(?:^|,\s*)basic(?:\s|$)/i.test(header) ? { scheme: 'basic' } : undefined;
}

function parseParameters(text: string): { readonly [name: string]: string } {
  const parameters: Record<string, string> = {};
  for (const [, name, quoted, plain] of text.matchAll(/([a-z]+)=(?:"([^"]*)"|([^\s",]+))/gi)) {
    parameters[name!.toLowerCase()] ??= quoted ?? plain ?? '';
  }
  return parameters;
}
