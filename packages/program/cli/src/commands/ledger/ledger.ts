import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const LEDGER_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'verify [options]',
    description: 'recompute every leaf, tree and checkpoint; or have an issuer prove that nothing was removed since',
    load: async () => (await import('./verify.ts')).defineVerify,
  },
  {
    term: 'checkpoint [options]',
    description: 'print the newest checkpoint, to be kept where the issuer cannot reach it',
    load: async () => (await import('./checkpoint.ts')).defineCheckpoint,
  },
  {
    term: 'restore [options]',
    description: 'freeze a ledger that must not go on, and begin another whose first row says why',
    load: async () => (await import('./restore.ts')).defineRestore,
  },
  {
    term: 'export [options]',
    description: 'print every issuance record as one JSON array, oldest first',
    load: async () => (await import('./export.ts')).defineExport,
  },
  {
    term: 'reconcile [options]',
    description: 'hold every certificate in a log that names this issuer against the ledger, claim by claim',
    load: async () => (await import('./reconcile.ts')).defineReconcile,
  },
  {
    term: 'erase [options] <jti>',
    description: 'erase what the row of a token holds of people; its leaf and its proof stay',
    load: async () => (await import('./erase.ts')).defineErase,
  },
];

/** `colophon ledger …`: what was issued, and that nothing was issued off the books. */
export function defineLedger(ledger: Command, session: Session): void {
  addCommands(ledger, LEDGER_COMMANDS, session);
}
