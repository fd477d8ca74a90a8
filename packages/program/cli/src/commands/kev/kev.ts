import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const KEV_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'update [options]',
    description: 'fetch the known-exploited catalog and keep it; where a feed is refused, the last good copy stays',
    load: async () => (await import('./update.ts')).defineUpdate,
  },
  {
    term: 'enrich [options] <file...>',
    description: 'add to each finding its catalog entry, priority and due time; JSON has every field',
    load: async () => (await import('./enrich.ts')).defineEnrich,
  },
  {
    term: 'status [options]',
    description:
      'the catalog that is kept: version, entries, feed, when it was fetched and checked, whether it is stale',
    load: async () => (await import('./status.ts')).defineStatus,
  },
  {
    term: 'show [options] <cve>',
    description: 'the catalog’s entry for one CVE; exit 11 where it has none',
    load: async () => (await import('./show.ts')).defineShow,
  },
  {
    term: 'history [options] [cve]',
    description: 'kept catalogs and what changed in each; for one CVE, when it was added, changed and removed',
    load: async () => (await import('./history.ts')).defineHistory,
  },
  {
    term: 'diff [options] <before> <after>',
    description: 'what changed between two catalogs: files, or versions or digests of catalogs that are kept',
    load: async () => (await import('./diff.ts')).defineDiff,
  },
];

/** `colophon kev …`: known-exploited catalogs, in the order in which the commands are used. */
export function defineKev(kev: Command, session: Session): void {
  addCommands(kev, KEV_COMMANDS, session);
}
