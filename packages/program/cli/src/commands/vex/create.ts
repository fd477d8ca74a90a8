import { statSync } from 'node:fs';
import { assertTransitions, type VexDocument, type VexStatement, writeVexDocument } from '@colophon/vex';
import type { Command } from 'commander';
import { buildTime } from '../../build-time/build-time.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { assertWritableOut, isOnStdout, outOption } from '../../sbom-file/sbom-output.ts';
import { counted, formatTable, shellWord } from '../../terminal/terminal.ts';
import type { VexCreateResult } from '../../vex-file/vex-document-result.ts';
import { formatVex } from '../../vex-file/vex-file.ts';
import { assertDocumentId } from './document-id.ts';
import { readFixProof, type StatementFlags, statementOf, withStatement } from './statement-flags.ts';
import { type DraftFlags, vendoredDrafts } from './vendored-drafts.ts';

type CreateFlags = StatementFlags &
  DraftFlags & {
    readonly author: string;
    readonly role?: string;
    readonly id?: string;
    readonly out?: string;
    readonly output: OutputFormat;
  };

/** `colophon vex create`: a new OpenVEX document with one statement (contract §2.6). */
export function defineCreate(command: Command, session: Session): void {
  const when = '--draft-from';
  withNeeds(
    command,
    { what: 'the package that the vulnerability is in', oneOf: ['--made-from'], when },
    { what: 'the functions that are vulnerable', oneOf: ['--vulnerable-code'], when },
  );
  withStatement(
    command.addHelpText(
      'after',
      example(
        'colophon vex create --vulnerability CVE-2021-45105 --status not_affected \\',
        '  --justification vulnerable_code_not_in_execute_path --sbom app.cdx.json \\',
        '  --author dana@example.com --out app.openvex.json',
      ),
    ),
    when,
  )
    .requiredOption('--author <name>', 'who says it: a person or an organisation; the signature shows that it is so')
    .option('--role <text>', 'in which role the author says it')
    .option('--id <iri>', 'IRI of the document (default: made from its content)')
    .option('--draft-from <sbom>', 'draft statements for the vendored code of this SBOM; nothing counts until signed')
    .option('--made-from <purl>', 'with --draft-from: the package that the vulnerability is in')
    .option('--vulnerable-code <file>', 'with --draft-from: source of the vulnerable functions; repeatable', everyValue)
    .option('--repository <folder>', 'with --draft-from: where the files of the SBOM are (default: here)')
    .addOption(outOption())
    .addOption(outputOption())
    .action(async (flags: CreateFlags) => {
      assertWritableOut(flags.out);
      assertNothingSaid(flags.out);
      assertDocumentId(flags.id);
      const at = buildTime(session.env);
      const statements = flags.draftFrom === undefined ? [await stated(flags, at)] : await vendoredDrafts(flags, at);
      const { author, role, id, out } = flags;
      const model: VexDocument = {
        shape: 'openvex',
        ...(id === undefined ? {} : { id }),
        author,
        ...(role === undefined ? {} : { role }),
        timestamp: at,
        version: 1,
        tooling: 'colophon',
        statements,
      };
      const { document } = writeVexDocument(model, { profile: 'openvex', at });
      const text = formatVex(document);
      if (isOnStdout(out)) {
        session.terminal.stdout.write(text);
        return;
      }
      writeOutput(out as string, text);
      const [{ status, vulnerability }] = statements as [VexStatement];
      const drafts = flags.draftFrom === undefined ? 0 : statements.length;
      const result: VexCreateResult = {
        ok: true,
        out: out as string,
        version: 1,
        vulnerability: vulnerability.name,
        status,
        draft_count: drafts,
      };
      printResult(session.terminal, flags.output, result, () =>
        formatTable([
          ['made', out as string],
          [
            'says',
            `${vulnerability.name} is ${status}${drafts === 0 ? '' : `; ${counted(drafts, 'draft')} to decide`}`,
          ],
          [
            'next',
            `colophon vex sign ${shellWord(out as string)} --reviewer EMAIL${drafts === 0 ? '' : ' --accept-drafts'}`,
          ],
        ]),
      );
    });
}

/**
 * A document that is there holds what was said, and maybe signed: it is added to and not replaced.
 * @throws CliError `cli.file_taken`
 */
function assertNothingSaid(out: string | undefined): void {
  const stats = isOnStdout(out) ? undefined : statSync(out as string, { throwIfNoEntry: false });
  // What `mktemp` made is empty, and a pipe holds nothing.
  if (!stats?.isFile() || stats.size === 0) return;
  throw new CliError('cli.file_taken', `${out} is there already`, {
    checked: out as string,
    expected: 'a file that is not there',
    next: `colophon vex set ${shellWord(out as string)}, which adds a statement; or another --out`,
  });
}

/** The statement of the flags, as a first one may be. */
async function stated(flags: StatementFlags, at: string): Promise<VexStatement> {
  const statement = await statementOf(flags, at);
  const { reason, proof } = flags;
  assertTransitions([], statement, {
    reason,
    ...(proof === undefined ? {} : { proof: await readFixProof(proof, statement) }),
  });
  return statement;
}
