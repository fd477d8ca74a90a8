import type { NotedAgent } from '@colophon/attribution-comments';
import { counted, oneLine, shellWord } from '../../terminal/terminal.ts';
import type { ImportResult } from './import-result.ts';

type ShownAgent = ImportResult['agents'][number];

/** An agent as it is told to machines. */
export function shownAgent({ agent, version, model, provider, lineCount }: NotedAgent, isChosen = false): ShownAgent {
  return {
    ...(agent !== undefined && { agent }),
    ...(version !== undefined && { version }),
    ...(model !== undefined && { model_id: model }),
    ...(provider !== undefined && { model_provider: provider }),
    line_count: lineCount,
    in_predicate: isChosen,
  };
}

/** `cursor 2.4.0 with gpt-4o of openai, 12 lines`. */
export function sentenceOf({
  agent = 'an agent without a name',
  version,
  model_id,
  model_provider,
  line_count,
}: ShownAgent) {
  const parts = [
    agent,
    ...(version === undefined ? [] : [version]),
    ...(model_id === undefined ? [] : [`with ${model_id}`]),
    ...(model_provider === undefined ? [] : [`of ${model_provider}`]),
  ];
  return `${parts.join(' ')}, ${counted(line_count, 'line')}`;
}

/** The result for a person. */
export function describeImport({ commit_sha, noted_commit, place, agents, predicate_out }: ImportResult): string {
  const revision = noted_commit === commit_sha ? '' : ` under the parent ${noted_commit}`;
  const lines = [
    `commit ${commit_sha}: noted in ${place}${revision}`,
    ...agents.map((one) => `  ${sentenceOf(one)}${one.in_predicate ? ': in the predicate' : ''}`),
    "All of it is its writer's word: the sources of a token that is made from it are declared.",
  ];
  if (predicate_out !== undefined) {
    lines.push(
      `wrote ${predicate_out}`,
      `next: colophon attest-blob --type agent-run --predicate ${shellWord(predicate_out)} --context CONTEXT FILE`,
    );
  }
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}
