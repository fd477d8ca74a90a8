import { hostname, userInfo } from 'node:os';
import { isEmailAddress } from '@colophon/records';
import { RemediationDesk } from '@colophon/remediation';
import { type Actor, DEFAULT_REMEDIATION_POLICY, type RemediationPolicy } from '@colophon/remediation-rules';
import type { Command } from 'commander';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import type { Session } from '../program/program.ts';
import { readRemediationPolicy } from '../remediation-policy/read-remediation-policy.ts';
import {
  openTriageDatabase,
  type TriageDatabaseFlags,
  withTriageDatabase,
} from '../triage-database/triage-database.ts';

/** The flags of every command that changes records. */
export type DeskFlags = TriageDatabaseFlags & { readonly remediationPolicy?: string; readonly by?: string };

const POLICY_VARIABLE = 'COLOPHON_REMEDIATION_POLICY';

/** Adds `--remediation-policy`, `--by` and `--database`. */
export function withDesk(command: Command): Command {
  return withTriageDatabase(withActor(command));
}

/** Adds `--remediation-policy` and `--by` alone, where the database is named by others. */
export function withActor(command: Command): Command {
  return command
    .option(
      '--remediation-policy <file>',
      `who must own records, and who may speak in VEX (default: $${POLICY_VARIABLE})`,
    )
    .option('--by <email>', 'whose change it is (default: the user of this machine)');
}

/** Opens the desk, works there, and closes it, whatever happens. */
export async function atDesk<T>(
  flags: TriageDatabaseFlags,
  command: Command,
  session: Session,
  work: (desk: RemediationDesk) => Promise<T>,
  options: { readonly mustExist?: boolean } = { mustExist: true },
): Promise<T> {
  const db = await openTriageDatabase(flags, command, session, options);
  try {
    return await withNextOnConflict(async () => work(await RemediationDesk.over(db)));
  } finally {
    await db.close();
  }
}

function withNextOnConflict<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'store.conflict') throw error;
    const expected = 'the record as it was read: nothing was written; the same command reads what somebody else wrote';
    return withFacts({ expected }, () => Promise.reject(error));
  });
}

/** Who does it, and when. @throws CliError `cli.usage` for a --by that is no address */
export function actorOf({ by }: DeskFlags, reviewer?: string): Actor {
  if (by !== undefined && !isEmailAddress(by)) {
    throw new CliError('cli.usage', '--by is no e-mail address', {
      expected: 'such as dana@example.com',
      found: by,
    });
  }
  return { at: new Date().toISOString(), by: by ?? reviewer ?? `${userName()}@${hostname()}` };
}

/** A user whom the system does not know has a number alone, as in a container. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** The policy of `--remediation-policy`, else of the environment, else the default. @throws CliError `cli.policy_invalid` */
export async function policyOf({ remediationPolicy }: DeskFlags, { env }: Session): Promise<RemediationPolicy> {
  const file = remediationPolicy ?? (env[POLICY_VARIABLE] || undefined);
  if (file !== undefined) return readRemediationPolicy(file);
  return DEFAULT_REMEDIATION_POLICY;
}
