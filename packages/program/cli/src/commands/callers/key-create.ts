import { CallerError, DEFAULT_KEY_DAYS, DEFAULT_MAX_KEY_DAYS } from '@colophon/issuer';
import type { ApiKeyCreatedResult } from '@colophon/issuer/result';
import { type Command, InvalidArgumentError } from 'commander';
import { type CallerPlace, callerPlace, changeCallers } from '../../callers/caller-place.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { configOption } from '../../configuration/configuration-file.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { parseDuration } from '../../time-words/duration.ts';

type Flags = { readonly expiresIn: number; readonly output: OutputFormat };

/** `colophon callers key create`: the key is the one line on standard output, and is kept nowhere. */
export function defineKeyCreate(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon callers key create release-bot --expires-in 90d'));
  command
    .option(
      '--expires-in <time>',
      `how long the key counts, e.g. 12h or 90d; at most ${DEFAULT_MAX_KEY_DAYS}d unless configured (default: ${DEFAULT_KEY_DAYS}d)`,
      parseExpiry,
    )
    .addOption(configOption())
    .addOption(outputOption())
    .action(async (name: string, { expiresIn, output }: Partial<Flags> & Pick<Flags, 'output'>, command: Command) => {
      const place = callerPlace(command, session);
      refuseUnknown(place, name);
      const lifetime = {
        ...(expiresIn !== undefined && { lifetimeSeconds: expiresIn }),
        ...(place.maxKeyDays !== undefined && { maxDays: place.maxKeyDays }),
      };
      const created = await changeCallers(place, (desk) => desk.createKey(name, lifetime)).catch((error: unknown) => {
        throw explained(error, place.maxKeyDays);
      });
      const { terminal } = session;
      const result = { ok: true, ...created } satisfies ApiKeyCreatedResult;
      printResult(terminal, output, result, ({ key }) => `${key}\n`);
      if (output === 'json') return;
      const { key_id, caller, expires_at } = created;
      terminal.stderr.write(`key ${key_id} of ${caller}, expires ${expires_at}; it is shown this once\n`);
    });
}

/** A key that no request could use is most likely for a mistyped name. */
function refuseUnknown({ configured, keyed }: CallerPlace, name: string): void {
  if (configured === undefined || keyed.includes(name)) return;
  const isThere = configured.includes(name);
  throw new CliError('cli.usage', isThere ? 'this caller has no API keys' : 'the configuration has no such caller', {
    checked: name,
    expected: isThere ? 'apiKey: true in its entry' : keyed.join(', ') || 'an entry with apiKey: true',
  });
}

function parseExpiry(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return seconds;
  throw new InvalidArgumentError('A time such as 12h, 30d or 90d is expected.');
}

function explained(error: unknown, maxDays = DEFAULT_MAX_KEY_DAYS): unknown {
  if (!(error instanceof CallerError) || error.code !== 'caller.expiry_invalid') return error;
  return Object.assign(error, { facts: { checked: '--expires-in', expected: `1m to ${maxDays}d` } });
}
