import { existsSync } from 'node:fs';
import { addStatement } from '@colophon/vex';
import type { Command } from 'commander';
import { buildTime } from '../../build-time/build-time.ts';
import { withFacts } from '../../cli-error/cli-error.ts';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { assertWritableOut, isOnStdout } from '../../sbom-file/sbom-output.ts';
import { coloursFor, formatTable, oneLine, shellWord } from '../../terminal/terminal.ts';
import type { VexSetResult } from '../../vex-file/vex-document-result.ts';
import { formatVex, readAmendableVex } from '../../vex-file/vex-file.ts';
import { signatureFiles } from './signature-files.ts';
import { readFixProof, type StatementFlags, statementOf, withStatement } from './statement-flags.ts';

type SetFlags = StatementFlags & { readonly out?: string; readonly output: OutputFormat };

/** `colophon vex set`: one statement more, by the rules for changes of status (contract §3). */
export function defineSet(command: Command, session: Session): void {
  withStatement(
    command.addHelpText(
      'after',
      example(
        'colophon vex set app.openvex.json --vulnerability CVE-2021-44228 \\',
        "  --status affected --action 'Update log4j to 2.17.1' --sbom app.cdx.json",
      ),
    ),
  )
    .option('--out <file>', 'file to write the document to (default: the document itself)')
    .addOption(outputOption())
    .action(async (file: string, flags: SetFlags) => {
      const out = flags.out ?? file;
      assertWritableOut(out);
      const { document, json } = await readAmendableVex(file);
      const said = await statementOf(flags, buildTime(session.env));
      const { reason, proof } = flags;
      const context = { reason, ...(proof === undefined ? {} : { proof: await readFixProof(proof, said) }) };
      const added = await withFacts({ checked: file }, async () => addStatement({ document, json }, said, context));
      const text = formatVex(added.json);
      if (isOnStdout(out)) {
        session.terminal.stdout.write(text);
        return;
      }
      writeOutput(out, text);
      const result: VexSetResult = {
        ok: true,
        file,
        out,
        version: added.json['version'] as number,
        vulnerability: said.vulnerability.name,
        previous_statuses: added.from.map(({ status }) => status),
        status: said.status,
        stated_at: added.statement.timestamp,
      };
      printResult(session.terminal, flags.output, result, describe);
      const outdated = Object.values(signatureFiles(out)).filter((one) => existsSync(one));
      if (outdated.length === 0) return;
      const note = `note: ${outdated.join(' and ')}: over the document as it was; sign it again`;
      session.terminal.stderr.write(`${coloursFor(session.terminal).yellow(oneLine(note))}\n`);
    });
}

function describe({ out, version, vulnerability, previous_statuses, status }: VexSetResult): string {
  return formatTable([
    ['vulnerability', vulnerability],
    ['was', previous_statuses.join(', ') || 'not spoken of'],
    ['is', status],
    ['document', `${out}, version ${version}`],
    ['next', `colophon vex sign ${shellWord(out)} --reviewer EMAIL`],
  ]);
}
