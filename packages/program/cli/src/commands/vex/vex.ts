import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const VEX_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'show [options] <file>',
    description: 'list the statements of a VEX document of any shape',
    load: async () => (await import('./show.ts')).defineShow,
  },
  {
    term: 'validate [options] <file...>',
    description: 'check VEX documents: OpenVEX v0.2.0 strictly, CycloneDX, CSAF; exit 20 if one is invalid',
    load: async () => (await import('./validate.ts')).defineValidate,
  },
  {
    term: 'convert [options] <file>',
    description: 'write a VEX document of any shape (OpenVEX, CycloneDX, CSAF) in another one',
    load: async () => (await import('./convert.ts')).defineConvert,
  },
  {
    term: 'merge [options] <file...>',
    description: 'merge VEX documents of any shape into one OpenVEX document; exit 20 where they contradict each other',
    load: async () => (await import('./merge.ts')).defineMerge,
  },
  {
    term: 'create [options]',
    description: 'make a VEX document with one statement',
    load: async () => (await import('./create.ts')).defineCreate,
  },
  {
    term: 'set [options] <file>',
    description: 'add a statement to a VEX document; what was said before stays in it',
    load: async () => (await import('./set.ts')).defineSet,
  },
  {
    term: 'sign [options] <file>',
    description: 'sign a VEX document; FILE.sigstore.json and FILE.asc are written beside it',
    load: async () => (await import('./sign.ts')).defineSign,
  },
  {
    term: 'verify [options] <file>',
    description: 'verify the signatures beside a VEX document: FILE.sigstore.json and FILE.asc',
    load: async () => (await import('./verify.ts')).defineVerify,
  },
  {
    term: 'apply [options] <file...>',
    description: 'apply VEX statements to findings: which statement counts for each, and why others match nothing',
    load: async () => (await import('./apply.ts')).defineApply,
  },
];

/** `colophon vex …`: what matters, in the order in which a document goes through the commands. */
export function defineVex(vex: Command, session: Session): void {
  addCommands(vex, VEX_COMMANDS, session);
}
