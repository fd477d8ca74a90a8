import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import type { HistoryFlags } from '../history/seen-history.ts';
import { everyValue } from '../program/repeated-flag.ts';
import type { InclusionProofFlags } from '../verification-flags/inclusion-proof.ts';
import type { RequireFlags } from '../verification-flags/require-flag.ts';
import { IDENTITY_FLAGS, type VerificationFlags } from '../verification-flags/verification-flags.ts';

/** Flags of `verify` that say how a pack is verified. */
export type OfflineFlags = VerificationFlags &
  InclusionProofFlags &
  HistoryFlags &
  RequireFlags & {
    readonly key?: string;
    readonly offline?: boolean;
    readonly policy?: readonly string[];
    readonly trustedRootSha256?: string;
    readonly details?: boolean;
  };

/** Adds the flags for a pack, which `--offline` turns the argument into. */
export function withOffline(command: Command): Command {
  return command
    .option('--offline', 'no network: the argument is a pack')
    .option('--policy <file>', 'with --offline: policy file to decide by; each one must admit the image', everyValue)
    .option(
      '--trusted-root-sha256 <hex>',
      'with --offline: SHA-256 of a trusted root, which is then taken from the pack',
    );
}

/** Flags of `verify` that say something about an image in a registry, or about a log that is asked. */
const OF_IMAGES = [
  'identityGatedElsewhere',
  'details',
  'require',
  'key',
  'requireInclusionProof',
  'checkpoint',
  'requireConsistency',
] as const;

/**
 * Whether the argument is an image.
 * @throws CliError `cli.usage` for a flag that would constrain nothing
 */
export function isOnline(command: Command): boolean {
  const flags = command.opts<OfflineFlags>();
  const isOffline = flags.offline === true;
  const unused = isOffline ? ([...IDENTITY_FLAGS, ...OF_IMAGES] as const) : (['policy', 'trustedRootSha256'] as const);
  const given = unused.filter((name) => flags[name] !== undefined);
  if (given.length === 0) return !isOffline;
  const names = command.options.filter((option) => given.some((name) => name === option.attributeName()));
  throw new CliError('cli.usage', `${names.map(({ long }) => long).join(', ')} cannot apply`, {
    expected: isOffline ? 'a pack, --trusted-root and --policy' : '--offline beside it, and a pack',
  });
}
