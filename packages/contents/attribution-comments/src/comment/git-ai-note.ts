import {
  type Issue,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ParseResult,
  parseStrictJson,
} from '@colophon/json';
import { evidenceOf, type SaidOfAgent } from './agent-evidence.ts';
import type { LineRange, RangesByFile } from './line-range.ts';

/** Where git-ai keeps its notes. */
export const GIT_AI_NOTES = 'refs/notes/ai';

/** Every issue of a git-ai note. */
export const GIT_AI_CODES = ['git_ai.malformed'] as const;

const LIMITS = { maxBytes: 16 * 1024 * 1024, maxDepth: 64 };
const MOST_RANGES = 200_000;
/** A line number that no file has. */
const LAST_LINE = 100_000_000;

/**
 * Reads a git-ai authorship log: who wrote which lines of the commit's own version of each file.
 * @returns every line that names an agent or a known person; issues `git_ai.malformed`
 * @see Git AI Standard 3.0.0 §1.2
 */
export function parseGitAiNote(bytes: Uint8Array): ParseResult<RangesByFile> {
  return readGitAiNote(bytes, (said) => evidenceOf('git-ai', said));
}

/**
 * The same, with what the log says of each agent in its own words.
 * @param authorOf what becomes of them; asked once for each line of the log
 */
export function readGitAiNote<Author>(
  bytes: Uint8Array,
  authorOf: (said: SaidOfAgent) => Author,
): ParseResult<RangesByFile<Author>> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
  } catch {
    return malformed('', 'it is not UTF-8');
  }
  const divider = text.startsWith('---\n') ? 0 : text.indexOf('\n---\n') + 1;
  if (divider === 0 && !text.startsWith('---\n')) return malformed('', 'no line --- divides it');
  const json = parseStrictJson(new TextEncoder().encode(text.slice(divider + 4)), LIMITS);
  if (!json.ok || !isJsonObject(json.value)) return malformed('', 'what follows --- is no JSON object');
  const version = json.value['schema_version'];
  if (typeof version !== 'string' || !version.startsWith('authorship/3.')) {
    return malformed('/schema_version', 'it is no authorship log of version 3');
  }
  return readAttestations(text.slice(0, divider), json.value, authorOf);
}

function readAttestations<Author>(
  text: string,
  metadata: JsonObject,
  authorOf: (said: SaidOfAgent) => Author,
): ParseResult<RangesByFile<Author>> {
  const files = new Map<string, Array<LineRange<Author>>>();
  let ranges: Array<LineRange<Author>> | undefined;
  let count = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    if (!/^[ \t]/.test(line)) {
      const path = /^"(.*)"$/.exec(line)?.[1] ?? line;
      ranges = files.get(path) ?? [];
      files.set(path, ranges);
      continue;
    }
    const [, key, spec] = /^\s+(\S+) ([0-9,-]+)$/.exec(line) ?? [];
    if (key === undefined || spec === undefined || ranges === undefined) {
      return malformed('', `${JSON.stringify(line.slice(0, 80))} is no attestation`);
    }
    const said = saidOf(key, metadata);
    const evidence = said && authorOf(said);
    for (const part of spec.split(',')) {
      const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? [];
      const start = Number(from);
      const end = Number(to);
      if (!(start >= 1 && end >= start && end <= LAST_LINE))
        return malformed('', `${JSON.stringify(part)} is no range of lines`);
      count += 1;
      if (count > MOST_RANGES) return malformed('', `it has more than ${MOST_RANGES} ranges`);
      ranges.push({ start, end, evidence });
    }
  }
  return { ok: true, value: files };
}

/** A session or prompt is an agent's; `h_` marks a person. What the metadata does not explain is an agent without a name. */
function saidOf(key: string, metadata: JsonObject): SaidOfAgent | undefined {
  if (key.startsWith('h_')) return undefined;
  const isSession = key.startsWith('s_');
  const record = member(member(metadata, isSession ? 'sessions' : 'prompts'), key.split('::')[0] as string);
  const agent = member(record, 'agent_id');
  return { agent: textOf(agent, 'tool'), model: textOf(agent, 'model') };
}

function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function textOf(value: JsonValue | undefined, key: string): string | undefined {
  const text = member(value, key);
  return typeof text === 'string' ? text : undefined;
}

function malformed(path: string, message: string): { readonly ok: false; readonly issues: readonly Issue[] } {
  const code: (typeof GIT_AI_CODES)[number] = 'git_ai.malformed';
  return { ok: false, issues: [{ path, code, message }] };
}
