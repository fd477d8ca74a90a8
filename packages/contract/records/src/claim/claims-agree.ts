import { repositoriesAgree } from '../repository/repositories-agree.ts';
import { word } from './claim-form.ts';
import { formOf, type SourcedClaim } from './claim-table.ts';

/**
 * Whether two values of a claim mean the same: a hash with or without `sha256:`, a commit in either case, a time with
 * zeros behind it, a repository in two spellings. Whatever else a claim says is compared letter by letter.
 *
 * @see contract §2.1
 */
export function claimsAgree(claim: SourcedClaim, one: string, other: string): boolean {
  if (claim === 'repo' || claim === 'repo_uri') return repositoriesAgree(one, other);
  return canonicalClaim(claim, one) === canonicalClaim(claim, other);
}

/** The value as this program writes it; what cannot be read stays as it is. */
export function canonicalClaim(claim: SourcedClaim, value: string): string {
  return formOf(claim).oneSpelling?.(value) ?? value;
}

/** The value that a text is of a claim, as it goes on; undefined where it is none. */
export function readClaim(claim: SourcedClaim | 'trigger', text: string): string | undefined {
  return (claim === 'trigger' ? word : formOf(claim)).read(text);
}
