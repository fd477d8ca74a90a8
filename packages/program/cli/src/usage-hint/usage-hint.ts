import { isSha256Hex } from '@colophon/notation';
import type { Command, Option } from 'commander';
import { commandPath } from '../program/command-table.ts';
import { isSwitch } from '../program/switch.ts';
import { commandOf, lineWith, type Part, partsOf, shownParts } from '../program/typed-line.ts';

/** What other tools call the flags that stand behind it here; the ones that the command has are named. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  '-f': ['--output', '--fail-on'],
  '--format': ['--output'],
  '--json': ['--output'],
  '--sarif': ['--output'],
  '--template': ['--output'],
  '--output-file': ['--out', '--bundle'],
  '--out': ['--bundle'],
  '--severity': ['--fail-on', '--priority'],
  '--severity-cutoff': ['--fail-on'],
  '--exit-code': ['--fail-on'],
  '--url': ['--kev'],
  '--vuln': ['--vulnerability'],
  '--status': ['--open'],
  '--purl': ['--product'],
  '--db': ['--database'],
  '--db-built': ['--database-time'],
  '--deployed-at': ['--deployed-on'],
  '--quarter': ['--period'],
  '--gpg-key': ['--openpgp-key'],
  '--pgp-key': ['--openpgp-key'],
  '--identity': ['--certificate-identity', '--reviewer'],
  '--oidc-issuer': ['--certificate-oidc-issuer'],
  '--signer': ['--reviewer', '--certificate-identity'],
};

/** Flags of scanners for what is a command of its own here. */
const COMMANDS_ELSEWHERE: Readonly<Record<string, string>> = {
  '--vex': 'colophon vex apply VEX --scan FILE',
  '--kev': 'colophon kev enrich FILE',
};

/** Flags of other commands for what is an argument here. */
const ARGUMENTS_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  '--cve': ['records', 'record', 'cve'],
  '--vulnerability': ['records', 'record', 'cve'],
  '--image': ['image'],
  '--sbom': ['sbom'],
};

/** Files that a command works with, and none that it is about. */
const BESIDE_THE_SUBJECT: ReadonlySet<string> = new Set([
  '--trusted-root',
  '--config',
  '--signing-config',
  '--authorization-file',
  '--identity-token',
]);

/** What a line that cannot be parsed may have meant, in words, and a line that can be. */
export type UsageHint = { readonly expected?: string; readonly next: string };

/**
 * What a command line that cannot be parsed may have meant.
 * @param code of commander
 * @param message of commander: a guess of its own stands in a line of its own
 */
export function usageHint(
  program: Command,
  args: readonly string[],
  { code, message }: { readonly code: string; readonly message: string },
): UsageHint {
  const parts = partsOf(program, args);
  const command = commandOf(program, parts);
  const next = `${program.name()} ${commandPath(command)}`.trim().concat(' --help');
  const [, guess] = /\n\(Did you mean (?:one of )?([^?,]+)/.exec(message) ?? [];
  const [, wrong = ''] = /^error: unknown (?:command|option) '([^'=]+)/.exec(message) ?? [];
  const found = code === 'commander.unknownCommand' ? inFamilies(program, parts) : undefined;
  if (found !== undefined) return found;
  const known =
    code === 'commander.unknownOption'
      ? (formHint(program, parts, wrong) ?? flagHint(program, parts, wrong, next))
      : undefined;
  if (known !== undefined) return known;
  if (guess !== undefined) return { next: withGuess(program, parts, wrong, guess) ?? next };
  if (code === 'commander.invalidArgument') return outputHint(program, parts) ?? { next };
  const expected = code === 'commander.excessArguments' ? argumentHint(command) : undefined;
  return expected === undefined ? { next } : { expected, next };
}

/** The line with the guess in it; undefined where it would be refused too. */
function withGuess(program: Command, parts: readonly Part[], wrong: string, guess: string): string | undefined {
  const part = parts.find((one) => (one.kind === 'flag' ? one.name === wrong : one.word === wrong));
  if (part === undefined) return undefined;
  if (part.kind !== 'flag') return lineWith(program, parts, new Map([[part, { ...part, word: guess }]]));
  const option = commandOf(program, parts).options.find(({ long }) => long === guess);
  const after = parts[parts.indexOf(part) + 1];
  const value = part.value ?? (after?.kind === 'argument' ? after.word : undefined);
  const isRefused = value !== undefined && option?.argChoices?.includes(value) === false;
  return isRefused ? undefined : lineWith(program, parts, new Map([[part, { ...part, name: guess, option }]]));
}

/** For `-o json` where the result has one form, and is a file's as well. */
function formHint(program: Command, parts: readonly Part[], name: string): UsageHint | undefined {
  const index = parts.findIndex((one) => one.kind === 'flag' && /^(?:-o|--output)$/.test(one.name));
  const part = parts[index];
  if (part?.kind !== 'flag' || part.option !== undefined || !name.startsWith(part.name)) return undefined;
  const after = part.value === undefined ? parts[index + 1] : undefined;
  const value = part.value ?? (after?.kind === 'argument' ? after.word : '');
  if (/^=?(?:json|table)$/.test(value)) {
    const others = parts.filter((one) => one !== part && one !== after);
    const line = [program.name(), ...shownParts(others)].join(' ');
    return { expected: 'neither: the result has one form, and goes to standard output', next: line };
  }
  const out = commandOf(program, parts).options.find(({ long }) => long === '--out');
  const next = out && value !== '' ? withGuess(program, parts, part.name, '--out') : undefined;
  return next === undefined ? undefined : { expected: `a file is named by ${out?.flags}`, next };
}

/** For `-o FILE`: elsewhere that is where the result goes. */
function outputHint(program: Command, parts: readonly Part[]): UsageHint | undefined {
  const part = parts.find((one) => one.kind === 'flag' && one.option?.long === '--output');
  if (part?.kind !== 'flag' || !/[./]/.test(part.value ?? '')) return undefined;
  const command = commandOf(program, parts);
  const option = ['--out', '--bundle'].flatMap((long) => command.options.find((one) => one.long === long) ?? [])[0];
  const next = `${program.name()} ${commandPath(command)} --help`;
  if (option === undefined) return { expected: 'a file is named by > FILE', next };
  const line = lineWith(program, parts, new Map([[part, { ...part, name: option.long ?? '', option }]]));
  return { expected: `a file is named by ${option.flags}`, next: line };
}

/**
 * For a command that was called without its family: `validate` for `sbom validate` and `vex validate`. A family may have
 * that name too, as `import` has, and not the word that came after it.
 */
function inFamilies(program: Command, parts: readonly Part[]): UsageHint | undefined {
  const called = commandOf(program, parts);
  const part = parts.find(({ kind }) => kind === (called === program ? 'argument' : 'command'));
  if (part === undefined || part.kind === 'flag' || (called !== program && called.parent !== program)) return undefined;
  const families = program.commands.filter((one) => one.commands.some((below) => below.name() === part.word));
  const [first, ...others] = families.map((one) => one.name());
  if (first === undefined) return undefined;
  if (others.length === 0) {
    const words = shownParts(parts);
    words.splice(parts.indexOf(part), 0, first);
    return { next: [program.name(), ...words].join(' ') };
  }
  const expected = [first, ...others].map((family) => `${program.name()} ${family} ${part.word}`).join(' or ');
  return { expected, next: `${program.name()} ${first} ${part.word} --help` };
}

function flagHint(program: Command, parts: readonly Part[], name: string, help: string): UsageHint | undefined {
  const command = commandOf(program, parts);
  const meant = (ELSEWHERE[name] ?? []).flatMap((long) => command.options.find((option) => option.long === long) ?? []);
  const [first, ...others] = meant;
  if (first !== undefined) {
    const line = others.length > 0 || isSwitch(first) ? undefined : withGuess(program, parts, name, first.long ?? '');
    return { expected: `here it is ${meant.map(flagsOf).join(' or ')}`, next: line ?? help };
  }
  const other = COMMANDS_ELSEWHERE[name];
  if (other !== undefined) return { expected: `for that there is ${other}`, next: other };
  const argument = ARGUMENTS_ELSEWHERE[name]?.flatMap(
    (wanted) => command.registeredArguments.find((one) => one.name() === wanted) ?? [],
  )[0];
  return argument && { expected: `here it is the argument <${argument.name()}>`, next: help };
}

/** A file or a digest for a command that takes no argument. */
function argumentHint(command: Command): string | undefined {
  if (command.registeredArguments.length > 0) return undefined;
  const argument = command.args[0]?.toLowerCase() ?? '';
  const isDigest = argument.startsWith('sha256:') || isSha256Hex(argument);
  const value = isDigest ? /<(?:sha256|digest)>/ : /<file(?:-or-url|-or-digest)?>/;
  const flag = command.options.find(({ flags, long }) => value.test(flags) && !BESIDE_THE_SUBJECT.has(long ?? ''));
  return flag && `a ${isDigest ? 'digest' : 'file'} is named by a flag here: ${flagsOf(flag)}`;
}

function flagsOf({ flags, argChoices = [] }: Option): string {
  return argChoices.length === 0 ? flags : `${flags}, one of ${argChoices.join(', ')}`;
}
