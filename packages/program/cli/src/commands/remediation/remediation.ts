import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const REMEDIATION_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'open [options]',
    description: 'open a record for each vulnerability in each component; doing it again adds what is new',
    load: async () => (await import('./open.ts')).defineOpen,
  },
  {
    term: 'list [options]',
    description: 'records as they stand now, the most urgent first',
    load: async () => (await import('./list.ts')).defineList,
  },
  {
    term: 'show [options] <record>',
    description: 'show every field of a record, with its history and evidence',
    load: async () => (await import('./show.ts')).defineShow,
  },
  {
    term: 'update [options] [record...]',
    description: 'set owner, decision and dates of records; all of them are changed, or none',
    load: async () => (await import('./update.ts')).defineUpdate,
  },
  {
    term: 'escalate [options]',
    description: 'raise the priority of open records whose vulnerability is in the known-exploited catalog now',
    load: async () => (await import('./escalate.ts')).defineEscalate,
  },
  {
    term: 'close [options] <record...>',
    description:
      'close records as fixed, by a scan of a newer SBOM that no longer lists them, or as not affected, by a signed VEX document',
    load: async () => (await import('./close.ts')).defineClose,
  },
  {
    term: 'void [options] <record...>',
    description: 'set open records aside: opened by mistake, or the advisory was withdrawn; a later scan reopens them',
    load: async () => (await import('./void.ts')).defineVoid,
  },
  {
    term: 'verify [options] <record>',
    description: 'verify the signature over a closed record, as it is kept now',
    load: async () => (await import('./verify.ts')).defineVerify,
  },
  {
    term: 'export [options]',
    description: 'every record as a JSON array, sorted by id: the file that the quarterly report is made of',
    load: async () => (await import('./export.ts')).defineExport,
  },
  {
    term: 'evidence [options] <digest>',
    description: 'write a document that a record names: SBOM, scan, VEX document or signature, byte for byte',
    load: async () => (await import('./evidence.ts')).defineEvidence,
  },
];

/** `colophon remediation …`: records, in the order in which the commands are used. */
export function defineRemediation(remediation: Command, session: Session): void {
  addCommands(remediation, REMEDIATION_COMMANDS, session);
}
