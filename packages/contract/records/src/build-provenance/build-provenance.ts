import type { ParseResult } from '@colophon/json';
import type { XStatic } from 'typebox/schema';
import { checkRecord } from '../record-schema/record-check.ts';
import { buildProvenanceSchema } from './build-provenance-schema.ts';

/** How the address of a git repository begins, or ends before its branch. */
const GIT_ADDRESS = /^git(?:\+|:)|\.git(?:[@#]|$)/;

/** The predicate of a SLSA 1.0 build provenance, as far as anything here relies on it. */
export type BuildProvenance = XStatic<typeof buildProvenanceSchema>;

/** What of a git repository a build was made from, as its provenance says. At least one of commit and tree is there. */
export type BuildSource = {
  /** The address as it stands there: `git+https://github.com/acme/webshop@refs/heads/main`. */
  readonly uri?: string;
  /** The address of the repository alone, without `git+` and what stands after it. */
  readonly repository?: string;
  readonly commit?: string;
  readonly tree?: string;
};

/**
 * Reads the predicate of a SLSA 1.0 build provenance. Required are the build type, its external parameters and the
 * builder's id, as SLSA has it; nothing is ever null.
 *
 * @returns the predicate as it is, or every issue at once, with codes `build_provenance.*`.
 */
export function parseBuildProvenance(value: unknown): ParseResult<BuildProvenance> {
  const issues = checkRecord('build_provenance', buildProvenanceSchema, value, 'SLSA 1.0 provenance');
  return issues.length === 0 ? { ok: true, value: value as BuildProvenance } : { ok: false, issues };
}

/**
 * Everything of git that a build fetched, which is its source and may be more: what names a commit or a tree by its digest,
 * and a SHA-1 of what has the address of a git repository. What a build was only asked for (`externalParameters`) is not what
 * it fetched, so it is no source.
 */
export function buildSources({ buildDefinition }: BuildProvenance): readonly BuildSource[] {
  return (buildDefinition.resolvedDependencies ?? []).flatMap(({ uri, digest = {} }): BuildSource[] => {
    const { gitCommit, gitTree, sha1 } = digest;
    const isGit = uri !== undefined && GIT_ADDRESS.test(uri);
    const place = uri === undefined ? {} : { uri, repository: repositoryOf(uri) };
    // Two ids that one entry gives for the same thing are two sources: neither would be the one.
    const commits = [...new Set([gitCommit, isGit ? sha1 : undefined])].filter((id) => id !== undefined);
    const tree = gitTree === undefined ? {} : { tree: gitTree };
    if (commits.length === 0) return gitTree === undefined ? [] : [{ ...place, ...tree }];
    return commits.map((commit) => ({ ...place, commit, ...tree }));
  });
}

/** `git+https://github.com/acme/webshop@refs/heads/main` and `https://github.com/acme/webshop.git#main` without their ends. */
function repositoryOf(uri: string): string {
  const address = uri.replace(/^git\+/, '');
  // An `@` before the first slash of the path would be a user's, which an address of a repository does not have.
  return /^([a-z+.-]+:\/\/[^/]*\/[^@#?]*)/.exec(address)?.[1] ?? address;
}
