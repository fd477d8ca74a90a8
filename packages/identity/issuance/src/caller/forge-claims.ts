import type { CallerKind, CallerTokenRule, ConfirmedClaim } from './caller.ts';

/** Which claim of a forge's token has repository, commit and event; other issuers confirm what their entry names. */
export const FORGE_CLAIMS: Readonly<Record<CallerKind, { readonly [claim in ConfirmedClaim]?: readonly string[] }>> = {
  /** @see https://docs.github.com/en/actions/reference/security/oidc */
  github: { repo: ['repository'], repo_uri: ['repository'], commit_sha: ['sha'], trigger: ['event_name'] },
  /** @see https://docs.gitlab.com/ci/secrets/id_token_authentication/ */
  gitlab: { repo: ['project_path'], repo_uri: ['project_path'], commit_sha: ['sha'], trigger: ['pipeline_source'] },
  kubernetes: {},
  spiffe: {},
  oidc: {},
};

/**
 * What a claim of a forge's token says of ours; undefined where it says nothing: a project in nested groups has no
 * `<org>/<repo>`, only an address.
 */
export function derivedClaim(
  claim: ConfirmedClaim,
  said: string,
  { kind, issuer }: CallerTokenRule,
): string | undefined {
  if (kind !== 'github' && kind !== 'gitlab') return said;
  if (claim === 'repo') return said.split('/').length > 2 ? undefined : said;
  if (claim !== 'repo_uri') return said;
  const base = kind === 'github' ? githubAddress(issuer) : issuer.replace(/\/$/, '');
  return base === undefined ? undefined : `${base}/${said}`;
}

const OF_GITHUB = 'https://token.actions.githubusercontent.com';
const OF_GHE_COM = /^https:\/\/token\.actions\.([a-z0-9-]+\.ghe\.com)(?:\/|$)/;
const OF_GHE_SERVER = /^(https:\/\/[^/]+)\/_services\/token$/;

/** The forge whose jobs an issuer's tokens are of, where its address alone tells; their claims are known, and have traps. */
export function forgeOf(issuer: string): 'github' | 'gitlab' | undefined {
  if (githubAddress(issuer) !== undefined) return 'github';
  return issuer.replace(/\/$/, '') === 'https://gitlab.com' ? 'gitlab' : undefined;
}

/** Where the repositories of an Actions issuer lie: on github.com, on ghe.com or on a company's own server. */
function githubAddress(issuer: string): string | undefined {
  if (issuer === OF_GITHUB || issuer.startsWith(`${OF_GITHUB}/`)) return 'https://github.com';
  const host = OF_GHE_COM.exec(issuer)?.[1];
  return host === undefined ? OF_GHE_SERVER.exec(issuer)?.[1] : `https://${host}`;
}
