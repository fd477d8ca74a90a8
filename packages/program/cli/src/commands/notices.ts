import { readAsset } from '@colophon/assets';
import type { Command } from 'commander';
import { example } from '../program/example.ts';
import type { Session } from '../program/program.ts';

const CHECKOUT = new URL('../notices/checkout-notices.txt', import.meta.url);

/** `colophon notices`: the licences of the packages that a bundled program contains, which must come with it. */
export function defineNotices(command: Command, { terminal }: Session): void {
  command.addHelpText('after', example('colophon notices')).action(() => {
    const text = readAsset('THIRD-PARTY-NOTICES.txt', () => CHECKOUT.href);
    terminal.stdout.write(new TextDecoder().decode(text));
  });
}
