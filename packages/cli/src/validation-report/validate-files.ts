import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import type { Session } from '../program/program.ts';
import { progressLine } from '../progress-line/progress-line.ts';
import { printResult } from '../report/report.ts';
import { sarifLog } from '../sarif/sarif.ts';
import { expandPaths } from '../sbom-file/sbom-paths.ts';
import { counted, oneLine } from '../terminal/terminal.ts';

/** Whether an issue makes a document wrong, or is merely worth knowing. */
export type IssueSeverity = 'error' | 'warning' | 'note';

/** One thing to say about a file, and where it stands there. */
export type FileIssue = {
  /** JSON Pointer. */
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly code: string;
  readonly severity: IssueSeverity;
  readonly message: string;
  readonly expected?: string;
};

/** What a check says about one file. */
export type CheckedFile<Facts extends object> = {
  /** What the file is, as JSON shows it beside its issues. */
  readonly facts: Facts;
  readonly issues: readonly FileIssue[];
  /** Issues beyond those that are listed. */
  readonly omitted?: number;
};

/** Members that JSON shows of one file. */
type FileResult<Facts extends object> = { readonly file: string; readonly valid: boolean } & Partial<Facts> &
  Omit<CheckedFile<Facts>, 'facts'>;
type Validation<Facts extends object> = {
  readonly files: readonly FileResult<Facts>[];
  readonly summary: { readonly checked: number; readonly invalid: number } & {
    readonly [severity in IssueSeverity as `${severity}s`]: number;
  };
};

export type ValidationFlags = { readonly failOn: 'error' | 'warning'; readonly output: 'table' | 'json' | 'sarif' };

/** A file's issues that people still read. */
const MOST_SHOWN = 100;

/**
 * Checks each file that the arguments name and prints what is said of them as table, JSON or SARIF. One that cannot be
 * read takes nothing from what the others have to say. The program ends with 20 where one is invalid, else with 1 where
 * one cannot be read.
 * @param check throws CliError for a file that cannot be read
 * @param describe what the file is, in a few words for people
 */
export async function validateFiles<Facts extends object>(
  paths: readonly string[],
  { failOn, output }: ValidationFlags,
  session: Session,
  check: (file: string) => Promise<CheckedFile<Facts>>,
  describe: (facts: Partial<Facts>) => string,
): Promise<void> {
  const failing: readonly IssueSeverity[] = failOn === 'warning' ? ['error', 'warning'] : ['error'];
  const files: FileResult<Facts>[] = [];
  let isUnreadable = false;
  const expanded = await expandPaths(paths);
  const progress = progressLine(session.terminal);
  for (const [index, { file, isUnmatched }] of expanded.entries()) {
    progress.show(`validating ${index + 1} of ${expanded.length}`);
    try {
      if (isUnmatched) throw new CliError('cli.file_unreadable', 'no file matches this pattern');
      const { facts, issues, omitted } = await check(file);
      files.push({
        file: oneLine(file),
        valid: !issues.some(({ severity }) => failing.includes(severity)),
        ...facts,
        issues: issues.map(shown),
        ...(omitted !== undefined && omitted > 0 && { omitted }),
      });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      isUnreadable ||= error.kind === 'usage';
      files.push({ file: oneLine(file), valid: false, issues: [issueOf(error)] } as unknown as FileResult<Facts>);
    }
  }
  progress.clear();
  const result = { files, summary: summaryOf(files) };
  if (output === 'sarif') session.terminal.stdout.write(`${JSON.stringify(sarifOf(result), null, 2)}\n`);
  else printResult(session.terminal, output, result, (validation) => table(validation, describe));
  if (files.some(({ valid, issues }) => !valid && !issues.some(isOfReading))) session.setExitCode(EXIT.refused);
  else if (isUnreadable) session.setExitCode(EXIT.usage);
}

/** An issue with its members in one order, and nothing in it that could move a cursor. */
function shown({ path, line, column, code, severity, message, expected }: FileIssue): FileIssue {
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

function issueOf({ code, message, facts: { expected } }: CliError): FileIssue {
  const sentence = `${oneLine(message)}.`;
  return { path: '', code, severity: 'error', message: sentence, ...(expected !== undefined && { expected }) };
}

function isOfReading({ code }: FileIssue): boolean {
  return code === 'cli.file_unreadable';
}

function summaryOf(files: readonly FileResult<object>[]): Validation<object>['summary'] {
  const count = (severity: IssueSeverity) =>
    files.reduce((sum, { issues }) => sum + issues.filter((issue) => issue.severity === severity).length, 0);
  return {
    checked: files.length,
    invalid: files.filter(({ valid }) => !valid).length,
    errors: count('error'),
    warnings: count('warning'),
    notes: count('note'),
  };
}

function sarifOf({ files }: Validation<object>) {
  return sarifLog(
    files.flatMap(({ file, issues }) =>
      issues.map(({ severity, expected, message, ...issue }) => ({
        ...issue,
        level: severity,
        message: expected === undefined ? message : `${message} Expected: ${expected}.`,
        file: file === '-' ? 'stdin' : file,
      })),
    ),
  );
}

function table<Facts extends object>(
  { files, summary }: Validation<Facts>,
  describe: (facts: Partial<Facts>) => string,
): string {
  const lines = files.flatMap((result) => {
    const { file, valid, issues, omitted = 0 } = result;
    const what = describe(result);
    const unlisted = Math.max(issues.length - MOST_SHOWN, 0);
    return [
      `${file}: ${valid ? 'valid' : 'INVALID'}${what === '' ? '' : ` (${what})`}`,
      ...issues.slice(0, MOST_SHOWN).map(issueLine),
      ...(unlisted > 0 ? [`  and ${unlisted} more: --output json has them`] : []),
      ...(omitted > 0 ? [`  and ${omitted} more`] : []),
    ];
  });
  const { checked, invalid, errors, warnings, notes } = summary;
  const counts = [counted(errors, 'error'), counted(warnings, 'warning'), counted(notes, 'note')].join(', ');
  return `${[...lines, '', `${counted(checked, 'file')}, ${invalid} invalid: ${counts}`].join('\n')}\n`;
}

function issueLine({ line, column, severity, path, message, expected, code }: FileIssue): string {
  const place = line === undefined ? '-' : `${line}:${column}`;
  const wanted = expected === undefined ? '' : ` Expected: ${expected}.`;
  return `  ${place.padEnd(9)} ${severity.padEnd(7)} ${path || '(document)'}: ${message}${wanted} [${code}]`;
}
