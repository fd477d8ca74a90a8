import { isIssuerPattern, matchesIssuer } from '@colophon/notation';

/** What a root says that it certifies: issuers, exact or with `*` for one whole label or segment. */
export type IssuerScope = {
  /** As written. */
  readonly issuers: readonly string[];
  names(issuer: string): boolean;
};

/** A root, as far as its scope goes. */
type Scoped = { readonly scope?: IssuerScope | undefined };

const MOST_ISSUERS = 1_000;
/**
 * Reads the issuers that a root is for.
 * @throws TypeError for none, for too many, or for one that is no issuer: see {@link isIssuerPattern}
 */
export function compileIssuerScope(issuers: readonly string[]): IssuerScope {
  if (issuers.length === 0 || issuers.length > MOST_ISSUERS || !issuers.every(isIssuerPattern)) {
    throw new TypeError('the issuers of a trusted root cannot be used');
  }
  return { issuers, names: (issuer) => issuers.some((pattern) => matchesIssuer(pattern, issuer)) };
}

/**
 * The roots under which a certificate of an issuer counts: those that name the issuer, else the one that names none. What
 * another root certifies of it is no word, whoever owns that root.
 */
export function rootsOfIssuer<R extends Scoped>(issuer: string, roots: readonly R[]): readonly R[] {
  const named = roots.filter(({ scope }) => scope?.names(issuer));
  return named.length > 0 ? named : roots.filter(({ scope }) => scope === undefined);
}
