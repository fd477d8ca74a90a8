import { rotateRing } from '@colophon/keys';
import type { KeysRotateResult } from '@colophon/keys/result';
import type { Command } from 'commander';
import { configOption } from '../../configuration/configuration-file.ts';
import { tokenKeys } from '../../home/token-keys.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable } from '../../terminal/terminal.ts';

/** `colophon keys rotate`: the next key, which a running server publishes within seconds. */
export function defineRotate(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon keys rotate'))
    .addOption(configOption())
    .addOption(outputOption())
    .action(({ output }: { readonly output: OutputFormat }, command: Command) => {
      const { place, timing } = tokenKeys(command, session);
      const keys = rotateRing(place, { now: Date.now(), ...(timing === undefined ? {} : { timing }) });
      const next = keys.find(({ state }) => state === 'next')!;
      const retiring = keys.find(({ state }) => state === 'signing')!;
      const result: KeysRotateResult = {
        ok: true,
        kid: next.kid,
        signs_from: next.signs_from!,
        retiring_kid: retiring.kid,
        published_until: retiring.published_until!,
      };
      printResult(session.terminal, output, result, ({ kid, signs_from, retiring_kid, published_until }) =>
        formatTable([
          ['next key', kid],
          ['signs from', signs_from],
          ['signs until then', retiring_kid],
          ['published until', published_until],
        ]),
      );
    });
}
