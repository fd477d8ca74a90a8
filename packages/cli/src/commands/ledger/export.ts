import { exportLedger } from '@colophon/issuer';
import type { Command } from 'commander';
import { readDatabase } from '../../database/database.ts';
import { dataFolder } from '../../home/home.ts';
import { writeOutput } from '../../input/input.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';

/** `colophon ledger export`: everything that was issued. Reads only. */
export function defineExport(command: Command, { terminal, env }: Session): void {
  command
    .option('--file <file>', 'write it there instead')
    .addOption(outputOption())
    .action(({ file }: { file?: string }, command: Command) => {
      const records = readDatabase(dataFolder(env, dataFlag(command)), (db) => [...exportLedger(db)]);
      const text = `[${records.map((record) => `\n  ${JSON.stringify(record)}`).join(',')}\n]\n`;
      if (file === undefined) terminal.stdout.write(text);
      else writeOutput(file, text);
    });
}
