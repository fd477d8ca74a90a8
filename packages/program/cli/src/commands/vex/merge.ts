import { mergeVexDocuments, validateVexDocument, writeVexDocument } from '@colophon/vex';
import type { Command } from 'commander';
import { buildTime } from '../../build-time/build-time.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { assertWritableOut, isOnStdout, outOption } from '../../sbom-file/sbom-output.ts';
import { counted, oneLine } from '../../terminal/terminal.ts';
import type { VexMergeResult } from '../../vex-file/vex-document-result.ts';
import { formatVex, readVexFile } from '../../vex-file/vex-file.ts';
import { lossesOf, tellLosses } from '../../vex-file/vex-losses.ts';
import { assertDocumentId } from './document-id.ts';

type MergeFlags = {
  readonly author: string;
  readonly role?: string;
  readonly id?: string;
  readonly allowConflicts?: boolean;
  readonly out?: string;
  readonly output: OutputFormat;
};

const VALIDATE = 'colophon vex validate';

/** `colophon vex merge`: several documents as one of OpenVEX, with the history that they hold. */
export function defineMerge(command: Command, session: Session): void {
  command
    .addHelpText(
      'after',
      example(
        'colophon vex merge vendor.openvex.json app.openvex.json \\',
        '  --author dana@example.com --out all.openvex.json',
      ),
    )
    .requiredOption('--author <name>', 'who answers for the merged document')
    .option('--role <text>', 'in which role the author says it')
    .option('--id <iri>', 'IRI of the document; the id of one of the files makes its next version')
    .option('--allow-conflicts', 'keep statements of the same time that contradict each other')
    .addOption(outOption())
    .addOption(outputOption())
    .action((files: string[], flags: MergeFlags) => merge(files, flags, session));
}

async function merge(files: readonly string[], flags: MergeFlags, { terminal, env }: Session): Promise<void> {
  assertWritableOut(flags.out);
  assertDocumentId(flags.id);
  const documents = [];
  for (const file of files) documents.push((await readVexFile(file)).document);
  const { author, role, id, out } = flags;
  const at = buildTime(env);
  const merged = mergeVexDocuments(documents, { author, at, ...(role && { role }), ...(id && { id }) });
  const contradictions = merged.conflicts.filter(({ severity }) => severity === 'error');
  if (contradictions.length > 0 && flags.allowConflicts !== true)
    throw new CliError('cli.vex_conflict', 'statements of the same time contradict each other', {
      checked: files.join(', '),
      issues: contradictions,
      expected: 'a later time for the one that counts, or --allow-conflicts',
    });
  const { document, losses: lost } = writeVexDocument(merged.document, { profile: 'openvex', at });
  const losses = [...documents.flatMap((one) => lossesOf(one, [])), ...merged.losses, ...lost];
  const conflicts = merged.conflicts.map(({ path, message }) => `${path}: ${message}`);
  const text = formatVex(document);
  // What the files lack is no reason to merge none of them; a contradiction is told for itself.
  const faults = validateVexDocument(Buffer.from(text), { profile: 'openvex' }).issues.filter(
    ({ severity, code }) => severity === 'error' && code !== 'vex.statement_contradicts',
  );
  const kept =
    faults.length === 0 ? [] : [`${counted(faults.length, 'fault')} that the merge does not mend: ${VALIDATE}`];
  if (isOnStdout(out)) terminal.stdout.write(text);
  else writeOutput(out as string, text);
  if (isOnStdout(out) || flags.output !== 'json') tellLosses(terminal, losses, [...kept, ...conflicts]);
  if (isOnStdout(out)) return;
  const result: VexMergeResult = {
    ok: true,
    files,
    out: out as string,
    statement_count: merged.document.statements.length,
    repeated_count: merged.repeated,
    conflicts: merged.conflicts.map(({ path, code, message, severity }) => ({ path, code, message, severity })),
    losses,
    notes: kept,
  };
  printResult(terminal, flags.output, result, ({ statement_count, repeated_count }) => {
    const once = repeated_count === 0 ? '' : `, ${repeated_count} said more than once`;
    return `wrote ${oneLine(out as string)}: ${counted(statement_count, 'statement')} of ${counted(files.length, 'file')}${once}\n`;
  });
}
