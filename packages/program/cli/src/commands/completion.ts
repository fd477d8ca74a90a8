import type { Argument, Command } from 'commander';
import { bashScript } from '../completion/bash.ts';
import { commandShape } from '../completion/command-shape.ts';
import { completionRows } from '../completion/completion-table.ts';
import { fishScript } from '../completion/fish.ts';
import { zshScript } from '../completion/zsh.ts';
import { loadCommands } from '../program/command-table.ts';
import { example } from '../program/example.ts';
import type { Session } from '../program/program.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** `colophon completion bash|zsh|fish`: a script with every command and flag in it, so that TAB starts no process. */
export function defineCompletion(command: Command, { terminal }: Session): void {
  const [shell] = command.registeredArguments as [Argument];
  shell.choices(Object.keys(SCRIPTS));
  shell.description = 'bash, zsh or fish';
  command.addHelpText(
    'after',
    `
To install it, write the script where the shell looks for it:
  bash  ~/.local/share/bash-completion/completions/colophon
        (with the package bash-completion; without it, source the script in
        ~/.bashrc)
  zsh   a file _colophon in a folder of $fpath, before compinit runs
  fish  ~/.config/fish/completions/colophon.fish
Write it anew after an update.
${example('eval "$(colophon completion bash)"')}`,
  );
  command.action(async (shell: keyof typeof SCRIPTS) => {
    const program = command.parent as Command;
    await loadCommands(program);
    terminal.stdout.write(SCRIPTS[shell](completionRows(commandShape(program))));
  });
}
