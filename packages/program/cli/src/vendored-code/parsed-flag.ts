import type { ParseResult } from '@colophon/json';
import { CliError } from '../cli-error/cli-error.ts';

/**
 * What was read from the command line.
 * @throws CliError `cli.usage` with every issue
 */
export function parsedFlag<T>(parsed: ParseResult<T>, checked: string): T {
  if (parsed.ok) return parsed.value;
  const [issue] = parsed.issues;
  throw new CliError('cli.usage', issue!.message, {
    checked,
    ...(issue!.expected === undefined ? {} : { expected: issue!.expected }),
    issues: parsed.issues,
  });
}
