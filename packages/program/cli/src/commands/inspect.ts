import { formatInspection, inspect } from '@colophon/sigstore';
import type { Command } from 'commander';
import { withFacts } from '../cli-error/cli-error.ts';
import { ownNamespace } from '../home/namespace.ts';
import { readInput } from '../input/input.ts';
import { example } from '../program/example.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';

/** `colophon inspect FILE`: what stands in a token, certificate, bundle, log entry, envelope, statement or trusted root. */
export function defineInspect(command: Command, { terminal, env }: Session): void {
  command.addHelpText('after', example('colophon inspect change.patch.sigstore.json'));
  command
    .addOption(outputOption())
    .action(async (file: string, { output }: { output: OutputFormat }, command: Command) => {
      const bytes = await readInput(file);
      const { claimArc } = ownNamespace(env, dataFlag(command));
      const inspection = await withFacts({ checked: file }, async () => inspect(bytes, claimArc));
      printResult(terminal, output, { ok: true, ...inspection }, (found) => `${formatInspection(found).join('\n')}\n`);
    });
}
