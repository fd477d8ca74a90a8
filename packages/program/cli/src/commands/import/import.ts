import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const IMPORT_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'git-ai [options] [commit]',
    description: 'read the git-ai authorship log of a commit, in refs/notes/ai',
    load: async () => (await import('./noted-import.ts')).defineImportGitAi,
  },
  {
    term: 'agent-trace [options] [commit]',
    description: 'read the Agent Trace records of a commit, in .agent-trace/traces.jsonl',
    load: async () => (await import('./noted-import.ts')).defineImportAgentTrace,
  },
];

/** `colophon import …`: what agents' own tools noted, as a part of the predicate of a run. */
export function defineImport(command: Command, session: Session): void {
  addCommands(command, IMPORT_COMMANDS, session);
}
