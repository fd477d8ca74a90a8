import { basename } from 'node:path';
import { type GatheredRuns, gatherRuns, type RunChoice, reviewerPolicy } from '@colophon/evidence/client';
import { parseCommitId } from '@colophon/records';
import type { Command } from 'commander';
import { artifactDigest } from '../artifact-digest/artifact-digest.ts';
import { CliError } from '../cli-error/cli-error.ts';
import { evidenceStoreUrl } from '../home/evidence-url.ts';
import { readInput } from '../input/input.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { oneLine } from '../terminal/terminal.ts';
import { trustMaterial } from '../trust/trust.ts';
import { identityPolicy, type VerificationFlags } from '../verification-flags/verification-flags.ts';

/** Which runs of the evidence store are asked for. */
export type ChoiceFlags = {
  readonly commit?: readonly string[];
  readonly artifact?: readonly string[];
  readonly where?: string;
};

/** Which runs, by whom, and where they are. */
export type GatherFlags = VerificationFlags &
  ChoiceFlags & { readonly evidenceUrl?: string; readonly bundle?: readonly string[]; readonly reviewIssuer?: string };

/**
 * The runs that the flags choose, or undefined where they choose none.
 * @throws CliError `cli.usage` for a commit or digest that is none, `cli.file_unreadable`
 */
export async function runChoice({ commit = [], artifact = [], where }: ChoiceFlags): Promise<RunChoice | undefined> {
  for (const text of commit) {
    if (parseCommitId(text) === undefined) throw usage(`${text} is no commit id`, '40 or 64 hex digits, lower case');
  }
  const artifacts: string[] = [];
  for (const text of artifact) artifacts.push(await artifactDigest('--artifact', text, ['sha256']));
  if (commit.length === 0 && artifacts.length === 0 && where === undefined) return undefined;
  return { commits: commit, artifacts, ...(where === undefined ? {} : { where }) };
}

/**
 * Gathers the runs that the flags choose, from files and the evidence store.
 * @throws CliError `cli.usage`, `cli.no_trusted_root`, `cli.file_unreadable`, `cli.no_issuer`; as gatherRuns of evidence
 */
export async function gatherByFlags(flags: GatherFlags, command: Command, session: Session): Promise<GatheredRuns> {
  // What the caller wants pinned is checked before anything is read or asked.
  const policy = identityPolicy(flags);
  const { certificateOidcIssuer: issuer, certificateOidcIssuerRegexp: issuerRegExp } = flags;
  const reviewers = reviewerPolicy({ issuer, issuerRegExp });
  const { trust, history } = await trustMaterial(flags, command, session);
  const bundles = [];
  for (const file of flags.bundle ?? []) {
    bundles.push({ name: file, url: encodeURI(basename(file)), bytes: await readInput(file) });
  }
  const choice = await runChoice(flags);
  const stored =
    choice === undefined
      ? {}
      : { stored: { server: evidenceStoreUrl(session.env, dataFlag(command), flags.evidenceUrl), choice } };
  const { runs, refused } = await gatherRuns(
    { bundles, ...stored },
    { trust, policy, reviewers, peopleIssuer: flags.reviewIssuer },
  );
  await history.settle();
  return { runs, refused: refused.map((one) => ({ ...one, message: oneLine(one.message) })) };
}

function usage(message: string, expected: string): CliError {
  return new CliError('cli.usage', message, { expected });
}
