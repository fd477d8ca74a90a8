import type { JsonObject } from '@colophon/json';
import {
  VEX_PROFILES,
  type VexDocument,
  type VexLoss,
  type VexProfile,
  validateVexDocument,
  WRITTEN_CYCLONEDX,
  type WrittenCycloneDx,
  writeVexDocument,
} from '@colophon/vex';
import { type Command, Option } from 'commander';
import { buildTime } from '../../build-time/build-time.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { bomValidator } from '../../sbom-file/official-schemas.ts';
import { assertWritableOut, isOnStdout, outOption } from '../../sbom-file/sbom-output.ts';
import { counted, oneLine, shellWord } from '../../terminal/terminal.ts';
import type { VexConvertResult } from '../../vex-file/vex-document-result.ts';
import { formatVex, readVexFile } from '../../vex-file/vex-file.ts';
import { lossesOf, tellLosses } from '../../vex-file/vex-losses.ts';

type ConvertFlags = {
  readonly to: VexProfile;
  readonly specVersion?: WrittenCycloneDx;
  readonly author?: string;
  readonly failOnLoss?: boolean;
  readonly out?: string;
  readonly output: OutputFormat;
};

/** `colophon vex convert`: a document in another shape, and what it loses by that. */
export function defineConvert(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon vex convert app.openvex.json --to cyclonedx --out app.vex.cdx.json'))
    .addOption(
      new Option('--to <shape>', "openvex: v0.2.0; spec: the contract's own shape; cyclonedx")
        .choices(VEX_PROFILES)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--spec-version <version>', 'of CycloneDX').choices(WRITTEN_CYCLONEDX).default('1.6'))
    .option('--author <name>', 'of a document that names none (default: "Unknown Author")')
    .option('--fail-on-loss', 'refuse a conversion that loses anything (exit 20)')
    .addOption(outOption())
    .addOption(outputOption())
    .action((file: string, flags: ConvertFlags) => convert(file, flags, session));
}

async function convert(file: string, flags: ConvertFlags, { terminal, env }: Session): Promise<void> {
  assertWritableOut(flags.out);
  const { document: model } = await readVexFile(file);
  const { to, author, specVersion } = flags;
  const at = buildTime(env);
  const { document, losses: lost } = writeVexDocument(model, {
    profile: to,
    at,
    ...(author !== undefined && { author }),
    ...(specVersion !== undefined && { specVersion }),
  });
  const losses = lossesOf(model, lost);
  if (flags.failOnLoss === true && losses.length > 0) throw lossy(file, losses);
  const text = formatVex(document);
  const notes = [...authorNotes(model, flags), ...notesOf(model), ...assertWritten(file, document, text, to)];
  if (isOnStdout(flags.out)) terminal.stdout.write(text);
  else writeOutput(flags.out as string, text);
  const isReported = flags.output === 'json' && !isOnStdout(flags.out);
  if (!isReported) tellLosses(terminal, losses, notes);
  if (isOnStdout(flags.out)) return;
  const result: VexConvertResult = {
    ok: true,
    file,
    shape: to,
    out: flags.out as string,
    statement_count: model.statements.length,
    losses,
    notes,
  };
  printResult(
    terminal,
    flags.output,
    result,
    ({ out, statement_count }) =>
      `wrote ${oneLine(out)}: ${counted(statement_count, 'statement')}, ${counted(losses.length, 'loss')}\n`,
  );
}

/** That nobody answers for the document is noticed by those who read it, and by nobody else. */
function authorNotes({ author: named }: VexDocument, { to, author }: ConvertFlags): readonly string[] {
  if (to !== 'openvex' || (named ?? author) !== undefined) return [];
  return ['(document): No author is named, so that "Unknown Author" is written: --author NAME'];
}

/** What readers have to say besides losses. */
function notesOf({ notes = [] }: VexDocument): readonly string[] {
  return notes
    .filter(({ code }) => code !== 'vex.not_held' && code !== 'vex.read_as')
    .map(
      ({ message, path, place_count }) =>
        `${path || '(document)'}: ${message}${place_count === 1 ? '' : ` (${place_count} places)`}`,
    );
}

/** What a standard does not allow is not written; what breaks only rules of ours stays as it was said. */
function assertWritten(file: string, document: JsonObject, text: string, to: VexProfile): readonly string[] {
  if (to === 'cyclonedx') {
    const { issues } = bomValidator().validateBytes(Buffer.from(text));
    const errors = issues.filter(({ severity }) => severity === 'error');
    if (errors.length > 0)
      throw new CliError('cli.vex_invalid', 'the document that was made is no valid CycloneDX', {
        checked: file,
        issues: errors,
        kind: 'machine',
      });
    return [];
  }
  const { issues } = validateVexDocument(Buffer.from(text), { profile: to });
  const errors = issues.filter(({ severity }) => severity === 'error');
  const statements = (document['statements'] ?? []) as readonly JsonObject[];
  const isUnreasoned = statements.some(
    (one) => one['status'] === 'not_affected' && !one['justification'] && !(one['impact_statement'] ?? one['details']),
  );
  const fatal = to === 'spec' ? [] : errors.filter(({ code }) => !OURS.has(code) || (isUnreasoned && code === REASON));
  if (fatal.length > 0)
    throw new CliError('cli.vex_invalid', `${file} does not say what OpenVEX v0.2.0 asks for`, {
      checked: file,
      issues: fatal,
      next: `colophon vex validate ${shellWord(file)}`,
    });
  if (errors.length === 0) return [];
  return [`${counted(errors.length, 'fault')} that the conversion does not mend: colophon vex validate`];
}

const REASON = 'vex.justification_missing';
/** Rules that the schema of OpenVEX does not have. */
const OURS: ReadonlySet<string> = new Set([
  REASON,
  'vex.purl_invalid',
  'vex.statement_contradicts',
  'vex.timestamp_future',
]);

function lossy(file: string, losses: readonly VexLoss[]): CliError {
  return new CliError('cli.vex_lossy', 'the conversion would lose something', {
    checked: file,
    issues: losses.map(({ path, what, why }) => ({ path, code: 'cli.vex_lossy', message: `${what}: ${why}` })),
    expected: 'no loss, or the command without --fail-on-loss',
  });
}
