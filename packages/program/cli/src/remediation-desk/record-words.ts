import type { RemediationEvent, RemediationRecord, VoidCause } from '@colophon/records';
import { actorBasis, exploitationDisputes } from '@colophon/remediation-rules';
import { widthOf } from '../column-table/column-table.ts';
import { wrapLine, wrapTable } from '../column-table/wrapped-lines.ts';
import { coloursFor, counted, oneLine, type Terminal } from '../terminal/terminal.ts';

/** Everything that a record says, for a person. */
export function recordPage(record: RemediationRecord, terminal: Terminal): string {
  const colours = coloursFor(terminal, terminal.stdout);
  const width = widthOf({ terminal });
  const { resolution, closing_signature: signature } = record;
  const said = (value: string | number | null) => (value === null ? '-' : String(value));
  const score = record.cvss_score === null ? '' : `, CVSS ${record.cvss_score}`;
  const lacking = exploitationDisputes(record).length > 0 ? '; the catalog does not have it' : '';
  return [
    `${wrapLine(colours.bold(oneLine(`${record.cve} in ${record.component} of ${record.product}`)), width)}\n`,
    wrapTable(
      [
        ['record', record.id],
        ['state', `${record.state}, ${record.vex_status}, ${record.sla_compliance.replaceAll('_', ' ')}`],
        [
          'priority',
          `${record.remediation_priority} (${record.severity}${score}${record.cisa_kev ? ', known exploited' : ''})`,
        ],
        ['due', said(record.due_at)],
        ['version', record.current_version],
        ['package', said(record.purl)],
        ['also known', record.aliases.join(', ') || '-'],
        ['fixed in', record.fixed_in_versions.join(', ') || '-'],
        ['decision', `${record.decision}${record.patch_version === null ? '' : `, version ${record.patch_version}`}`],
        ['owner', said(record.owner)],
        ['tracking', said(record.tracking_id)],
        ['discovered', record.discovered_at],
        ['estimated', said(record.estimated_patch_date)],
        ['patched', said(record.date_patched)],
        ['deployed', said(record.deployed_at ?? record.date_deployed)],
        ['days', said(record.days_to_remediate)],
        ...record.sightings.map((one) => [
          'seen by',
          `${one.scanner} ${one.scanner_version ?? ''} at ${said(one.scanned_at)}, database ${said(one.database_built_at)}, SBOM ${one.sbom?.digest ?? 'unknown'}`,
        ]),
        ...record.sightings.flatMap(({ scanner, exploited }) =>
          exploited === undefined ? [] : [['exploited', `${exploited}, says ${scanner}${lacking}`]],
        ),
        ...record.sightings.flatMap(({ scanner, withdrawn }) =>
          withdrawn === undefined ? [] : [['withdrawn', `${withdrawn}, says ${scanner}`]],
        ),
        ...(resolution === null ? [] : [['closed by', resolutionWords(resolution)]]),
        ...(record.state === 'open'
          ? []
          : [['signed by', signature === null ? 'nobody' : `${signature.signer}, bundle ${signature.bundle}`]]),
        ...record.evidence.map(({ kind, name, digest }) => ['evidence', `${kind} ${digest} (${name})`]),
      ],
      width,
    ),
    `\n${colours.bold('history')}\n`,
    wrapTable(
      record.history.map((event) => [event.at, event.action, actorWords(event), changesWords(event)]),
      width,
    ),
  ].join('');
}

/** Why a record was set aside. */
export const VOID_WORDS: Readonly<Record<VoidCause, string>> = {
  mistake: 'opened by mistake',
  withdrawn_advisory: 'the advisory was withdrawn',
  joined: 'another record of the same vulnerability goes on with it',
};

function resolutionWords(resolution: NonNullable<RemediationRecord['resolution']>): string {
  if (resolution.kind === 'void') return `nothing: ${VOID_WORDS[resolution.cause]}`;
  if (resolution.kind === 'statement') {
    return `${resolution.justification}, stated at ${resolution.stated_at}, signed by ${resolution.signer}`;
  }
  const { sbom, scans } = resolution;
  return `${scans.map(({ scanner }) => scanner).join(', ')} lists it no more in ${sbom.digest} (${sbom.artifact_version ?? 'no version'})`;
}

function actorWords(event: RemediationEvent): string {
  const basis = actorBasis(event);
  return basis === undefined ? event.by : `${event.by} (${basis})`;
}

/** ` (set aside: CODE, CODE)`; nothing where the reason set nothing aside. */
export function overrideWords(event: RemediationEvent | undefined): string {
  const { overrides = [] } = event ?? {};
  return overrides.length === 0 ? '' : ` (set aside: ${oneLine(overrides.join(', '))})`;
}

/** What scanners say of an advisory that was withdrawn; undefined where one of them goes on counting it. */
export function withdrawnWords({ sightings }: RemediationRecord): string | undefined {
  const [first] = sightings;
  return sightings.every(({ withdrawn }) => withdrawn !== undefined) ? first?.withdrawn : undefined;
}

function changesWords(event: RemediationEvent): string {
  const { action, changes, reason } = event;
  // The first event says every field, which stands above.
  const fields = action === 'opened' ? [] : Object.entries(changes);
  const words = fields.map(([field, [from, to]]) => `${field}: ${from ?? '-'} → ${to ?? '-'}`);
  return [...(reason === undefined ? [] : [`${reason}${overrideWords(event)}`]), ...words].join('; ');
}

/** `3 records opened, 1 updated`; nothing that is zero. */
export function countedOutcomes(outcomes: Readonly<Record<string, readonly unknown[]>>): string {
  const parts = Object.entries(outcomes).flatMap(([outcome, { length }]) =>
    length === 0 ? [] : [`${length} ${outcome}`],
  );
  const total = Object.values(outcomes).reduce((sum, { length }) => sum + length, 0);
  return `${counted(total, 'record')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}
