import type { VexDocument } from '@colophon/triage';
import type { Command } from 'commander';
import { buildTime } from '../../build-time/build-time.ts';
import { writeOutput } from '../../input/input.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { assertWritableOut, isOnStdout, outOption } from '../../sbom-file/sbom-output.ts';
import { formatTable, shellWord } from '../../terminal/terminal.ts';
import { formatVex } from '../../vex-file/vex-file.ts';
import { readFixProof, type StatementFlags, statementOf, withStatement } from './statement-flags.ts';

type CreateFlags = StatementFlags & {
  readonly author: string;
  readonly role?: string;
  readonly id?: string;
  readonly out?: string;
  readonly output: OutputFormat;
};

/** `colophon vex create`: a new OpenVEX document with one statement (contract §2.6). */
export function addCreateCommand(vex: Command, session: Session): void {
  withStatement(vex.command('create').description('make a VEX document with one statement'))
    .requiredOption('--author <name>', 'who says it: a person or an organisation; the signature shows that it is so')
    .option('--role <text>', 'in which role the author says it')
    .option('--id <iri>', 'IRI of the document (default: made from its content)')
    .addOption(outOption())
    .addOption(outputOption())
    .action(async (flags: CreateFlags) => {
      assertWritableOut(flags.out);
      const { assertTransitions, writeVexDocument } = await import('@colophon/triage');
      const at = buildTime(session.env);
      const statement = await statementOf(flags, at);
      const { reason, proof } = flags;
      assertTransitions([], statement, {
        reason,
        ...(proof === undefined ? {} : { proof: await readFixProof(proof, statement) }),
      });
      const { author, role, id, out } = flags;
      const model: VexDocument = {
        format: 'openvex',
        ...(id === undefined ? {} : { id }),
        author,
        ...(role === undefined ? {} : { role }),
        timestamp: at,
        version: 1,
        tooling: 'colophon',
        statements: [statement],
      };
      const { document } = writeVexDocument(model, { profile: 'openvex', at });
      const text = formatVex(document);
      if (isOnStdout(out)) {
        session.terminal.stdout.write(text);
        return;
      }
      writeOutput(out as string, text);
      const { status, vulnerability } = statement;
      printResult(
        session.terminal,
        flags.output,
        { ok: true, file: out, version: 1, vulnerability: vulnerability.name, status },
        () =>
          formatTable([
            ['made', out as string],
            ['says', `${vulnerability.name} is ${status}`],
            ['next', `colophon vex sign ${shellWord(out as string)} --reviewer E-MAIL`],
          ]),
      );
    });
}
