import { foldedIssuer, isIssuerPattern, matchesIssuer } from '@colophon/notation';

/** What a root says that it certifies: issuers, exact or with `*` for one whole label or segment. */
export type IssuerScope = {
  /** As written. */
  readonly issuers: readonly string[];
  names(issuer: string): boolean;
  /** Whether it is one that the root names in whatever spelling: see {@link foldedIssuer}. */
  namesLike(issuer: string): boolean;
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
  const folded = issuers.map(foldedIssuer);
  return {
    issuers,
    names: (issuer) => issuers.some((pattern) => matchesIssuer(pattern, issuer)),
    namesLike: (issuer) => {
      const like = foldedIssuer(issuer);
      return folded.some((pattern) => matchesIssuer(pattern, like));
    },
  };
}

/**
 * The roots under which a certificate of an issuer counts: those that name the issuer, else the one that names none. What
 * another root certifies of it is no word, whoever owns that root. An issuer that is named in another spelling alone
 * belongs to none: a rejection by it would be heard as one by the issuer that is named.
 */
export function rootsOfIssuer<R extends Scoped>(issuer: string, roots: readonly R[]): readonly R[] {
  const named = roots.filter(({ scope }) => scope?.names(issuer));
  if (named.length > 0) return named;
  return roots.some(({ scope }) => scope?.namesLike(issuer)) ? [] : roots.filter(({ scope }) => scope === undefined);
}
