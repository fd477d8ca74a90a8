import { revokeRingKey } from '@colophon/keys';
import type { KeysRevokeResult } from '@colophon/keys/result';
import type { Command } from 'commander';
import { withFacts } from '../../cli-error/cli-error.ts';
import { configOption } from '../../configuration/configuration-file.ts';
import { tokenKeysAtOnce } from '../../home/token-keys.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable, shellWord } from '../../terminal/terminal.ts';

/** `colophon keys revoke`: for a key that somebody else may have. */
export function defineRevoke(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon keys revoke KID'))
    .addOption(configOption())
    .addOption(outputOption())
    .action(async (kid: string, { output }: { readonly output: OutputFormat }, command: Command) => {
      const { place, data } = tokenKeysAtOnce(command, session);
      const next = `colophon keys list${data === undefined ? '' : ` --data ${shellWord(data)}`}`;
      const keys = await withFacts({ checked: kid, next }, async () => revokeRingKey(place, kid, Date.now()));
      const result: KeysRevokeResult = {
        ok: true,
        kid,
        revoked_at: keys.find((key) => key.kid === kid)!.revoked_at!,
        signing_kid: keys.find(({ state }) => state === 'signing')!.kid,
      };
      printResult(session.terminal, output, result, ({ revoked_at, signing_kid }) =>
        formatTable([
          ['revoked', kid],
          ['since', revoked_at],
          ['signs now', signing_kid],
        ]),
      );
    });
}
