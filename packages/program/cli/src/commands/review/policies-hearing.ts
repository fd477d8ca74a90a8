import { coveringPolicies, hearsRejection } from '@colophon/admission';
import type { Command } from 'commander';
import { readPolicies } from '../../admission-policy/read-policies.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import type { Session } from '../../program/program.ts';
import { coloursFor, oneLine, shellWord } from '../../terminal/terminal.ts';
import type { ReviewedResult, Signed } from '../signed-result.ts';
import type { WordPlace } from './word-target.ts';

type Hearing = NonNullable<ReviewedResult['policies']>;

/**
 * Says which policies of the configuration hear a rejection that was signed: of an image those that cover it. A policy that
 * cannot be read is told and takes nothing back, since the rejection stands.
 * @returns undefined where the configuration names no policy, or one that cannot be read
 */
export async function policiesHearing(
  [signed]: readonly Signed[],
  place: WordPlace,
  command: Command,
  session: Session,
): Promise<Hearing | undefined> {
  const say = saying(session);
  const image = place.kind === 'image' ? place.reference : undefined;
  const asked = `colophon admit ${shellWord(image ?? 'IMAGE')} --policy FILE`;
  const known = session.policyFiles ?? [];
  if (known.length === 0) {
    say(`note: the configuration names no policies, so who hears this is not known; ask: ${asked}`);
    return undefined;
  }
  const read = await readable(known, command, session);
  if (read.files === undefined) {
    say(`note: who hears this is not known: ${read.why}; ask: ${asked}`);
    return undefined;
  }
  const covering = read.files.filter(
    ({ policy }) => image === undefined || coveringPolicies(image, [policy]).length > 0,
  );
  const by = signed?.certificate_identity;
  const policies = covering.map(({ name, policy }) => ({
    file: oneLine(name),
    policy: oneLine(policy.name),
    hears: by !== undefined && hearsRejection(policy, by, { isListedOnly: image === undefined }),
  }));
  for (const { policy, hears } of policies) say(`${hears ? 'heard by' : 'not heard by'} the policy ${policy}`, hears);
  if (policies.every(({ hears }) => !hears)) {
    const whom = `${by?.subject} of ${by?.issuer}`;
    const why = policies.length === 0 ? `none covers ${image}` : `none names ${whom}`;
    say(`warning: no known policy hears it: ${why}, so none refuses for it`);
  }
  return policies;
}

async function readable(paths: readonly string[], command: Command, session: Session) {
  try {
    return { files: await readPolicies(paths, command, session) };
  } catch (error) {
    if (error instanceof CliError) return { why: error.message };
    throw error;
  }
}

function saying({ terminal }: Session) {
  const { dim, yellow } = coloursFor(terminal);
  return (line: string, isQuiet = false) => terminal.stderr.write(`${(isQuiet ? dim : yellow)(oneLine(line))}\n`);
}
