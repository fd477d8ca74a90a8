import { agentOfAddress } from '@colophon/records';
import { type AgentEvidence, evidenceOf, type SaidOfAgent } from './agent-evidence.ts';

/** What a commit says about who made it. */
export type CommitFacts = {
  readonly author: { readonly name: string; readonly email: string };
  readonly committer: { readonly name: string; readonly email: string };
  readonly trailers: ReadonlyArray<{ readonly key: string; readonly value: string }>;
};

/** Says of `Name <e-mail>`, a name or an e-mail address whether it is an agent of the caller's own. */
export type AgentMatcher = (text: string) => boolean;

/** An agent by the names under which it commits and co-authors; agentOfAddress knows its addresses. */
type NamedAgent = { readonly agent: string; readonly name: RegExp };

// Whole names only: a person may be called Claude, and Gemini is a company too.
const NAMED_AGENTS: readonly NamedAgent[] = [
  known('claude', 'claude code|claude (?:opus|sonnet|haiku)\\b.*|claude[ -]\\d.*|claude\\[bot\\]'),
  known('copilot', 'copilot|github copilot(?: .*)?|copilot-swe-agent(?:\\[bot\\])?'),
  known('cursor', 'cursor(?: ?agent)?(?:\\[bot\\])?'),
  known('codex', 'codex(?: .*)?|openai codex(?: .*)?|chatgpt-codex-connector\\[bot\\]'),
  known('gemini', 'gemini(?:[ -]cli| code assist)?(?: \\d.*)?|gemini-code-assist\\[bot\\]'),
  known('jules', 'google-labs-jules\\[bot\\]'),
  known('aider', 'aider(?: \\(.*\\))?|.* \\(aider\\)'),
  known('devin', 'devin ai|devin-ai-integration\\[bot\\]'),
  known('amp', 'amp|sourcegraph amp'),
  known('opencode', 'opencode'),
  known('windsurf', 'windsurf'),
  known('cline', 'cline'),
  known('roo-code', 'roo ?code'),
  known('amazon-q', 'amazon q(?: developer)?|amazon-q-developer\\[bot\\]'),
  known('kiro', 'kiro(?: agent)?'),
  known('junie', 'jetbrains junie'),
  known('goose', 'goose'),
  known('openhands', 'openhands'),
  known('droid', 'factory-droid\\[bot\\]'),
  known('qwen-code', 'qwen-?coder?(?: .*)?'),
  known('replit-agent', 'replit agent'),
  known('crush', 'crush'),
  known('mistral-vibe', 'mistral vibe'),
  known('sweep', 'sweep(?:-ai)?\\[bot\\]'),
];

/** Trailers whose value is an agent whatever it says, the most exact first. */
const AGENT_TRAILERS = [
  'colophon-agent',
  'ai-agent',
  'generated-by',
  'assisted-by',
  'ai-assistant',
  'ai-tool',
] as const;
const CO_AUTHOR = 'co-authored-by';

/** Characters of a name or trailer that is looked at. */
const LONGEST_VALUE = 1_000;

/**
 * The agent that a commit names in its trailers, or as its author or committer, with what further trailers say
 * (`Colophon-Model`, `Colophon-Prompt`). Anybody can write them, so nobody becomes a reviewer by `Reviewed-by`.
 * @returns undefined where it names none
 */
export function agentOfCommit(facts: CommitFacts, isOwnAgent: AgentMatcher = () => false): AgentEvidence | undefined {
  const trailers = facts.trailers.filter(({ value }) => value.length <= LONGEST_VALUE);
  const valuesOf = (key: string) =>
    trailers.filter((trailer) => trailer.key.toLowerCase() === key).map(({ value }) => value);
  const further: SaidOfAgent = {
    model: [...valuesOf('colophon-model'), ...valuesOf('ai-model')][0],
    prompt: valuesOf('colophon-prompt')[0],
  };
  for (const key of AGENT_TRAILERS) {
    for (const value of valuesOf(key)) {
      // `Assisted-by: Ann <ann@…>` thanks a person, unless it is one of ours.
      const person = /^(.*?)\s*<([^<>]*@[^<>]*)>/.exec(value);
      const said = person === null ? saidByTrailer(value) : saidOfPerson(person[1] ?? '', person[2] ?? '', isOwnAgent);
      if (said !== undefined) return evidenceOf('trailer', merged(said, further));
    }
  }
  for (const value of valuesOf(CO_AUTHOR)) {
    const [, name = value, email = ''] = /^(.*?)\s*<([^<>]*)>/.exec(value) ?? [];
    const said = saidOfPerson(name, email, isOwnAgent);
    if (said !== undefined) return evidenceOf('trailer', merged(said, further));
  }
  for (const { name, email } of [facts.author, facts.committer]) {
    if (name.length + email.length > LONGEST_VALUE) continue;
    const said = saidOfPerson(name, email, isOwnAgent);
    if (said !== undefined) return evidenceOf('author', merged(said, further));
  }
  return undefined;
}

/** `code-writer@2.4.1`, `Claude:claude-opus-4 [tools]`, `Claude Code`, `code-writer (large-model)`. */
function saidByTrailer(value: string): SaidOfAgent | undefined {
  const text = value
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/https?:\/\/\S+/g, ' ')
    .trim();
  if (text === '' || /^(?:none|no|human|n\/a)$/i.test(text)) return undefined;
  const named = /^([A-Za-z0-9][A-Za-z0-9._-]*)@(\S+)$/.exec(text);
  if (named !== null) return { agent: named[1], version: named[2] };
  const withModel = /^([^:()]+?)\s*(?::\s*(\S+)|\(([^()\s]+)\))$/.exec(text);
  if (withModel !== null) return { agent: withModel[1], model: withModel[2] ?? withModel[3] };
  return { agent: text };
}

function saidOfPerson(name: string, email: string, isOwnAgent: AgentMatcher): SaidOfAgent | undefined {
  const whole = email === '' ? name : `${name} <${email}>`;
  const found = agentOfAddress(email.trim()) ?? NAMED_AGENTS.find((one) => one.name.test(name.trim()))?.agent;
  if (found === undefined) {
    return [whole, name, email].some((text) => text !== '' && isOwnAgent(text)) ? { agent: name || email } : undefined;
  }
  // aider writes its model behind its name, or its name behind the person's.
  const behind = /\(([^()\s]+)\)$/.exec(name.trim())?.[1];
  return { agent: found, model: behind === found ? undefined : behind };
}

function merged(said: SaidOfAgent, further: SaidOfAgent): SaidOfAgent {
  return { ...said, ...Object.fromEntries(Object.entries(further).filter(([, value]) => value !== undefined)) };
}

/** A name alone counts where no person bears it; `Claude`, `Jules` and `Devin` need the address. */
function known(agent: string, name: string): NamedAgent {
  return { agent, name: new RegExp(`^(?:${name})$`, 'i') };
}
