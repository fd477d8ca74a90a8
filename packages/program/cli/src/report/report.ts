import { kindOf } from '@colophon/fault';
import type { ErrorFacts, ReportedIssue } from '../cli-error/cli-error.ts';
import { EXIT, EXIT_OF_KIND, type ExitCode } from '../exit-code/exit-code.ts';
import { documentWithoutSecrets } from '../secrets/secrets.ts';
import { jsonText } from '../terminal/json-text.ts';
import { coloursFor, moreLine, oneLine, type Terminal } from '../terminal/terminal.ts';

export type OutputFormat = 'table' | 'json';

/** One problem as `--output json` prints it and as a person reads it. */
export type ErrorReport = { readonly code: string; readonly message: string } & ErrorFacts;

/** What errors of the packages below may carry beside their code. */
type Coded = Error & {
  readonly code?: unknown;
  readonly facts?: ErrorFacts;
  readonly expected?: unknown;
  readonly found?: unknown;
  readonly issues?: readonly ReportedIssue[];
  /** Every constraint that a certificate does not meet. */
  readonly mismatches?: ReadonlyArray<{ readonly code: string; readonly expected: string; readonly found: string }>;
  /** Every signature of an image that was found and does not count. */
  readonly rejected?: ReadonlyArray<{ readonly code: string; readonly message: string }>;
};

const FACTS = ['checked', 'expected', 'found', 'trust', 'next'] as const;
const MOST_MESSAGE_LENGTH = 500;
/** Issues of one code that a person is shown: of a file of another kind every entry says the same. */
const MOST_OF_A_CODE = 5;

/** The exit code that belongs to an error; anything that nobody foresaw is internal. */
export function exitCodeOf(error: unknown): ExitCode {
  const kind = kindOf(error);
  return kind === undefined ? EXIT.internal : EXIT_OF_KIND[kind];
}

/** What may be said of an error, on one line each. One that carries no stable code is an accident. */
export function reportOf(error: unknown): ErrorReport {
  if (!(error instanceof Error)) return { code: 'cli.internal', message: 'something threw what is no error' };
  const coded = error as Coded;
  const isKnown = typeof coded.code === 'string' && /^[a-z_]+\.[a-z0-9_]+$/.test(coded.code);
  const facts: Record<string, string> = {};
  for (const name of FACTS) {
    const fact = coded.facts?.[name] ?? (name === 'expected' || name === 'found' ? coded[name] : undefined);
    if (typeof fact === 'string' && fact !== '') facts[name] = oneLine(fact);
  }
  const issues = issuesOf(coded);
  return {
    code: isKnown ? (coded.code as string) : 'cli.internal',
    message: oneLine(isKnown ? error.message : `unexpected: ${error.message}`.slice(0, MOST_MESSAGE_LENGTH)),
    ...facts,
    ...(issues === undefined ? {} : { issues }),
  };
}

function issuesOf({ issues, facts, mismatches = [], rejected }: Coded): readonly ReportedIssue[] | undefined {
  const listed = facts?.issues ?? issues;
  if (listed !== undefined) return listed.map(publicIssue);
  if (rejected !== undefined) return rejected.map(({ code, message }) => ({ code, message: oneLine(message) }));
  // The first one is the error itself.
  if (mismatches.length < 2) return undefined;
  return mismatches.map(({ code, expected, found }) => ({
    code,
    message: oneLine(`expected ${expected}, found ${found || 'nothing'}`),
  }));
}

// Named one by one: an issue may carry more than is for everybody.
function publicIssue({
  path,
  code,
  message,
  expected,
  found,
  next,
  line,
  column,
  position,
}: ReportedIssue): ReportedIssue {
  return {
    ...(path === undefined ? {} : { path: oneLine(String(path)) }),
    code: oneLine(String(code)),
    message: oneLine(String(message)),
    ...(typeof expected === 'string' ? { expected: oneLine(expected) } : {}),
    ...(typeof found === 'string' ? { found: oneLine(found) } : {}),
    ...(typeof next === 'string' ? { next: oneLine(next) } : {}),
    ...(typeof line === 'number' ? { line } : {}),
    ...(typeof column === 'number' ? { column } : {}),
    ...(typeof position === 'number' ? { position } : {}),
  };
}

/** Prints an error where people or scripts look for it; a token or login that stands in it is not repeated. */
export function printError(terminal: Terminal, format: OutputFormat, error: ErrorReport): void {
  const report = documentWithoutSecrets(error);
  if (format === 'json') {
    terminal.stdout.write(`${jsonText({ ok: false, error: report })}\n`);
    return;
  }
  const colours = coloursFor(terminal);
  const { code, message, issues = [] } = report;
  // An issue that became the error, and has no place in a document, is said once.
  const isTheError = (issue: ReportedIssue) => isPlaceless(issue) && message.endsWith(issue.message);
  const itself = issues.find(isTheError);
  const why = itself === undefined || itself.code === code ? '' : ` ${colours.dim(`[${itself.code}]`)}`;
  const place = itself?.position === undefined ? '' : placed(itself);
  const lines = [`${colours.red('error')} ${colours.bold(code)}: ${place}${message}${why}`];
  const others = issues.filter((issue) => !isTheError(issue));
  const shown = [...Map.groupBy(others, (issue) => issue.code).values()].flatMap((all) =>
    all[0]?.code === 'cli.option_missing' ? all : all.slice(0, MOST_OF_A_CODE),
  );
  const isShown = new Set(shown);
  for (const issue of others.filter((one) => isShown.has(one))) {
    lines.push(`  ${placed(issue)}${issue.message} ${colours.dim(`[${issue.code}]`)}`);
    for (const name of ['expected', 'found', 'next'] as const) {
      if (issue[name] !== undefined) lines.push(`    ${colours.dim(name.padEnd(8))} ${issue[name]}`);
    }
  }
  if (shown.length < others.length) {
    lines.push(`  ${moreLine(others.length - shown.length, 'of the same')}`);
  }
  for (const name of FACTS) {
    const fact = report[name] ?? (name === 'checked' || name === 'trust' ? undefined : itself?.[name]);
    if (fact !== undefined) lines.push(`  ${colours.dim(name.padEnd(8))} ${fact}`);
  }
  terminal.stderr.write(`${lines.join('\n')}\n`);
}

/** The character of a one-line text fits beside the message. */
function isPlaceless({ path, line }: ReportedIssue): boolean {
  return !path && line === undefined;
}

/** `/images, line 2:9: `; nothing where an issue is of the whole. */
function placed({ path, line, column, position }: ReportedIssue): string {
  if (position !== undefined) return `character ${position}: `;
  const lines = line === undefined ? [] : [`line ${line}${column === undefined ? '' : `:${column}`}`];
  const places = [...(path ? [path] : []), ...lines];
  return places.length === 0 ? '' : `${places.join(', ')}: `;
}

/** Prints a result: the JSON document, or what `human` makes of it. */
export function printResult<T>(
  terminal: Terminal,
  format: OutputFormat,
  result: T,
  human: (result: T) => string,
): void {
  terminal.stdout.write(format === 'json' ? `${jsonText(result)}\n` : human(result));
}
