import { FULCIO_ARC } from '@colophon/records';
import { utf8 } from '@colophon/testkit/local-sigstore/der-writer';
import type { Claims, LeafOptions } from '@colophon/testkit/local-sigstore/local-sigstore';

export const CI_ISSUER = 'https://token.actions.githubusercontent.com';
export const CI_REPOSITORY = 'https://github.com/acme/webshop';
export const WORKFLOW = `${CI_REPOSITORY}/.github/workflows/build.yml@refs/heads/main`;

/** The certificate of a GitHub Actions job, as Fulcio writes it: other systems' extensions, none of ours. */
export function buildRunner(claims: Claims = {}): LeafOptions {
  const said = {
    iss: CI_ISSUER,
    sub: WORKFLOW,
    repo: 'acme/webshop',
    repo_uri: CI_REPOSITORY,
    commit_sha: 'c'.repeat(40),
    trigger: 'push',
    ...claims,
  };
  const texts: Readonly<Record<number, string>> = {
    9: said.sub,
    10: said.commit_sha,
    11: 'github-hosted',
    18: said.sub,
    19: said.commit_sha,
    21: `${CI_REPOSITORY}/actions/runs/1/attempts/1`,
    22: 'public',
    23: 'production',
  };
  const replace = Object.entries(texts).map(([n, text]) => ({ oid: `${FULCIO_ARC}.${n}`, value: utf8(text) }));
  return { claims: said, mappings: 'fulcio', replace };
}
