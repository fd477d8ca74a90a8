import { exportLedger } from '@colophon/issuer';
import type { Command } from 'commander';
import { readDatabase } from '../../database/database.ts';
import { dataFolder } from '../../home/home.ts';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';

/** `colophon ledger export`: everything that was issued. Reads only. */
export function defineExport(command: Command, { terminal, env }: Session): void {
  command.addHelpText('after', example('colophon ledger export --out ledger.json'));
  command
    .option('--out <file>', 'file to write the document to (default: standard output)')
    .addOption(outputOption())
    .action(({ out }: { out?: string }, command: Command) => {
      const records = readDatabase(dataFolder(env, dataFlag(command)), (db) => [...exportLedger(db)]);
      const text = `[${records.map((record) => `\n  ${JSON.stringify(record)}`).join(',')}\n]\n`;
      if (out === undefined) terminal.stdout.write(text);
      else writeOutput(out, text);
    });
}
