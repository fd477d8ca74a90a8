import { formatInspection, inspect } from '@colophon/sigstore';
import type { Command } from 'commander';
import { withFacts } from '../cli-error/cli-error.ts';
import { readInput } from '../input/input.ts';
import { outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';

/** `colophon inspect FILE`: what stands in a token, certificate, bundle, log entry, envelope, statement or trusted root. */
export function defineInspect(command: Command, { terminal }: Session): void {
  command.addOption(outputOption()).action(async (file: string, { output }: { output: OutputFormat }) => {
    const bytes = await readInput(file);
    const inspection = await withFacts({ checked: file }, async () => inspect(bytes));
    printResult(terminal, output, inspection, (found) => `${formatInspection(found).join('\n')}\n`);
  });
}
