import { CliError, type ErrorFacts } from '../cli-error/cli-error.ts';
import { EXIT, type ExitCode } from '../exit-code/exit-code.ts';
import { coloursFor, oneLine, type Terminal } from '../terminal/terminal.ts';

export type OutputFormat = 'table' | 'json';

/** One problem as `--output json` prints it and as a person reads it. */
export type ErrorReport = { readonly code: string; readonly message: string } & ErrorFacts & {
    readonly issues?: ReadonlyArray<{ readonly path?: string; readonly code: string; readonly message: string }>;
  };

type Coded = Error & {
  code?: unknown;
  issues?: ErrorReport['issues'];
  facts?: ErrorFacts;
  expected?: unknown;
  found?: unknown;
};

// What the exit code is for codes of the packages below; the first prefix that fits counts.
const EXIT_BY_CODE: ReadonlyArray<readonly [prefix: string, exit: ExitCode]> = [
  ['signing.ca_refused', EXIT.notAuthorized],
  ['signing.token', EXIT.notAuthorized],
  ['signing.ca_unavailable', EXIT.peerDown],
  ['signing.log_unavailable', EXIT.peerDown],
  ['signing.timestamp_unavailable', EXIT.peerDown],
  ['signing.log_refused', EXIT.refused],
  ['registry.unauthorized', EXIT.notAuthorized],
  ['registry.denied', EXIT.notAuthorized],
  ['registry.not_found', EXIT.notFound],
  ['registry.reference_invalid', EXIT.usage],
  ['registry.digest_mismatch', EXIT.untrusted],
  ['registry.', EXIT.peerDown],
  ['trusted_root.', EXIT.untrusted],
  ['identity.', EXIT.usage],
  ['inspect.', EXIT.usage],
  ['query.', EXIT.usage],
  ['server.', EXIT.internal],
];

/** The exit code that belongs to an error; anything that nobody foresaw is internal. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  const { exitCode, code } = error as { exitCode?: unknown; code?: unknown };
  if (typeof exitCode === 'number' && Object.values(EXIT).includes(exitCode as ExitCode) && exitCode !== EXIT.ok) {
    return exitCode as ExitCode;
  }
  if (typeof code !== 'string') return EXIT.internal;
  return EXIT_BY_CODE.find(([prefix]) => code.startsWith(prefix))?.[1] ?? EXIT.internal;
}

/** What may be said of an error. One that carries no stable code is an accident: its text stays out of JSON output. */
export function reportOf(error: unknown): ErrorReport {
  const coded = error as Coded;
  if (!(error instanceof Error)) return { code: 'cli.internal', message: 'something threw what is no error' };
  if (typeof coded.code !== 'string' || !/^[a-z_]+\.[a-z0-9_]+$/.test(coded.code)) {
    return { code: 'cli.internal', message: `unexpected: ${oneLine(error.message)}`.slice(0, 500) };
  }
  return {
    code: coded.code,
    message: oneLine(error.message),
    ...(typeof coded.expected === 'string' ? { expected: oneLine(coded.expected) } : {}),
    ...(typeof coded.found === 'string' ? { found: oneLine(coded.found) } : {}),
    ...coded.facts,
    ...(coded.issues === undefined
      ? {}
      : { issues: coded.issues.map(({ path = '', code, message }) => ({ path, code, message })) }),
  };
}

/** Prints an error where people or scripts look for it. */
export function printError(terminal: Terminal, format: OutputFormat, report: ErrorReport): void {
  if (format === 'json') {
    terminal.stdout.write(`${JSON.stringify({ ok: false, error: report }, null, 2)}\n`);
    return;
  }
  const colours = coloursFor(terminal);
  terminal.stderr.write(`${colours.red('error')} ${colours.bold(report.code)}: ${report.message}\n`);
  for (const { path, code, message } of report.issues ?? []) {
    terminal.stderr.write(`  ${oneLine(path || '(document)')}: ${oneLine(message)} ${colours.dim(`[${code}]`)}\n`);
  }
  for (const fact of ['checked', 'expected', 'found', 'trust', 'next'] as const) {
    const text = report[fact];
    if (text !== undefined)
      terminal.stderr.write(
        `  ${colours.dim(fact.padEnd(8))} ${text.split('\n').map(oneLine).join('\n           ')}\n`,
      );
  }
}

/** Prints a result: the JSON document, or what `human` makes of it. */
export function printResult<T>(
  terminal: Terminal,
  format: OutputFormat,
  result: T,
  human: (result: T) => string,
): void {
  terminal.stdout.write(format === 'json' ? `${JSON.stringify(result, null, 2)}\n` : human(result));
}
