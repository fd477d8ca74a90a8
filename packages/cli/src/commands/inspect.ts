import { formatInspection, inspect } from '@colophon/sigstore';
import type { Command } from 'commander';
import { readInput } from '../input/input.ts';
import { outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';

/** `colophon inspect FILE`: what stands in a token, certificate, bundle, log entry, envelope, statement or trusted root. */
export function addInspectCommand(program: Command, { terminal }: Session): void {
  program
    .command('inspect <file>')
    .description(
      'decode a token, certificate, bundle, log entry, envelope, statement or trusted root (- for standard input)',
    )
    .addOption(outputOption())
    .action(async (file: string, { output }: { output: OutputFormat }) => {
      printResult(
        terminal,
        output,
        inspect(await readInput(file)),
        (found) => `${formatInspection(found).join('\n')}\n`,
      );
    });
}
