import type { Command, Option } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { commandPath } from '../program/command-table.ts';
import { commandOf, lineWith, type Part, partsOf } from '../program/typed-line.ts';

/** A flag that had another name until 2026-11-23, by the commands that have it. */
export type RenamedFlag = { readonly commands: readonly string[]; readonly old: string; readonly now: string };

const row = (old: string, now: string, ...commands: string[]): RenamedFlag => ({ commands, old, now });

const WITH_A_POLICY = [
  'up',
  'schedule run',
  'remediation open',
  'remediation update',
  'remediation close',
  'vex apply',
];

export const RENAMED_FLAGS: readonly RenamedFlag[] = [
  row('--issuer', '--evidence-url', 'query', 'evidence import', 'review list', 'sbom attribute'),
  row('--policy', '--remediation-policy', ...WITH_A_POLICY),
  row('--feed', '--kev', 'up', 'schedule run', 'kev update'),
  row('--findings', '--scan', 'vex apply'),
  row('--cve', '--vulnerability', 'remediation open', 'remediation list', 'remediation update'),
  row('--product', '--product-name', 'remediation open', 'remediation list', 'remediation export', 'report quarterly'),
  row('--as-of', '--at', 'report quarterly'),
  row('--certificate-key', '--key', 'vex verify', 'vex apply', 'remediation verify', 'report verify'),
  row('--certificate-key', '--public-key', 'remediation close', 'report quarterly'),
  row('--openpgp-key', '--openpgp-public-key', 'remediation close', 'report quarterly'),
  row('--at', '--from', 'sbom retention check'),
  row('--artifact', '--component-name', 'sbom publish'),
  row('--from', '--made-from', 'sbom vendor'),
  row('--name', '--component-name', 'sbom vendor'),
  row('--agent', '--agent-name', 'sbom vendor'),
  row('--model', '--model-id', 'sbom vendor'),
  row('--root', '--repository', 'sbom vendor', 'vex create'),
  row('--root', '--path-prefix', 'sbom attribute'),
  row('--lossless', '--fail-on-loss', 'sbom convert'),
  row('--profile', '--shape', 'vex validate'),
  row('--file', '--out', 'ledger export'),
];

/**
 * Refuses a flag under its old name, also in a command that never had it and has the new one.
 * @throws CliError `cli.usage`, before the line is parsed
 */
export function refuseRenamedFlags(program: Command, args: readonly string[]): void {
  const parts = partsOf(program, args);
  const command = commandOf(program, parts);
  const path = commandPath(command);
  const renamed = parts.flatMap((part) => {
    if (part.kind !== 'flag' || part.option !== undefined) return [];
    const { name } = part;
    const known = RENAMED_FLAGS.filter(
      ({ old, now }) => old === name && command.options.some(({ long }) => long === now),
    );
    const own = known.find(({ commands }) => commands.includes(path));
    const now = (own ?? known.at(-1))?.now;
    if (now === undefined) return [];
    const option = command.options.find(({ long }) => long === now) as Option;
    const message = `${name} is called ${now} ${own === undefined ? 'here' : 'now'}`;
    return [{ part, message, option, other: { ...part, name: now, option } }];
  });
  if (renamed.length === 0) return;
  throw new CliError('cli.usage', renamed.map(({ message }) => message).join('; '), {
    checked: `colophon ${path}`,
    expected: renamed.map(({ option }) => option.flags).join(', '),
    found: renamed.map(({ part }) => part.name).join(', '),
    next: lineWith(program, parts, new Map<Part, Part>(renamed.map(({ part, other }) => [part, other]))),
  });
}
