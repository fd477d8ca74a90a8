import { lintPolicies, type PolicyWarning } from '@colophon/admission';
import { type Command, Option } from 'commander';
import { readPolicies } from '../../admission-policy/read-policies.ts';
import { widthOf } from '../../column-table/column-table.ts';
import { wrapLine } from '../../column-table/wrapped-lines.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { coloursFor, counted, oneLine, type Terminal } from '../../terminal/terminal.ts';
import type { AdmissionLintResult } from './lint-result.ts';

type Severity = PolicyWarning['severity'];
type LintFlags = { readonly failOn?: Severity; readonly output: OutputFormat };
type Linted = AdmissionLintResult['policies'][number];

/** `colophon admission lint`: exit 0 whatever is to be known, or 20 with `--fail-on`; 1 for a file that does not load. */
export function defineLint(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon admission lint admission.yaml'))
    .addOption(
      new Option('--fail-on <severity>', 'exit 20 where a policy has a warning; note: or a note').choices([
        'warning',
        'note',
      ]),
    )
    .addOption(outputOption())
    .action(async (files: string[], { failOn, output }: LintFlags, command: Command) => {
      const read = await readPolicies(files, command, session);
      const linted = lintPolicies(
        read.map(({ policy }) => policy),
        Date.now() / 1000,
      );
      const policies = linted.map((one, index) => shown(read[index]?.name ?? '', one));
      const isFailing = (severity: Severity) => failOn === 'note' || severity === failOn;
      const ok = !linted.some(
        ({ warnings }) => failOn !== undefined && warnings.some((one) => isFailing(one.severity)),
      );
      const result = { ok, policies, summary: summaryOf(policies) };
      printResult(session.terminal, output, result, (found) => describe(found, session.terminal));
      if (!ok) session.setExitCode(EXIT.refused);
    });
}

/** Nothing in it can move a cursor. */
function shown(file: string, { policy, sentences, warnings }: ReturnType<typeof lintPolicies>[number]): Linted {
  return {
    file: oneLine(file),
    policy: oneLine(policy),
    sentences: sentences.map(oneLine),
    warnings: warnings.map(({ path, line, column, code, severity, message }) => ({
      path: oneLine(path),
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
      code,
      severity,
      message: oneLine(message),
    })),
  };
}

function summaryOf(policies: readonly Linted[]): AdmissionLintResult['summary'] {
  const all = policies.flatMap(({ warnings }) => warnings);
  const count = (severity: Severity) => all.filter((one) => one.severity === severity).length;
  return { policy_count: policies.length, warning_count: count('warning'), note_count: count('note') };
}

function describe({ policies, summary }: AdmissionLintResult, terminal: Terminal): string {
  const colours = coloursFor(terminal, terminal.stdout);
  const width = widthOf({ terminal });
  const lines = policies.flatMap(({ file, policy, sentences, warnings }) => [
    colours.bold(policy === file ? file : `${file}: ${policy}`),
    ...sentences.map((sentence) => wrapLine(`  ${sentence}`, width)),
    ...(warnings.length === 0 ? [] : ['']),
    ...warnings.map((warning) => wrapLine(warningLine(warning), width)),
    '',
  ]);
  const { policy_count, warning_count, note_count } = summary;
  const policyCount = `${policy_count} ${policy_count === 1 ? 'policy' : 'policies'}`;
  lines.push(`${policyCount}: ${counted(warning_count, 'warning')}, ${counted(note_count, 'note')}`);
  return `${lines.join('\n')}\n`;
}

function warningLine({ path, line, column, severity, message, code }: Linted['warnings'][number]): string {
  const place = line === undefined ? '-' : `${line}:${column}`;
  return `  ${place.padEnd(6)} ${severity.padEnd(7)} ${path || '(policy)'}: ${message} [${code}]`;
}
