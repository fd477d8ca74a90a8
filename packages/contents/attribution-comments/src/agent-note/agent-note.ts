import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GitOptions,
  listTouchedFiles,
  type Repository,
  readCommits,
  readFileAt,
  readNotes,
} from '@colophon/forge';
import type { EvidenceProblem } from '../agent-lines/commit-evidence.ts';
import { notAFile } from '../agent-lines/working-file.ts';
import { AGENT_TRACE_FILE } from '../comment/agent-trace.ts';
import { GIT_AI_NOTES, readGitAiNote } from '../comment/git-ai-note.ts';
import type { RangesByFile } from '../comment/line-range.ts';
import { countNotedAgents, type NotedAgent, notedInGitAi, notedInTrace } from '../comment/noted-agent.ts';
import { readTraceFile } from '../comment/trace-file.ts';

/** What an agent's own tool noted about one commit. */
export type AgentNote = {
  /** Those that wrote some line, the one with most lines first; empty where nothing was noted. */
  readonly agents: readonly NotedAgent[];
  /** The commit that the notes name: itself, or its parent, which was checked out while the agent wrote. */
  readonly revision: string | undefined;
  /** Where the notes are, or would be: a ref, or a file of the commit or of the working tree. */
  readonly place: string;
  /** What is there and cannot be read. */
  readonly problems: readonly EvidenceProblem[];
  /** Whether any of it could be read, about whichever commit. */
  readonly hasRecords: boolean;
};

/** What the git-ai authorship log of a commit says. @throws ForgeError */
export async function readGitAiAgents(
  repository: Repository,
  commit: string,
  options: GitOptions = {},
): Promise<AgentNote> {
  const notes = await readNotes(repository, GIT_AI_NOTES, (sha) => sha === commit, options);
  const bytes = notes.get(commit);
  const note = bytes === undefined ? undefined : readGitAiNote(bytes, notedInGitAi);
  const isRead = note?.ok === true;
  return {
    agents: isRead ? countNotedAgents(note.value) : [],
    revision: isRead ? commit : undefined,
    place: GIT_AI_NOTES,
    problems:
      note === undefined || note.ok ? [] : note.issues.map(({ code, message }) => ({ code, path: commit, message })),
    hasRecords: isRead,
  };
}

/**
 * What the Agent Trace records of a commit say: those in the file as the commit has it, or, where none of them is about
 * the commit, in the file of the working tree. Records count where they name the commit, else its first parent, and
 * only for files that the commit changed: tools also trace commands and sessions, under names of no files.
 * @throws ForgeError
 */
export async function readTracedAgents(
  repository: Repository,
  commit: string,
  options: GitOptions = {},
): Promise<AgentNote> {
  const [{ parents } = { parents: [] }] = await readCommits(repository, [commit], options);
  const revisions = [commit, ...parents.slice(0, 1)];
  const range = { to: commit, commits: [commit] };
  const { files } = await listTouchedFiles(repository, range, () => true, options);
  const changed = new Set(files.map(({ path }) => path));
  const committed = await readFileAt(repository.root, commit, AGENT_TRACE_FILE, options);
  const ofCommit = tracedIn(committed, revisions, changed);
  if (ofCommit.agents.length > 0) return { ...ofCommit, place: `${AGENT_TRACE_FILE} of the commit` };
  const written = readWorkingFile(repository);
  const isSame = written !== undefined && committed?.equals(written) === true;
  const ofTree = tracedIn(isSame ? undefined : written, revisions, changed);
  if (ofTree.agents.length > 0) return { ...ofTree, place: `${AGENT_TRACE_FILE} of the working tree` };
  return {
    ...NOTHING,
    place: AGENT_TRACE_FILE,
    problems: [...ofCommit.problems, ...ofTree.problems],
    hasRecords: ofCommit.hasRecords || ofTree.hasRecords,
  };
}

const NOTHING = { agents: [], revision: undefined };

function tracedIn(
  bytes: Buffer | undefined,
  revisions: readonly string[],
  changed: ReadonlySet<string>,
): Omit<AgentNote, 'place'> {
  const file = readTraceFile(bytes ?? Buffer.alloc(0), notedInTrace);
  const problems = file.problems.map(({ line, code, message }) => ({
    code,
    path: `${AGENT_TRACE_FILE}:${line}`,
    message,
  }));
  const hasRecords = file.byRevision.size > 0;
  for (const revision of revisions) {
    const agents = countNotedAgents(only(file.byRevision.get(revision) ?? new Map(), changed));
    if (agents.length > 0) return { agents, revision, problems, hasRecords };
  }
  return { ...NOTHING, problems, hasRecords };
}

function only<Author>(files: RangesByFile<Author>, changed: ReadonlySet<string>): RangesByFile<Author> {
  return new Map([...files].filter(([path]) => changed.has(path)));
}

function readWorkingFile({ root, isBare }: Repository): Buffer | undefined {
  const file = join(root, AGENT_TRACE_FILE);
  return isBare || notAFile(root, file) !== undefined ? undefined : readFileSync(file);
}
