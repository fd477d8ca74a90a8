import type { ParseResult } from '@colophon/json';
import type { XStatic } from 'typebox/schema';
import { agentRunType } from '../predicate-type/predicate-type.ts';
import { checkRecord } from '../record-schema/record-check.ts';
import { createStatement } from '../statement/create-statement.ts';
import type { Statement, Subject } from '../statement/statement.ts';
import { agentRunSchema } from './agent-run-schema.ts';

/** The predicate of an agent-run attestation (contract §2.3). */
export type AgentRun = XStatic<typeof agentRunSchema>;

/**
 * Reads the predicate of an agent-run attestation. Required are the agent, the model's id and provider, the hashes of
 * prompt and policy pack, and the commit; the rest may be left out, and nothing is ever null. Counts are integers of
 * 0 or more; an exit code may be negative, as where a signal ended a tool.
 *
 * @returns the predicate as it is, or every issue at once, with codes `agent_run.*`.
 */
export function parseAgentRun(value: unknown): ParseResult<AgentRun> {
  const issues = checkRecord('agent_run', agentRunSchema, value, 'contract §2.3');
  return issues.length === 0 ? { ok: true, value: value as AgentRun } : { ok: false, issues };
}

/**
 * The Statement v1 that says how `subjects` came to be.
 *
 * @throws TypeError where it would not be read back, with the path and code of every issue.
 */
export function createAgentRunStatement(run: {
  readonly subjects: readonly Subject[];
  readonly predicate: AgentRun;
  readonly predicateBase?: string;
}): Statement<AgentRun> {
  const { subjects, predicate, predicateBase } = run;
  const parsed = parseAgentRun(predicate);
  return createStatement(
    { subjects, predicateType: agentRunType(predicateBase), predicate },
    parsed.ok ? [] : parsed.issues,
  );
}
