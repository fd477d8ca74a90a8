import { type Command, Help } from 'commander';
import { termOf } from './command-table.ts';

/** Columns; what is longer has its words on the lines below, so that one long flag does not squeeze all the others. */
const WIDEST_TERM = 32;

/** The headings of flags that many commands share; a command's own come before them. */
const SHARED = {
  signer: 'Who signs:',
  run: 'What ran, where an agent signs:',
  services: 'Where it is signed:',
  verified: 'Whose signature counts:',
} as const;

/** Puts the flags that `add` adds under one of the shared headings of help; those that have one keep it. */
export function underHeading(
  heading: keyof typeof SHARED,
  command: Command,
  add: (command: Command) => Command,
): Command {
  const before = new Set(command.options);
  add(command);
  for (const option of command.options) {
    if (!before.has(option)) option.helpGroupHeading ??= SHARED[heading];
  }
  return command;
}

/** How help is laid out: on 80 columns too, a command's own flags first. */
export const HELP_LAYOUT: Partial<Help> = {
  showGlobalOptions: true,
  // A command that is not loaded yet has no flags.
  subcommandTerm(command) {
    return termOf(command) ?? Help.prototype.subcommandTerm.call(this, command);
  },
  // So that the words beside long flags are wrapped on 80 columns too.
  minWidthToWrap: 24,
  padWidth(command, helper) {
    return Math.min(WIDEST_TERM, Help.prototype.padWidth.call(this, command, helper));
  },
  formatItem(term, termWidth, description, helper) {
    const item = (shown: string) => Help.prototype.formatItem.call(this, shown, termWidth, description, helper);
    return description !== '' && helper.displayWidth(term) > termWidth ? `  ${term}\n${item('')}` : item(term);
  },
  groupItems(unsorted, visible, groupOf) {
    const groups = Help.prototype.groupItems.call(this, unsorted, visible, groupOf as never) as Map<string, never[]>;
    const order: readonly string[] = Object.values(SHARED);
    return new Map([...groups].sort(([one], [other]) => order.indexOf(one) - order.indexOf(other)));
  },
};
