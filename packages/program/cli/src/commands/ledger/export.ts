import { exportLedger, type WrittenRecords } from '@colophon/issuer';
import { frozenFile, ledgerRestores } from '@colophon/server/restore';
import type { Command } from 'commander';
import { readDatabase, readDatabaseFile } from '../../database/database.ts';
import { dataFolder } from '../../home/home.ts';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { escapedJson } from '../../terminal/json-text.ts';
import { counted, oneLine } from '../../terminal/terminal.ts';

/** `colophon ledger export`: everything that was issued. Reads only. */
export function defineExport(command: Command, { terminal, env }: Session): void {
  command.addHelpText('after', example('colophon ledger export --out ledger.json'));
  command
    .option('--out <file>', 'file to write the document to (default: standard output)')
    .addOption(outputOption())
    .action(({ out, output }: { out?: string; output: OutputFormat }, command: Command) => {
      const dataDir = dataFolder(env, dataFlag(command));
      const { frozen, records: newest } = readDatabase(dataDir, (db) => {
        const records = [...exportLedger(db)];
        return { frozen: ledgerRestores(db), records };
      });
      const files = frozen.map((restore) => frozenFile(dataDir, restore)).filter((file) => file !== undefined);
      const records = [...files.flatMap((file) => readDatabaseFile(file, (db) => [...exportLedger(db)])), ...newest];
      const text = `[${records.map((record) => `\n  ${escapedJson(JSON.stringify(record))}`).join(',')}\n]\n`;
      if (out === undefined) {
        terminal.stdout.write(text);
        return;
      }
      writeOutput(out, text);
      const result: WrittenRecords = { ok: true, out, record_count: records.length };
      printResult(terminal, output, result, () => `wrote ${oneLine(out)}, ${counted(records.length, 'record')}\n`);
    });
}
