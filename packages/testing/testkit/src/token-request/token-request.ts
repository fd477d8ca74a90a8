/** A token request as an orchestrator sends it: the six fields of contract §2.2 and no more. */
export const SIX_FIELDS = {
  agent_name: 'code-writer',
  agent_version: '1.4.2',
  model_id: 'large-model-2026-05-14',
  prompt_hash: `sha256:${'5a'.repeat(32)}`,
  policy_pack_hash: `sha256:${'c3'.repeat(32)}`,
  human_reviewer: 'alice@example.com',
} as const;
