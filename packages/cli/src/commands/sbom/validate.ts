import type { BomIssue, Profile, Severity } from '@colophon/sbom';
import { type Command, Option } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { readBounded } from '../../input/bounded-input.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { printResult } from '../../report/report.ts';
import { type SarifFinding, sarifLog } from '../../sarif/sarif.ts';
import { bomValidator } from '../../sbom-file/official-schemas.ts';
import { expandPaths, type SbomPath } from '../../sbom-file/sbom-paths.ts';
import { counted, oneLine } from '../../terminal/terminal.ts';

type ValidateFlags = {
  readonly profile: Profile;
  readonly failOn: 'error' | 'warning';
  readonly namespace: string;
  readonly output: 'table' | 'json' | 'sarif';
};

/** What is said about one file. */
type FileResult = {
  readonly file: string;
  readonly valid: boolean;
  readonly specVersion?: string;
  readonly issues: readonly BomIssue[];
  /** Issues beyond those that are listed. */
  readonly omitted?: number;
};

type ValidationResult = { readonly files: readonly FileResult[]; readonly summary: Summary };
type Summary = { readonly checked: number; readonly invalid: number } & {
  readonly [severity in Severity as `${severity}s`]: number;
};

/** `colophon sbom validate`: documents held against their official schema, and against what it cannot see. */
export function addValidateCommand(sbom: Command, session: Session): void {
  sbom
    .command('validate <files...>')
    .description(
      'check CycloneDX JSON (1.2 to 1.7): official schema, references, package URLs, AI attribution; exit 20 if invalid',
    )
    .addOption(
      new Option('--profile <profile>', 'strict: the official schema; spec: x-ai-generated and ast-similarity too')
        .choices(['strict', 'spec'])
        .default('strict'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'what makes a file invalid').choices(['error', 'warning']).default('error'),
    )
    .option('--namespace <name>', 'namespace of the properties of attribution variant B', 'vendor')
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
  const { MAX_BOM_BYTES } = await import('@colophon/sbom');
  const bytes = await readBounded(file, MAX_BOM_BYTES);
  const { issues, omitted, document } = (await bomValidator()).validateBytes(bytes, flags);
  const failing: readonly Severity[] = flags.failOn === 'warning' ? ['error', 'warning'] : ['error'];
  return {
    file: oneLine(file),
    valid: !issues.some(({ severity }) => failing.includes(severity)),
    ...(document && { specVersion: document.specVersion }),
    issues: issues.map(shown),
    ...(omitted > 0 && { omitted }),
  };
}

/** An issue with its members in one order, and nothing in it that could move a cursor. */
function shown({ path, line, column, code, severity, message, expected }: BomIssue): BomIssue {
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

function issueOf({ code, message, facts }: CliError): BomIssue {
  const { expected } = facts;
  const sentence = `${oneLine(message)}.`;
  return { path: '', code, severity: 'error', message: sentence, ...(expected !== undefined && { expected }) };
}

function isOfReading({ code }: BomIssue): boolean {
  return code === 'cli.file_unreadable';
}

function summaryOf(files: readonly FileResult[]): Summary {
  const count = (severity: Severity) =>
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
  if (output === 'sarif') terminal.stdout.write(`${JSON.stringify(sarifLog(sarifFindings(result)), null, 2)}\n`);
  else printResult(terminal, output, result, table);
}

function sarifFindings({ files }: ValidationResult): SarifFinding[] {
  return files.flatMap(({ file, issues }) =>
    issues.map(({ code, severity, message, expected, path, line, column }) => ({
      code,
      level: severity,
      message: expected === undefined ? message : `${message} Expected: ${expected}.`,
      file: file === '-' ? 'stdin' : file,
      path,
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    })),
  );
}

function table({ files, summary }: ValidationResult): string {
  const lines = files.flatMap(({ file, valid, specVersion, issues, omitted }) => {
    const version = specVersion === undefined ? '' : ` (CycloneDX ${specVersion})`;
    const more = omitted === undefined ? [] : [`  and ${omitted} more`];
    return [`${file}: ${valid ? 'valid' : 'INVALID'}${version}`, ...issues.map(issueLine), ...more];
  });
  const { checked, invalid, errors, warnings, notes } = summary;
  const counts = [counted(errors, 'error'), counted(warnings, 'warning'), counted(notes, 'note')].join(', ');
  return `${[...lines, '', `${counted(checked, 'file')}, ${invalid} invalid: ${counts}`].join('\n')}\n`;
}

function issueLine({ line, column, severity, path, message, expected, code }: BomIssue): string {
  const place = line === undefined ? '-' : `${line}:${column}`;
  const wanted = expected === undefined ? '' : ` Expected: ${expected}.`;
  return `  ${place.padEnd(9)} ${severity.padEnd(7)} ${path || '(document)'}: ${message}${wanted} [${code}]`;
}
