import { compareTexts } from '@colophon/notation';
import type { SaidOfAgent } from './agent-evidence.ts';
import type { LineRange, RangesByFile } from './line-range.ts';

/** Who wrote a line, in the words of a note; what the note leaves out is absent. */
export type NotedAuthor = {
  readonly agent?: string;
  readonly version?: string;
  readonly model?: string;
  readonly provider?: string;
};

/** An agent with one model, as notes name it, and the lines that are theirs. The version is absent where notes disagree. */
export type NotedAgent = NotedAuthor & { readonly lineCount: number };

/** What a git-ai authorship log says of an agent: the tool and its model, as the tool writes it. */
export function notedInGitAi({ agent, model }: SaidOfAgent): NotedAuthor {
  return withoutUnknown({ agent, model });
}

/** What an Agent Trace record says of an agent. `model_id` is `provider/model-name` (§6.7); without a `/` it is the model's. */
export function notedInTrace({ agent, version, model = '' }: SaidOfAgent): NotedAuthor {
  const [, provider, name = model] = /^([^/]+)\/(.+)$/s.exec(model) ?? [];
  return withoutUnknown({ agent, version, model: name, provider });
}

/** Tools write `unknown` where they do not know. */
function withoutUnknown(said: { readonly [field in keyof NotedAuthor]: string | undefined }): NotedAuthor {
  return Object.fromEntries(
    Object.entries(said).filter(([, text]) => text !== undefined && text.trim() !== '' && text !== 'unknown'),
  );
}

/** Every agent with each of its models that some line is theirs, the one with most lines first. A line is its last range's. */
export function countNotedAgents(files: RangesByFile<NotedAuthor>): readonly NotedAgent[] {
  const found = new Map<string, { author: NotedAuthor; versions: Set<string | undefined>; lineCount: number }>();
  for (const ranges of files.values()) {
    eachOwnLines(ranges, (author, lines) => {
      const key = JSON.stringify([author.agent, author.provider, author.model]);
      const known = found.get(key) ?? { author, versions: new Set(), lineCount: 0 };
      found.set(key, known);
      known.versions.add(author.version);
      known.lineCount = Math.min(known.lineCount + lines, Number.MAX_SAFE_INTEGER);
    });
  }
  return [...found.values()].map(agentOf).sort(byLines);
}

/** Tells how many lines of each range no later one has, where an agent wrote them. */
function eachOwnLines(
  ranges: ReadonlyArray<LineRange<NotedAuthor>>,
  tell: (author: NotedAuthor, lines: number) => void,
): void {
  const edges = [...new Set(ranges.flatMap(({ start, end }) => [start, end + 1]))].sort((a, b) => a - b);
  const indexOf = new Map(edges.map((edge, i) => [edge, i]));
  // Of the lines from one edge to the next: where to look on, once a later range has them.
  const onward = edges.map((_, i) => i);
  const firstFree = (from: number): number => {
    let at = from;
    while (onward[at] !== at) {
      onward[at] = onward[onward[at]!]!;
      at = onward[at]!;
    }
    return at;
  };
  for (const { start, end, evidence } of ranges.toReversed()) {
    const last = indexOf.get(end + 1)!;
    let lines = 0;
    for (let at = firstFree(indexOf.get(start)!); at < last; at = firstFree(at)) {
      lines += edges[at + 1]! - edges[at]!;
      onward[at] = at + 1;
    }
    if (evidence !== undefined && lines > 0) tell(evidence, lines);
  }
}

function agentOf({
  author: { version, ...author },
  versions,
  lineCount,
}: {
  readonly author: NotedAuthor;
  readonly versions: ReadonlySet<string | undefined>;
  readonly lineCount: number;
}): NotedAgent {
  return { ...author, ...(version !== undefined && versions.size === 1 && { version }), lineCount };
}

function byLines(one: NotedAgent, other: NotedAgent): number {
  const nameOf = ({ agent, provider, model }: NotedAgent) => JSON.stringify([agent, provider, model]);
  return other.lineCount - one.lineCount || compareTexts(nameOf(one), nameOf(other));
}

/** Which of several agents is meant: its name, and its model's identifier alone or as `provider/model`. */
export type WantedAgent = { readonly agent?: string | undefined; readonly model?: string | undefined };

/**
 * The one of some agents that is meant, and of several that are the one with most lines.
 * @returns all that have equally many lines, or none where nobody is meant
 */
export function chooseNotedAgent(
  agents: readonly NotedAgent[],
  wanted: WantedAgent,
): { readonly ok: true; readonly value: NotedAgent } | { readonly ok: false; readonly equal: readonly NotedAgent[] } {
  const meant = agents.filter(
    ({ agent, model, provider }) =>
      (wanted.agent === undefined || wanted.agent === agent) &&
      (wanted.model === undefined || wanted.model === model || wanted.model === `${provider}/${model}`),
  );
  const most = Math.max(...meant.map(({ lineCount }) => lineCount));
  const [first, ...others] = meant.filter(({ lineCount }) => lineCount === most);
  return first !== undefined && others.length === 0
    ? { ok: true, value: first }
    : { ok: false, equal: first === undefined ? [] : [first, ...others] };
}
