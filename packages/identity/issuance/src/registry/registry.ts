import { compileNamePatterns, type NameMatch } from '@colophon/policy-file/name-pattern';

/** Whether an agent gets tokens: not while it is suspended, and never again once it is retired. */
export const AGENT_STATES = ['active', 'suspended', 'retired'] as const;
export type AgentState = (typeof AGENT_STATES)[number];

/** An agent as the configuration names it. */
export type RegisteredAgent = {
  readonly name: string;
  /** Never reassigned; the issuer's own where absent. */
  readonly id?: string | undefined;
  readonly owner?: string | undefined;
  /** Patterns of versions; any where absent. */
  readonly versions?: readonly string[] | undefined;
  readonly state?: AgentState | undefined;
};

export type RegisteredModel = { readonly id: string; readonly provider: string };
export type RegisteredPolicyPack = { readonly name: string; readonly hash: string };

/** What the operator says of agents, models and policy packs. */
export type Registry = {
  /** Undefined where the configuration names no agents: then a name is its first user's. */
  agent(name: string): RegisteredAgent | undefined;
  readonly namesAgents: boolean;
  hasVersion(agent: RegisteredAgent, version: string): boolean;
  /** Who serves a model: an entry with just its id, else the first pattern that stands for it. */
  providerOf(modelId: string): string | undefined;
  policyPackOf(hash: string): string | undefined;
};

/** Compiles the registries of a configuration once. */
export function compileRegistry({
  agents,
  models = [],
  policyPacks,
}: {
  readonly agents?: readonly RegisteredAgent[] | undefined;
  readonly models?: readonly RegisteredModel[] | undefined;
  readonly policyPacks?: readonly RegisteredPolicyPack[] | undefined;
}): Registry {
  const byName = new Map(agents?.map((agent) => [agent.name, agent]));
  const versions = new Map<RegisteredAgent, NameMatch>();
  for (const agent of byName.values()) if (agent.versions) versions.set(agent, compileNamePatterns(agent.versions));
  const named = new Map(models.map(({ id, provider }) => [id, provider]));
  const providers = models.map(({ id, provider }) => ({ isModel: compileNamePatterns([id]), provider }));
  const packs = new Map(policyPacks?.map(({ name, hash }) => [hash, name]));
  return {
    agent: (name) => byName.get(name),
    namesAgents: agents !== undefined,
    hasVersion: (agent, version) => versions.get(agent)?.(version) ?? true,
    providerOf: (modelId) => named.get(modelId) ?? providers.find(({ isModel }) => isModel(modelId))?.provider,
    policyPackOf: (hash) => packs.get(hash),
  };
}
