import { isSha256Hex } from '@colophon/notation';
import type { Command, Option } from 'commander';

/** What other tools call the flags that stand behind it here; the ones that the command has are named. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  '-f': ['--output', '--fail-on'],
  '--format': ['--output'],
  '--json': ['--output'],
  '--sarif': ['--output'],
  '--template': ['--output'],
  '--output-file': ['--out'],
  '--severity': ['--fail-on', '--priority'],
  '--severity-cutoff': ['--fail-on'],
  '--exit-code': ['--fail-on'],
  '--scan': ['--findings'],
  '--scans': ['--findings', '--scan'],
  '--findings': ['--scan'],
  '--kev': ['--feed'],
  '--feed': ['--kev'],
  '--url': ['--feed'],
  '--cve': ['--vulnerability'],
  '--vuln': ['--vulnerability', '--cve'],
  '--vulnerability': ['--cve'],
  '--status': ['--open'],
  '--purl': ['--product'],
  '--artifact': ['--product'],
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
  '--vex': 'colophon vex apply VEX --findings FILE',
  '--kev': 'colophon kev enrich FILE',
  '--feed': 'colophon kev update',
};

/** Files that a command works with, and none that it is about. */
const BESIDE_THE_SUBJECT: ReadonlySet<string> = new Set([
  '--trusted-root',
  '--signing-config',
  '--authorization-file',
  '--identity-token',
]);

/** How help for the innermost command that a line names is had. */
export function helpLine(program: Command, args: readonly string[]): string {
  const names: string[] = [];
  for (let command: Command | null = commandOf(program, args); command !== null; command = command.parent) {
    names.unshift(command.name());
  }
  return `${names.join(' ')} --help`;
}

/**
 * What a command line that cannot be parsed may have meant, in words to stand behind it; undefined where commander has
 * said so itself, or nobody can tell.
 * @param code of commander
 */
export function usageHint(
  program: Command,
  args: readonly string[],
  { code, message }: { readonly code: string; readonly message: string },
): string | undefined {
  if (/\(Did you mean /.test(message)) return undefined;
  const command = commandOf(program, args);
  if (code === 'commander.unknownOption') {
    const name = /'([^'=]+)/.exec(message)?.[1] ?? '';
    const meant = (ELSEWHERE[name] ?? []).flatMap(
      (long) => command.options.find((option) => option.long === long) ?? [],
    );
    return meant.length > 0 ? `here it is ${meant.map(flagsOf).join(' or ')}` : commandHint(name);
  }
  if (code === 'commander.excessArguments' && command.registeredArguments.length === 0) {
    const argument = command.args[0]?.toLowerCase() ?? '';
    const isDigest = argument.startsWith('sha256:') || isSha256Hex(argument);
    const value = isDigest ? /<sha256>/ : /<(?:file|feed)>/;
    const flag = command.options.find(({ flags, long }) => value.test(flags) && !BESIDE_THE_SUBJECT.has(long ?? ''));
    return flag && `a ${isDigest ? 'digest' : 'file'} is named by a flag here: ${flagsOf(flag)}`;
  }
  return undefined;
}

function commandHint(name: string): string | undefined {
  const command = COMMANDS_ELSEWHERE[name];
  return command && `for that there is ${command}`;
}

function flagsOf({ flags, argChoices = [] }: Option): string {
  return argChoices.length === 0 ? flags : `${flags}, one of ${argChoices.join(', ')}`;
}

/** The innermost command that a line names. */
function commandOf(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const arg of args) command = command.commands.find((one) => one.name() === arg) ?? command;
  return command;
}
