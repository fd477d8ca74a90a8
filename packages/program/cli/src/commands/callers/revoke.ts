import { apiKeyIdIn, type CallerDesk, isApiKeyId, isCallerName, listKeys } from '@colophon/issuer';
import type { RevokedResult } from '@colophon/issuer/result';
import type { Command } from 'commander';
import { type CallerPlace, callerPlaceAtOnce, changeCallers, readCallers } from '../../callers/caller-place.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { configOption } from '../../configuration/configuration-file.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';

type Flags = { readonly output: OutputFormat };

/** `colophon callers revoke`: a caller by its name, or a key by its id. No name has a capital letter, every id has one. */
export function defineRevoke(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon callers revoke release-bot'));
  command
    .addOption(configOption())
    .addOption(outputOption())
    .action(async (text: string, { output }: Flags, command: Command) => {
      const keyId = isCallerName(text) ? undefined : keyIdOf(text, "the name of a caller, or a key's id");
      if (keyId === undefined) refuseUnknown(callerPlaceAtOnce(command, session), text);
      await revoke(command, session, output, text, (desk) =>
        keyId === undefined ? desk.revokeCaller(text) : desk.revokeKey(keyId),
      );
    });
}

/** A mistyped name would leave the caller in force that was meant, and be revoked for good. */
function refuseUnknown(place: CallerPlace, name: string): void {
  const { configured } = place;
  if (configured === undefined || configured.includes(name)) return;
  if (readCallers(place, (db) => listKeys(db, Math.floor(Date.now() / 1000), name)).length > 0) return;
  throw new CliError('cli.usage', 'neither the configuration nor any API key names this caller', {
    checked: name,
    expected: configured.join(', '),
    next: 'colophon callers list',
  });
}

/** `colophon callers key revoke`. */
export function defineKeyRevoke(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon callers key revoke KEY-ID'));
  command
    .addOption(configOption())
    .addOption(outputOption())
    .action(async (text: string, { output }: Flags, command: Command) => {
      const keyId = keyIdOf(text, "a key's id: 12 letters and digits");
      await revoke(command, session, output, text, (desk) => desk.revokeKey(keyId));
    });
}

async function revoke(
  command: Command,
  session: Session,
  output: OutputFormat,
  text: string,
  change: (desk: CallerDesk) => Promise<Omit<RevokedResult, 'ok'>>,
): Promise<void> {
  const revoked = await changeCallers(callerPlaceAtOnce(command, session), change);
  if (revoked.key_id !== undefined && text !== revoked.key_id)
    session.terminal.stderr.write('a whole API key was given, and was revoked by its id; treat it as leaked\n');
  printResult(session.terminal, output, { ok: true, ...revoked } satisfies RevokedResult, describe);
}

/** The id that a text is or, where somebody typed a key, has in it; the text is not repeated. */
function keyIdOf(text: string, expected: string): string {
  const id = isApiKeyId(text) ? text : apiKeyIdIn(text);
  if (id !== undefined) return id;
  throw new CliError('cli.usage', 'this names nothing that can be revoked', {
    expected,
    next: 'colophon callers key list',
  });
}

function describe({ caller, key_id, revoked_at }: RevokedResult): string {
  return key_id === undefined
    ? `revoked ${caller} with all of its credentials, ${revoked_at}\n`
    : `revoked key ${key_id} of ${caller}, ${revoked_at}\n`;
}
