import type { Command } from 'commander';
import { commandOf, partsOf } from './typed-line.ts';

/**
 * `help kev update` as `kev update --help`, which commander answers for a command of any depth. What names no command
 * loses its `help`, and is refused with a guess.
 */
export function helpAsked(program: Command, args: readonly string[]): readonly string[] {
  const parts = partsOf(program, args);
  const first = parts.findIndex(({ kind }) => kind === 'argument');
  const asked = parts[first];
  if (asked?.kind !== 'argument' || asked.word !== 'help') return args;
  const above = parts.slice(0, first).flatMap((part) => (part.kind === 'command' ? [part.word] : []));
  if (commandOf(program, parts.slice(0, first)).commands.length === 0) return args;
  const named = parts.slice(first + 1).flatMap((part) => (part.kind === 'argument' ? [part.word] : []));
  const line = [...above, ...named];
  const command = commandOf(program, partsOf(program, line));
  const isKnown = command.commands.length === 0 || partsOf(program, line).every(({ kind }) => kind === 'command');
  return isKnown ? [...line, '--help'] : line;
}
