import { rotateRing } from '@colophon/keys';
import type { KeysRotateResult } from '@colophon/keys/result';
import type { Command } from 'commander';
import { tokenKeysPlace } from '../../home/token-keys.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable } from '../../terminal/terminal.ts';

/** `colophon keys rotate`: the next key, which a running server publishes within seconds. */
export function defineRotate(command: Command, { terminal, env }: Session): void {
  command
    .addHelpText('after', example('colophon keys rotate'))
    .addOption(outputOption())
    .action(({ output }: { readonly output: OutputFormat }, command: Command) => {
      const keys = rotateRing(tokenKeysPlace(env, dataFlag(command)), { now: Date.now() });
      const next = keys.find(({ state }) => state === 'next')!;
      const retiring = keys.find(({ state }) => state === 'signing')!;
      const result: KeysRotateResult = {
        ok: true,
        kid: next.kid,
        signs_from: next.signs_from!,
        retiring_kid: retiring.kid,
        published_until: retiring.published_until!,
      };
      printResult(terminal, output, result, ({ kid, signs_from, retiring_kid, published_until }) =>
        formatTable([
          ['next key', kid],
          ['signs from', signs_from],
          ['signs until then', retiring_kid],
          ['published until', published_until],
        ]),
      );
    });
}
