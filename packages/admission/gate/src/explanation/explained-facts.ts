import {
  type Basis,
  canonicalClaim,
  fieldBasis,
  isAgentIdentity,
  isConfirmed,
  type SourcedClaim,
  valueOfField,
} from '@colophon/records';
import { type FoundSignature, kindOf } from './explained-documents.ts';
import type { ExplainedFact } from './explanation-result.ts';

/** What is shown of an agent, in this order; each also by the member of a run that says it again. */
const SHOWN = {
  agent_name: 'agent.name',
  agent_version: 'agent.version',
  model_id: 'model.id',
  model_provider: 'model.provider',
  prompt_hash: 'input.prompt_hash',
  policy_pack_hash: 'policy.pack_hash',
  repo: undefined,
  repo_uri: undefined,
  commit_sha: 'git.commit_sha',
} as const satisfies { readonly [claim in SourcedClaim]?: string | undefined };

/** A value of a claim as one signature states it. */
type StatedFact = ExplainedFact & { readonly field: SourcedClaim };

/**
 * Every value that agents' certificates and agent runs state, by claim, each with what it rests on. Of a value that is
 * stated several times the best basis counts, and the earliest in the log of several that are as good: among agents of one
 * issuer under one root, as none vouches for what another's agents claim.
 */
export function explainedFacts(signatures: readonly FoundSignature[]): readonly ExplainedFact[] {
  const best = new Map<string, StatedFact>();
  for (const one of statedFacts(signatures)) {
    const key = JSON.stringify([one.field, canonicalClaim(one.field, one.value), one.issuer, one.root ?? '']);
    const known = best.get(key);
    if (known === undefined || (known.standing === 'claimed' && one.standing === 'confirmed')) best.set(key, one);
  }
  const order = Object.keys(SHOWN);
  return [...best.values()].sort((one, other) => order.indexOf(one.field) - order.indexOf(other.field));
}

/** Every statement of every value. */
function statedFacts(signatures: readonly FoundSignature[]): readonly StatedFact[] {
  return signatures.flatMap((by) => {
    const { certificate_identity: identity, statement, log_entry } = by;
    const isRun = kindOf(by) === 'agent-run';
    if (!isRun && !isAgentIdentity(identity)) return [];
    const bases = fieldBasis(identity, statement);
    return Object.entries(SHOWN).flatMap(([claim, member]): StatedFact[] =>
      [`claims.${claim}`, ...(isRun && member !== undefined ? [member] : [])].flatMap((field) => {
        const value = valueOfField({ identity, statement }, field);
        const basis: Basis | undefined = Object.hasOwn(bases, field) ? bases[field] : undefined;
        if (value === undefined || basis === undefined) return [];
        const standing = isConfirmed(basis) ? ('confirmed' as const) : ('claimed' as const);
        const { log_index } = log_entry;
        const { issuer, root } = identity;
        const by = { ...basis, issuer, ...(root === undefined ? {} : { root }) };
        return [{ field: claim as SourcedClaim, value, standing, ...by, log_index } satisfies StatedFact];
      }),
    );
  });
}
