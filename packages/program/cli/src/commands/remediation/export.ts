import type { Command } from 'commander';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';
import { atDesk } from '../../remediation-desk/desk-session.ts';
import { assertWritableOut, outOption } from '../../sbom-file/sbom-output.ts';
import { escapedJson } from '../../terminal/json-text.ts';
import { counted, oneLine } from '../../terminal/terminal.ts';
import { type TriageDatabaseFlags, withTriageDatabase } from '../../triage-database/triage-database.ts';

type ExportFlags = TriageDatabaseFlags & { readonly productName?: string; readonly out?: string };

/** `colophon remediation export`: the file of records that the quarterly report names (contract §2.10). */
export function defineExport(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon remediation export --out records.json'))
    .option('--product-name <name>', 'only of this product')
    .addOption(outOption());
  withTriageDatabase(command).action(async (flags: ExportFlags, command: Command) => {
    assertWritableOut(flags.out);
    const filter = flags.productName === undefined ? {} : { product: flags.productName };
    const at = new Date().toISOString();
    const records = await atDesk(flags, command, session, (desk) => desk.list(filter, at));
    const sorted = records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const text = `[${sorted.map((record) => `\n${escapedJson(JSON.stringify(record))}`).join(',')}\n]\n`;
    if (flags.out === undefined || flags.out === '-') session.terminal.stdout.write(text);
    else {
      writeOutput(flags.out, text);
      session.terminal.stderr.write(`${counted(sorted.length, 'record')} written to ${oneLine(flags.out)}\n`);
    }
  });
}
