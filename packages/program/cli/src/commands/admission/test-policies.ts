import type { TrustMaterial } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
  widthOf,
} from '../../column-table/column-table.ts';
import { wrapLine } from '../../column-table/wrapped-lines.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import type { AdmissionTestResult, CaseResult } from '../../policy-cases/case-result.ts';
import { findCases } from '../../policy-cases/find-cases.ts';
import { runCase } from '../../policy-cases/run-case.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { documentWithoutSecrets } from '../../secrets/secrets.ts';
import { coloursFor, counted, oneLine } from '../../terminal/terminal.ts';
import { type TrustFlags, trustIfKnown, withTrust } from '../../trust/trust.ts';

type TestFlags = TrustFlags & WideFlag & { readonly output: OutputFormat };

/**
 * `colophon admission test`: exit 0 where every case is decided as it expects; else 20 where one is not, and 1 where one
 * cannot be read. No network, no clock, and nothing is remembered.
 */
export function defineTestPolicies(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon admission test policy-cases'));
  withTrust(command)
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (folder: string, flags: TestFlags, command: Command) => {
      let known: Promise<TrustMaterial> | undefined;
      const trust = () => (known ??= trustOf(flags, command, session));
      const cases: CaseResult[] = [];
      for (const found of await findCases(folder)) {
        cases.push(shown(await runCase(found, { command, session, trust })));
      }
      const count = (standing: CaseResult['standing']) => cases.filter((one) => one.standing === standing).length;
      const summary = {
        case_count: cases.length,
        different_count: count('different'),
        unreadable_count: count('unreadable'),
      };
      const ok = cases.every(({ standing }) => standing === 'as-expected');
      const view = { terminal: session.terminal, wide: flags.wide };
      const result = { ok, folder: oneLine(folder), cases, summary };
      printResult(session.terminal, flags.output, result, (found) => describe(found, view));
      if (summary.different_count > 0) session.setExitCode(EXIT.refused);
      else if (!ok) session.setExitCode(EXIT.usage);
    });
}

async function trustOf(flags: TrustFlags, command: Command, session: Session): Promise<TrustMaterial> {
  const known = await trustIfKnown(flags, command, session);
  if (known !== undefined) return known.trust;
  throw new CliError('cli.no_trusted_root', 'no trusted root is known, and a case has a pack', {
    checked: '--trusted-root, $COLOPHON_TRUSTED_ROOT, $COLOPHON_CONFIG, data folder',
    next: 'colophon admission test FOLDER --trusted-root FILE',
  });
}

/** Nothing in it can move a cursor, and no secret of a file is repeated. */
function shown({ problems, ...found }: CaseResult): CaseResult {
  const lines = problems.map(({ code, message, path, expected, found: is, line, column }) => ({
    code,
    message: oneLine(message),
    ...(path === undefined ? {} : { path: oneLine(path) }),
    ...(expected === undefined ? {} : { expected: oneLine(expected) }),
    ...(is === undefined ? {} : { found: oneLine(is) }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  }));
  return { ...found, case: oneLine(found.case), problems: documentWithoutSecrets(lines) };
}

const COLUMNS: readonly Column[] = [
  { heading: 'CASE', rank: 1, shortest: 20 },
  { heading: 'EXPECTED', rank: 1 },
  { heading: 'DECIDED', rank: 1 },
  { heading: 'REASONS', rank: 2, shortest: 20, isList: true },
];

function describe({ cases, summary }: AdmissionTestResult, view: TableView): string {
  const { terminal } = view;
  const colours = coloursFor(terminal, terminal.stdout);
  const rows = cases.map(({ case: name, expected, decided }) => [
    name,
    expected?.decision ?? '-',
    decided?.decision ?? 'unreadable',
    decided?.reasons.join(', ') || '-',
  ]);
  const paint = (line: string, row: number) => (cases[row]?.standing === 'as-expected' ? line : colours.red(line));
  const problems = cases
    .filter(({ standing }) => standing !== 'as-expected')
    .flatMap(({ case: name, problems: all }) => [`\n${colours.bold(name)}`, ...all.flatMap(problemLines)])
    .map((line) => `${wrapLine(line, widthOf(view))}\n`);
  const { case_count, different_count, unreadable_count } = summary;
  const counts = `${counted(case_count, 'case')}: ${different_count} different, ${unreadable_count} unreadable`;
  return `${columnTable(COLUMNS, rows, view, paint)}${problems.join('')}\n${counts}\n`;
}

function problemLines({ path, line, column, message, code, expected, found }: CaseResult['problems'][number]) {
  const places = [...(path === undefined ? [] : [path]), ...(line === undefined ? [] : [`line ${line}:${column}`])];
  const place = places.length === 0 ? '' : `${places.join(', ')}: `;
  return [
    `  ${place}${message} [${code}]`,
    ...(expected === undefined ? [] : [`    expected ${expected}`]),
    ...(found === undefined ? [] : [`    found    ${found}`]),
  ];
}
