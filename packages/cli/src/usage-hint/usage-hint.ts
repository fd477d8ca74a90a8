import { isSha256Hex } from '@colophon/notation';
import type { Command, Option } from 'commander';
import { commandNamed, commandPath } from '../program/command-table.ts';

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

/** Files that a command works with, and none that it is about. */
const BESIDE_THE_SUBJECT: ReadonlySet<string> = new Set([
  '--trusted-root',
  '--signing-config',
  '--authorization-file',
  '--identity-token',
]);

/** How help for the innermost command that a line names is had. */
export function helpLine(program: Command, args: readonly string[]): string {
  return `${program.name()} ${commandPath(commandNamed(program, args))}`.trim().concat(' --help');
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
  const command = commandNamed(program, args);
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
    const value = isDigest ? /<(?:sha256|digest)>/ : /<file(?:-or-url|-or-digest)?>/;
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
