import type { VexProfile, VexReport, VexSeverity, VexShape } from '@colophon/triage';
import { type Command, Option } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { readBounded } from '../../input/bounded-input.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { printResult } from '../../report/report.ts';
import { sarifLog } from '../../sarif/sarif.ts';
import { bomValidator } from '../../sbom-file/official-schemas.ts';
import { expandPaths, type SbomPath } from '../../sbom-file/sbom-paths.ts';
import { counted, oneLine } from '../../terminal/terminal.ts';

type ValidateFlags = {
  readonly profile?: VexProfile;
  readonly failOn: 'error' | 'warning';
  readonly output: 'table' | 'json' | 'sarif';
};

/** One thing to say about a file, and where it stands there. */
type PlacedIssue = {
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly code: string;
  readonly severity: VexSeverity;
  readonly message: string;
  readonly expected?: string;
};

/** What is said about one file. */
type FileResult = {
  readonly file: string;
  readonly valid: boolean;
  readonly shape?: VexShape;
  readonly statements?: number;
  readonly issues: readonly PlacedIssue[];
};

type ValidationResult = { readonly files: readonly FileResult[]; readonly summary: Summary };
type Summary = { readonly checked: number; readonly invalid: number } & {
  readonly [severity in VexSeverity as `${severity}s`]: number;
};

const PROFILES: readonly VexProfile[] = ['openvex', 'spec', 'cyclonedx'];

/** `colophon vex validate`: documents held against their standard, and statements against each other. */
export function addValidateCommand(vex: Command, session: Session): void {
  vex
    .command('validate <files...>')
    .description('check VEX documents: OpenVEX v0.2.0 strictly, CycloneDX, CSAF; exit 20 if one is invalid')
    .addOption(
      new Option(
        '--profile <profile>',
        "openvex: v0.2.0; spec: the contract's own shape; cyclonedx (default: by content)",
      ).choices(PROFILES),
    )
    .addOption(
      new Option('--fail-on <severity>', 'what makes a file invalid').choices(['error', 'warning']).default('error'),
    )
    .addOption(outputOption('sarif'))
    .action(async (paths: string[], flags: ValidateFlags) => {
      const files: FileResult[] = [];
      let isUnreadable = false;
      const expanded = await expandPaths(paths);
      const progress = progressLine(session.terminal);
      for (const [index, path] of expanded.entries()) {
        progress.show(`validating ${index + 1} of ${expanded.length}`);
        try {
          files.push(await validateFile(path, flags));
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          // One file that cannot be read takes nothing from what the others have to say.
          isUnreadable ||= error.exitCode === EXIT.usage;
          files.push({ file: oneLine(path.file), valid: false, issues: [issueOf(error)] });
        }
      }
      progress.clear();
      print({ files, summary: summaryOf(files) }, flags, session);
      const isRefused = files.some(({ valid, issues }) => !valid && !issues.some(isOfReading));
      if (isRefused) session.setExitCode(EXIT.refused);
      else if (isUnreadable) session.setExitCode(EXIT.usage);
    });
}

async function validateFile({ file, isUnmatched }: SbomPath, flags: ValidateFlags): Promise<FileResult> {
  if (isUnmatched) throw new CliError('cli.file_unreadable', 'no file matches this pattern', EXIT.usage);
  const { MAX_VEX_BYTES, validateVexDocument } = await import('@colophon/triage');
  const bytes = await readBounded(file, MAX_VEX_BYTES);
  const { profile } = flags;
  const report = validateVexDocument(bytes, { ...(profile && { profile }), at: new Date().toISOString() });
  const failing: readonly VexSeverity[] = flags.failOn === 'warning' ? ['error', 'warning'] : ['error'];
  const issues = await placed(bytes, await withSchema(report, bytes));
  return {
    file: oneLine(file),
    valid: !issues.some(({ severity }) => failing.includes(severity)),
    ...(report.shape && { shape: report.shape }),
    ...(report.document && { statements: report.document.statements.length }),
    issues: issues.map(shown),
  };
}

/** CycloneDX has an official schema, which counts too; what makes an SBOM complete does not. */
async function withSchema({ shape, issues }: VexReport, bytes: Uint8Array): Promise<readonly PlacedIssue[]> {
  if (shape !== 'cyclonedx') return issues;
  const schema = (await bomValidator()).validateBytes(bytes, { profile: 'spec' }).issues;
  return [...schema.filter(({ severity }) => severity === 'error'), ...issues];
}

async function placed(bytes: Uint8Array, issues: readonly PlacedIssue[]): Promise<readonly PlacedIssue[]> {
  const unplaced = issues.filter(({ line }) => line === undefined);
  if (unplaced.length === 0 || issues.some(({ code }) => code === 'json.too_large' || code === 'json.not_utf8'))
    return issues;
  const { placesOf } = await import('@colophon/sbom');
  const toTheEnd = issues.some(({ code }) => code.startsWith('json.'));
  const paths = new Set(unplaced.map(({ path }) => path));
  const { places, brokenAt } = placesOf(Buffer.from(bytes).toString(), paths, { toTheEnd });
  return issues.map((issue) => {
    const place = issue.code === 'json.syntax' ? brokenAt : places.get(issue.path);
    return issue.line === undefined ? { ...issue, ...place } : issue;
  });
}

/** An issue with its members in one order, and nothing in it that could move a cursor. */
function shown({ path, line, column, code, severity, message, expected }: PlacedIssue): PlacedIssue {
  return {
    path: oneLine(path),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    code,
    severity,
    message: oneLine(message),
    ...(expected !== undefined && { expected: oneLine(expected) }),
  };
}

function issueOf({ code, message, facts }: CliError): PlacedIssue {
  const { expected } = facts;
  const sentence = `${oneLine(message)}.`;
  return { path: '', code, severity: 'error', message: sentence, ...(expected !== undefined && { expected }) };
}

function isOfReading({ code }: PlacedIssue): boolean {
  return code === 'cli.file_unreadable';
}

function summaryOf(files: readonly FileResult[]): Summary {
  const count = (severity: VexSeverity) =>
    files.reduce((sum, { issues }) => sum + issues.filter((issue) => issue.severity === severity).length, 0);
  return {
    checked: files.length,
    invalid: files.filter(({ valid }) => !valid).length,
    errors: count('error'),
    warnings: count('warning'),
    notes: count('note'),
  };
}

function print(result: ValidationResult, { output }: ValidateFlags, { terminal }: Session): void {
  if (output !== 'sarif') {
    printResult(terminal, output, result, table);
    return;
  }
  const findings = result.files.flatMap(({ file, issues }) =>
    issues.map(({ severity, expected, message, ...issue }) => ({
      ...issue,
      level: severity,
      message: expected === undefined ? message : `${message} Expected: ${expected}.`,
      file: file === '-' ? 'stdin' : file,
    })),
  );
  terminal.stdout.write(`${JSON.stringify(sarifLog(findings), null, 2)}\n`);
}

const SHAPES: Readonly<Record<VexShape, string>> = { openvex: 'OpenVEX', cyclonedx: 'CycloneDX', csaf: 'CSAF' };
const MOST_SHOWN = 100;

function table({ files, summary }: ValidationResult): string {
  const lines = files.flatMap(({ file, valid, shape, statements, issues }) => {
    const facts = [
      ...(shape === undefined ? [] : [SHAPES[shape]]),
      ...(statements === undefined ? [] : [counted(statements, 'statement')]),
    ];
    const more = issues.length > MOST_SHOWN ? [`  and ${issues.length - MOST_SHOWN} more: --output json has them`] : [];
    const what = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
    return [`${file}: ${valid ? 'valid' : 'INVALID'}${what}`, ...issues.slice(0, MOST_SHOWN).map(issueLine), ...more];
  });
  const { checked, invalid, errors, warnings, notes } = summary;
  const counts = [counted(errors, 'error'), counted(warnings, 'warning'), counted(notes, 'note')].join(', ');
  return `${[...lines, '', `${counted(checked, 'file')}, ${invalid} invalid: ${counts}`].join('\n')}\n`;
}

function issueLine({ line, column, severity, path, message, expected, code }: PlacedIssue): string {
  const place = line === undefined ? '-' : `${line}:${column}`;
  const wanted = expected === undefined ? '' : ` Expected: ${expected}.`;
  return `  ${place.padEnd(9)} ${severity.padEnd(7)} ${path || '(document)'}: ${message}${wanted} [${code}]`;
}
