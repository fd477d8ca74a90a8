import {
  type Issue,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ParseResult,
  parseStrictJson,
} from '@colophon/json';
import { parseCommitId } from '@colophon/records';
import { type AgentEvidence, evidenceOf, type SaidOfAgent } from './agent-evidence.ts';
import type { LineRange } from './line-range.ts';

/** Where the records of Agent Trace lie in a repository, by its reference implementation. */
export const AGENT_TRACE_FILE = '.agent-trace/traces.jsonl';

/** One Agent Trace record. */
export type TraceRecord<Author = AgentEvidence> = {
  /** The commit that the lines are counted in, or the one that was checked out while the agent wrote. */
  readonly revision: string;
  readonly files: ReadonlyArray<{ readonly path: string; readonly ranges: ReadonlyArray<LineRange<Author>> }>;
};

/** What becomes of the words of a record about an agent. */
type AuthorOf<Author> = (said: SaidOfAgent) => Author;

/** Every issue of an Agent Trace record. */
export const AGENT_TRACE_CODES = ['agent_trace.malformed', 'agent_trace.no_revision'] as const;

const LIMITS = { maxBytes: 4 * 1024 * 1024, maxDepth: 32 };

/**
 * Reads one line of a file of Agent Trace records.
 * @returns issues `agent_trace.malformed`, `agent_trace.no_revision` for a record that is bound to no git commit
 * @see https://agent-trace.dev, version 0.1
 */
export function parseTraceRecord(line: Uint8Array): ParseResult<TraceRecord> {
  return readTraceRecord(line, (said) => evidenceOf('agent-trace', said));
}

/** The same, with what the record says of each agent in its own words. */
export function readTraceRecord<Author>(
  line: Uint8Array,
  authorOf: AuthorOf<Author>,
): ParseResult<TraceRecord<Author>> {
  const json = parseStrictJson(line, LIMITS);
  if (!json.ok || !isJsonObject(json.value)) return failed('', 'it is no JSON object');
  const { version, files, vcs, tool } = json.value;
  if (typeof version !== 'string') return failed('/version', 'it has no version');
  if (!Array.isArray(files)) return failed('/files', 'it has no list of files');
  const said = isObject(tool) ? { agent: text(tool['name']), version: text(tool['version']) } : {};
  const read: Array<TracedFile<Author>> = [];
  for (const [i, file] of files.entries()) {
    const found = readFile(file, `/files/${i}`, (model) => authorOf({ ...said, model }));
    if (!found.ok) return found;
    read.push(found.value);
  }
  const revision = isObject(vcs) && vcs['type'] === 'git' ? text(vcs['revision']) : undefined;
  if (revision === undefined || parseCommitId(revision) === undefined) {
    return {
      ok: false,
      issues: [
        {
          path: '/vcs',
          code: 'agent_trace.no_revision',
          message: 'it names no git commit, so its lines cannot be found',
        },
      ],
    };
  }
  return { ok: true, value: { revision, files: read } };
}

type TracedFile<Author> = TraceRecord<Author>['files'][number];

/** @param authorOf the author whose model a record names, or leaves out */
function readFile<Author>(
  file: JsonValue,
  at: string,
  authorOf: (model: string | undefined) => Author,
): ParseResult<TracedFile<Author>> {
  const path = isObject(file) ? text(file['path']) : undefined;
  const conversations = isObject(file) ? file['conversations'] : undefined;
  if (path === undefined || !Array.isArray(conversations)) return failed(at, 'a file without path or conversations');
  const ranges: Array<LineRange<Author>> = [];
  for (const [i, conversation] of conversations.entries()) {
    const list = isObject(conversation) ? conversation['ranges'] : undefined;
    if (!isObject(conversation) || !Array.isArray(list))
      return failed(`${at}/conversations/${i}`, 'a conversation without ranges');
    for (const [j, range] of list.entries()) {
      const start = isObject(range) ? range['start_line'] : undefined;
      const end = isObject(range) ? range['end_line'] : undefined;
      if (!isObject(range) || !isLine(start) || !isLine(end) || end < start) {
        return failed(`${at}/conversations/${i}/ranges/${j}`, 'a range without lines');
      }
      const contributor = range['contributor'] ?? conversation['contributor'];
      const { type, model_id } = isObject(contributor) ? contributor : {};
      // Only `human` says that it was no agent: records are written by agents, about what they did.
      ranges.push({ start, end, evidence: type === 'human' ? undefined : authorOf(text(model_id)) });
    }
  }
  return { ok: true, value: { path: path.replace(/^\.\//, ''), ranges } };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isJsonObject(value);
}

function isLine(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function failed(path: string, message: string): { readonly ok: false; readonly issues: readonly Issue[] } {
  const code: (typeof AGENT_TRACE_CODES)[number] = 'agent_trace.malformed';
  return { ok: false, issues: [{ path, code, message }] };
}
