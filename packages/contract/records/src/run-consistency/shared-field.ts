import { type CertificateIdentity, UNKNOWN } from '../certificate-identity/certificate-identity.ts';
import { SOURCED_CLAIMS, type SourcedClaim } from '../claim/claim-table.ts';
import { AGENT_PREFIX } from '../reviewer/reviewer.ts';

/** A member of the agent-run predicate that says what a claim says too. */
export type SharedField = { readonly path: readonly [string, string]; readonly claim: SourcedClaim };

/** Every claim has its place in a run; contract §2.1 beside §2.3. */
export const SHARED_FIELDS: readonly SharedField[] = [
  { path: ['agent', 'name'], claim: 'agent_name' },
  { path: ['agent', 'version'], claim: 'agent_version' },
  { path: ['model', 'id'], claim: 'model_id' },
  { path: ['model', 'provider'], claim: 'model_provider' },
  { path: ['input', 'prompt_hash'], claim: 'prompt_hash' },
  { path: ['policy', 'pack_hash'], claim: 'policy_pack_hash' },
  { path: ['human_review', 'reviewer'], claim: 'human_reviewer' },
  { path: ['human_review', 'reviewed_at'], claim: 'review_timestamp' },
  { path: ['git', 'repo'], claim: 'repo' },
  { path: ['git', 'repo_uri'], claim: 'repo_uri' },
  { path: ['git', 'commit_sha'], claim: 'commit_sha' },
];

/** Who signs a run, and what is claimed of it: a certificate, a token, or the context of a token that is yet to come. */
export type RunSigner = Pick<CertificateIdentity, 'subject' | 'claims'>;

/** The signer that a token's payload or a token request describes; a request's subject is its agent. */
export function runSignerOf(said: { readonly [name: string]: unknown }, subject?: string): RunSigner {
  const claims: { [claim in SourcedClaim]?: string } = {};
  for (const claim of SOURCED_CLAIMS) {
    const value = said[claim];
    if (typeof value === 'string') claims[claim] = value;
  }
  return { subject: subject ?? AGENT_PREFIX + (claims.agent_name ?? ''), claims };
}

/** What the signer says of a claim; `unknown` is nothing. The agent's name also stands in the subject `agent:<name>`. */
export function saidBySigner({ subject, claims }: RunSigner, claim: SourcedClaim): string | undefined {
  const value = claims[claim];
  if (value !== undefined && value !== '' && value !== UNKNOWN) return value;
  if (claim !== 'agent_name' || !subject.startsWith(AGENT_PREFIX)) return undefined;
  return subject.slice(AGENT_PREFIX.length) || undefined;
}

/** What a predicate says at a path, of whatever shape it is. */
export function statedAt(predicate: unknown, [outer, inner]: SharedField['path']): string | undefined {
  const value = memberOf(memberOf(predicate, outer), inner);
  return typeof value === 'string' ? value : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, name)
    ? (value as { readonly [member: string]: unknown })[name]
    : undefined;
}
