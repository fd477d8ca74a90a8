import { DECISIONS, type Decision, type RemediationRecord, VEX_STATUSES, type VexStatus } from '@colophon/records';
import type { RecordChange } from '@colophon/remediation-rules';
import { type Command, Option } from 'commander';
import { type WideFlag, wideOption } from '../../column-table/column-table.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { actorOf, atDesk, type DeskFlags, policyOf, withDesk } from '../../remediation-desk/desk-session.ts';
import type { RemediationRecordsResult } from '../../remediation-desk/record-result.ts';
import { recordTable } from '../../remediation-desk/record-table.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';

type UpdateFlags = DeskFlags & {
  readonly vulnerability?: readonly string[];
  readonly owner?: string;
  readonly trackingId?: string;
  readonly decision?: Decision;
  readonly patchVersion?: string;
  readonly estimatedPatchDate?: string;
  readonly status?: VexStatus;
  readonly patchedOn?: string;
  readonly deployedOn?: string;
  readonly reason?: string;
  readonly output: OutputFormat;
} & WideFlag;

/** The options that change a record. */
const CHANGES = [
  '--owner',
  '--tracking-id',
  '--decision',
  '--patch-version',
  '--estimated-patch-date',
  '--status',
  '--patched-on',
  '--deployed-on',
  '--reason',
] as const;

/** `colophon remediation update`: what a person knows or decides about records. */
export function defineUpdate(command: Command, session: Session): void {
  withNeeds(
    command,
    {
      what: 'which records',
      oneOf: ['--vulnerability', '<record>'],
      next: 'colophon remediation list --open',
    },
    { what: 'what is to change', oneOf: CHANGES },
  )
    .addHelpText(
      'after',
      example(
        'colophon remediation update --vulnerability CVE-2021-44228 --status affected \\',
        '  --decision patch --patch-version 2.17.1 --estimated-patch-date 2026-01-31',
      ),
    )
    .option('--vulnerability <id>', 'every open record of this vulnerability; repeatable', everyValue)
    .option('--owner <email>', 'owner of the records')
    .option('--tracking-id <id>', 'id in your own issue tracker')
    .addOption(new Option('--decision <decision>', 'what is to be done').choices(DECISIONS))
    .option('--patch-version <version>', 'the version to go to')
    .option('--estimated-patch-date <day>', 'when it is to be patched, e.g. 2026-01-31')
    .addOption(
      new Option('--status <status>', 'under_investigation or affected; the others are reached by close').choices(
        VEX_STATUSES,
      ),
    )
    .option('--patched-on <day>', 'when it was patched')
    .option('--deployed-on <day>', 'when that was deployed: a day, or a time such as 2026-01-31T12:00:00Z')
    .option('--reason <text>', 'why, for the history');
  withDesk(command)
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (references: string[], flags: UpdateFlags, command: Command) => {
      const change = changeOf(flags);
      const actor = actorOf(flags);
      const policy = await policyOf(flags, session);
      const records = await atDesk(flags, command, session, async (desk) => {
        const ofCves = await Promise.all((flags.vulnerability ?? []).map((cve) => desk.findAll(cve, actor.at)));
        return desk.update([...references, ...ofCves.flatMap(toChange)], change, { ...actor, policy });
      });
      const result: RemediationRecordsResult = { ok: true, records };
      printResult(session.terminal, flags.output, result, () =>
        recordTable(records, { terminal: session.terminal, wide: flags.wide }),
      );
    });
}

/** The open records of a CVE. Where all are closed they are refused as such: else nothing would be done, and that be well. */
function toChange(records: readonly RemediationRecord[]): readonly string[] {
  const open = records.filter(({ state }) => state === 'open');
  return (open.length === 0 ? records : open).map(({ id }) => id);
}

function changeOf(flags: UpdateFlags): RecordChange {
  const stated: Record<keyof RecordChange, string | undefined> = {
    owner: flags.owner?.trim(),
    tracking_id: flags.trackingId?.trim(),
    decision: flags.decision,
    patch_version: flags.patchVersion?.trim(),
    estimated_patch_date: flags.estimatedPatchDate?.trim(),
    vex_status: flags.status,
    date_patched: flags.patchedOn?.trim(),
    deployed: flags.deployedOn?.trim(),
    reason: flags.reason,
  };
  return Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined)) as RecordChange;
}
