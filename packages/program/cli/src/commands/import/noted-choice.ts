import {
  type AgentNote,
  chooseNotedAgent,
  evidenceOf,
  type NotedAgent,
  type NotedAuthor,
  UNNAMED_AGENT,
} from '@colophon/attribution-comments';
import type { GitOptions, Repository } from '@colophon/forge';
import { parseAgentName } from '@colophon/records';
import { InvalidArgumentError } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import type { OutputFormat } from '../../report/report.ts';
import { shellWord } from '../../terminal/terminal.ts';
import type { ImportResult } from './import-result.ts';
import { sentenceOf, shownAgent } from './noted-words.ts';

/** What is typed beside the commit. */
export type ImportFlags = {
  readonly agent?: string;
  readonly modelId?: string;
  readonly agentName?: string;
  readonly predicateOut?: string;
  readonly repository: string;
  readonly output: OutputFormat;
};

/** A format of notes. */
export type Format = {
  readonly name: ImportResult['noted_by'];
  readonly read: (repository: Repository, commit: string, options: GitOptions) => Promise<AgentNote>;
  /** What the format calls a note. */
  readonly note: string;
  /** What brings notes that are somewhere else. */
  readonly next?: string;
};

/** The value of `--agent-name`. @throws InvalidArgumentError */
export function parseName(text: string): string {
  const name = parseAgentName(text);
  if (name === undefined) throw new InvalidArgumentError(`It is ${NAME_FORM}.`);
  return name;
}

const NAME_FORM = '1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit';

/** What was typed, for the line to type next. */
export type Typed = { readonly name: string; readonly flags: ImportFlags; readonly format: Format };

/** @throws CliError `cli.agent_note_invalid`, `cli.agent_not_noted`, `cli.agent_ambiguous` */
export function chooseAgent(note: AgentNote, commit: string, typed: Typed): NotedAgent {
  const { format, flags } = typed;
  if (note.agents.length === 0) throw nothingNoted(note, commit, format);
  const choice = chooseNotedAgent(note.agents, { agent: flags.agent, model: flags.modelId });
  if (choice.ok) return choice.value;
  const list = (agents: readonly NotedAgent[]) => agents.map((one) => sentenceOf(shownAgent(one))).join('; ');
  if (choice.equal.length === 0) {
    throw new CliError('cli.agent_not_noted', 'the notes name no such agent, or no such model', {
      checked: note.place,
      expected: [flags.agent, flags.modelId].filter((text) => text !== undefined).join(', '),
      found: list(note.agents),
    });
  }
  const wanted = ({ agent, ...one }: NotedAgent) => ({ agent, model: wholeModel(one) });
  const likely = choice.equal.map(wanted).find((one) => chooseNotedAgent(note.agents, one).ok);
  throw new CliError('cli.agent_ambiguous', 'several agents or models have most lines', {
    checked: note.place,
    expected: '--agent or --model-id',
    found: list(choice.equal),
    ...(likely && { next: lineToType(typed, { agent: likely.agent, modelId: likely.model }) }),
  });
}

function nothingNoted(note: AgentNote, commit: string, { note: what, next }: Format): CliError {
  const { place, problems, hasRecords, revision } = note;
  const issues = problems.length === 0 ? {} : { issues: problems };
  if (!hasRecords && problems.length > 0) {
    return new CliError('cli.agent_note_invalid', `no ${what} can be read`, { checked: place, ...issues });
  }
  const message =
    revision === undefined ? `no ${what} is about the commit ${commit}` : `the ${what} of ${commit} names no agent`;
  const isElsewhere = revision === undefined && next !== undefined;
  return new CliError('cli.agent_not_noted', message, { checked: place, ...issues, ...(isElsewhere && { next }) });
}

/**
 * The agent under the name that the predicate has for it. A version is that of the name that the notes give it to.
 * @throws CliError `cli.agent_name_invalid`
 */
export function underOwnName(agent: NotedAgent, typed: Typed): NotedAgent {
  const { agentName } = typed.flags;
  if (agentName !== undefined && agentName !== agent.agent) {
    const { version: _, ...others } = agent;
    return { ...others, agent: agentName };
  }
  if (agent.agent === undefined || parseAgentName(agent.agent) !== undefined) return agent;
  // The name that a comment would have for it.
  const likely = evidenceOf('git-ai', { agent: agent.agent }).agent;
  throw new CliError('cli.agent_name_invalid', 'the noted name is no name that an agent can have', {
    expected: NAME_FORM,
    found: agent.agent,
    next: lineToType(typed, { agentName: likely === UNNAMED_AGENT ? 'NAME' : likely }),
  });
}

type Chosen = { readonly [flag in 'agent' | 'modelId' | 'agentName']?: string | undefined };

function lineToType({ name, flags, format }: Typed, more: Chosen): string {
  const { agent, modelId, agentName, predicateOut, repository } = { ...flags, ...more };
  const words = [
    ...['colophon', 'import', format.name, name],
    ...(agent === undefined ? [] : ['--agent', agent]),
    ...(modelId === undefined ? [] : ['--model-id', modelId]),
    ...(agentName === undefined ? [] : ['--agent-name', agentName]),
    ...(predicateOut === undefined ? [] : ['--predicate-out', predicateOut]),
    ...(repository === '.' ? [] : ['--repository', repository]),
  ];
  return words.map(shellWord).join(' ');
}

function wholeModel({ model, provider }: NotedAuthor): string | undefined {
  return model === undefined || provider === undefined ? model : `${provider}/${model}`;
}
