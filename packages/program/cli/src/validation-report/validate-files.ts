import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import type { Session } from '../program/program.ts';
import { progressLine } from '../progress-line/progress-line.ts';
import { printResult } from '../report/report.ts';
import { sarifLog } from '../sarif/sarif.ts';
import { expandPaths } from '../sbom-file/sbom-paths.ts';
import { withoutSecrets } from '../secrets/secrets.ts';
import { jsonText } from '../terminal/json-text.ts';
import { counted, moreLine, oneLine } from '../terminal/terminal.ts';
import type { FileIssue, ValidationResult } from './validation-result.ts';

/** What a check says about one file. */
export type CheckedFile<Facts extends object> = {
  /** What the file is, as JSON shows it beside its issues. */
  readonly facts: Facts;
  readonly issues: readonly FileIssue[];
  /** Issues beyond those that are listed. */
  readonly omitted?: number;
};

/** What JSON shows of one file, with what its kind of document has besides. */
type FileResult<Facts extends object> = ValidationResult['files'][number] & Partial<Facts>;
type Validation<Facts extends object> = Omit<ValidationResult, 'files'> & {
  readonly files: readonly FileResult<Facts>[];
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
  const failing: readonly FileIssue['severity'][] = failOn === 'warning' ? ['error', 'warning'] : ['error'];
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
        ...(omitted !== undefined && omitted > 0 && { omitted_count: omitted }),
      });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      isUnreadable ||= error.kind === 'usage';
      const name = withoutSecrets(oneLine(file));
      files.push({ file: name, valid: false, issues: [issueOf(error)] } as unknown as FileResult<Facts>);
    }
  }
  progress.clear();
  const result = { ok: files.every(({ valid }) => valid), files, summary: summaryOf(files) };
  if (output === 'sarif') session.terminal.stdout.write(`${jsonText(sarifOf(result))}\n`);
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
  const sentence = `${withoutSecrets(oneLine(message))}.`;
  return { path: '', code, severity: 'error', message: sentence, ...(expected !== undefined && { expected }) };
}

function isOfReading({ code }: FileIssue): boolean {
  return code === 'cli.file_unreadable';
}

function summaryOf(files: readonly FileResult<object>[]): ValidationResult['summary'] {
  const count = (severity: FileIssue['severity']) =>
    files.reduce((sum, { issues }) => sum + issues.filter((issue) => issue.severity === severity).length, 0);
  return {
    file_count: files.length,
    invalid_count: files.filter(({ valid }) => !valid).length,
    error_count: count('error'),
    warning_count: count('warning'),
    note_count: count('note'),
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
    const { file, valid, issues, omitted_count = 0 } = result;
    const what = describe(result);
    const unlisted = Math.max(issues.length - MOST_SHOWN, 0);
    return [
      `${file}: ${valid ? 'valid' : 'INVALID'}${what === '' ? '' : ` (${what})`}`,
      ...issues.slice(0, MOST_SHOWN).map(issueLine),
      ...(unlisted > 0 ? [`  ${moreLine(unlisted)}`] : []),
      ...(omitted_count > 0 ? [`  and ${omitted_count} more`] : []),
    ];
  });
  const { file_count, invalid_count, error_count, warning_count, note_count } = summary;
  const counts = [counted(error_count, 'error'), counted(warning_count, 'warning'), counted(note_count, 'note')];
  return `${[...lines, '', `${counted(file_count, 'file')}, ${invalid_count} invalid: ${counts.join(', ')}`].join('\n')}\n`;
}

function issueLine({ line, column, severity, path, message, expected, code }: FileIssue): string {
  const place = line === undefined ? '-' : `${line}:${column}`;
  // What is missing is named already.
  const isSaid = expected === undefined || message.endsWith(`"${expected.replaceAll('"', '')}" is missing.`);
  const wanted = isSaid ? '' : ` Expected: ${expected}.`;
  return `  ${place.padEnd(9)} ${severity.padEnd(7)} ${path || '(document)'}: ${message}${wanted} [${code}]`;
}
