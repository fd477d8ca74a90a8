import {
  type Issue,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ParseResult,
  parseStrictJson,
} from '@colophon/json';
import { parseCommitId } from '@colophon/records';
import { type AgentEvidence, evidenceOf } from './agent-evidence.ts';
import type { LineRange } from './line-range.ts';

/** Where the records of Agent Trace lie in a repository, by its reference implementation. */
export const AGENT_TRACE_FILE = '.agent-trace/traces.jsonl';

/** One Agent Trace record. */
export type TraceRecord = {
  /** The commit that the lines are counted in, or the one that was checked out while the agent wrote. */
  readonly revision: string;
  readonly files: ReadonlyArray<{ readonly path: string; readonly ranges: readonly LineRange[] }>;
};

/** Every issue of an Agent Trace record. */
export const AGENT_TRACE_CODES = ['agent_trace.malformed', 'agent_trace.no_revision'] as const;

const LIMITS = { maxBytes: 4 * 1024 * 1024, maxDepth: 32 };

/**
 * Reads one line of a file of Agent Trace records.
 * @returns issues `agent_trace.malformed`, `agent_trace.no_revision` for a record that is bound to no git commit
 * @see https://agent-trace.dev, version 0.1
 */
export function parseTraceRecord(line: Uint8Array): ParseResult<TraceRecord> {
  const json = parseStrictJson(line, LIMITS);
  if (!json.ok || !isJsonObject(json.value)) return failed('', 'it is no JSON object');
  const { version, files, vcs, tool } = json.value;
  if (typeof version !== 'string') return failed('/version', 'it has no version');
  if (!Array.isArray(files)) return failed('/files', 'it has no list of files');
  const said = isObject(tool) ? { agent: text(tool['name']), version: text(tool['version']) } : {};
  const read: Array<{ path: string; ranges: LineRange[] }> = [];
  for (const [i, file] of files.entries()) {
    const found = readFile(file, `/files/${i}`, said);
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

type Said = { readonly agent?: string | undefined; readonly version?: string | undefined };

function readFile(file: JsonValue, at: string, said: Said): ParseResult<{ path: string; ranges: LineRange[] }> {
  const path = isObject(file) ? text(file['path']) : undefined;
  const conversations = isObject(file) ? file['conversations'] : undefined;
  if (path === undefined || !Array.isArray(conversations)) return failed(at, 'a file without path or conversations');
  const ranges: LineRange[] = [];
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
      ranges.push({ start, end, evidence: contributorOf(contributor, said) });
    }
  }
  return { ok: true, value: { path: path.replace(/^\.\//, ''), ranges } };
}

/** Only `human` says that it was none: records are written by agents, about what they did. */
function contributorOf(contributor: JsonValue | undefined, said: Said): AgentEvidence | undefined {
  const type = isObject(contributor) ? contributor['type'] : undefined;
  if (type === 'human') return undefined;
  return evidenceOf('agent-trace', {
    ...said,
    model: isObject(contributor) ? text(contributor['model_id']) : undefined,
  });
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
  return { ok: false, issues: [{ path, code: 'agent_trace.malformed', message }] };
}
