import { basename } from 'node:path';
import {
  type AssessmentNote,
  disputeNotes,
  enrichFindings,
  type KnownExploitedCatalog,
  normaliseVulnerabilityId,
} from '@colophon/findings';
import type { Issue } from '@colophon/json';
import type { ScanRecord } from '@colophon/records';
import { type EnrichedFinding, REMEDIATION_PRIORITIES, type RemediationPriority } from '@colophon/records';
import type { EvidenceFile, OpenRequest } from '@colophon/remediation';
import { type Opening, shownOpening } from '@colophon/remediation-rules';
import { MAX_BOM_BYTES } from '@colophon/sbom';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { type TableView, type WideFlag, wideOption } from '../../column-table/column-table.ts';
import { readBounded } from '../../input/bounded-input.ts';
import {
  type CatalogFlags,
  type ChosenCatalog,
  chosenCatalog,
  withCatalog,
} from '../../known-exploited/catalog-source.ts';
import { tellDisputes } from '../../known-exploited/dispute-words.ts';
import { priorityOption } from '../../known-exploited/priority-table.ts';
import { example } from '../../program/example.ts';
import { lacking, type Missing } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { actorOf, atDesk, type DeskFlags, policyOf, withActor } from '../../remediation-desk/desk-session.ts';
import { warnOfPartialScans } from '../../remediation-desk/partial-scan-warning.ts';
import type { RemediationOpenResult } from '../../remediation-desk/record-result.ts';
import { recordTable } from '../../remediation-desk/record-table.ts';
import { countedOutcomes, withdrawnWords } from '../../remediation-desk/record-words.ts';
import { readWorkflowScans, type ScanFactFlags, scanFactOptions } from '../../remediation-desk/workflow-scans.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { coloursFor, oneLine } from '../../terminal/terminal.ts';

type OpenFlags = DeskFlags &
  CatalogFlags &
  ScanFactFlags & {
    readonly scan: readonly string[];
    readonly productName?: string;
    readonly vulnerability?: readonly string[];
    readonly priority?: readonly RemediationPriority[];
    readonly owner?: string;
    readonly trackingId?: string;
    readonly reason?: string;
    readonly output: OutputFormat;
  } & WideFlag;

/** What of a scan is opened. */
type Choice = { readonly cves?: ReadonlySet<string>; readonly priorities?: ReadonlySet<string> };

/** `colophon remediation open`: a record for everything that a scan lists (contract §3). */
export function defineOpen(command: Command, session: Session): void {
  command
    .addHelpText(
      'after',
      example(
        'colophon remediation open --scan scan.json --sbom app.cdx.json \\',
        '  --owner dana@example.com --tracking-id SEC-1041',
        'colophon remediation open --scan grype.json --scan trivy.json \\',
        '  --product-name shop',
      ),
    )
    .requiredOption('--scan <file>', "a scanner's output, or a kept scan; repeatable", everyValue)
    .option('--sbom <file>', 'the SBOM that was scanned: kept, and what a later one is compared with')
    .option('--product-name <name>', 'name of the product (default: the artifact of the SBOM)')
    .option('--vulnerability <id>', 'only this one; repeatable', everyValue)
    .addOption(priorityOption())
    .option('--owner <email>', 'owner of the new records')
    .option('--tracking-id <id>', 'id in your own issue tracker')
    .option('--reason <text>', 'for the history: why a scan counts although none of its components are in the SBOM');
  for (const option of scanFactOptions()) command.addOption(option);
  withCatalog(withActor(command))
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (flags: OpenFlags, command: Command) => {
      const { request, notices, chosen } = await readRequest(flags, command, session);
      const opening = await atDesk(flags, command, session, (desk) => desk.open(request), {}).catch(missingFlags);
      const result: RemediationOpenResult = {
        ok: true,
        ...shownOpening(opening),
        ...(notices.length > 0 && { notices }),
      };
      printResult(session.terminal, flags.output, result, () =>
        describe(opening, { terminal: session.terminal, wide: flags.wide }),
      );
      tellDisputes(session.terminal, notices, chosen?.entry);
      const scans = request.scans.map(({ scan }) => scan);
      if (request.sbom !== undefined) warnOfPartialScans(scans, request.sbom.bytes, session.terminal);
      warnOfWithdrawn(opening, session);
      if (request.owner === undefined || request.trackingId === undefined) warnOfOwnership(opening, session);
    });
}

/** What is asked of the desk, and what its asker hears of besides. */
type ReadRequest = {
  readonly request: OpenRequest;
  readonly notices: readonly AssessmentNote[];
  readonly chosen: ChosenCatalog | undefined;
};

async function readRequest(flags: OpenFlags, command: Command, session: Session): Promise<ReadRequest> {
  const actor = actorOf(flags);
  const policy = await policyOf(flags, session);
  const choice = choiceOf(flags);
  const progress = progressLine(session.terminal);
  progress.show('reading the scans');
  const scans = await readWorkflowScans(flags.scan, flags, actor.at);
  const chosen = await catalogOf(flags, command, session);
  progress.clear();
  const looked = chosen?.catalog ?? NO_CATALOG;
  const toOpen = scans.map((scan) => ({
    scan,
    findings: enrichFindings(scan.findings, looked, { at: actor.at }).filter((finding) => isChosen(finding, choice)),
  }));
  if (choice.cves !== undefined) assertListed(choice.cves, scans);
  const enriched = toOpen.flatMap(({ findings }) => findings);
  const request: OpenRequest = {
    ...actor,
    scans: toOpen,
    policy,
    ...(flags.sbom !== undefined && { sbom: await sbomFile(flags.sbom) }),
    ...(flags.productName !== undefined && { product: flags.productName }),
    ...(chosen !== undefined && { catalogVersion: chosen.catalog.catalogVersion }),
    ...(flags.owner !== undefined && { owner: flags.owner.trim() }),
    ...(flags.trackingId !== undefined && { trackingId: flags.trackingId.trim() }),
    ...(flags.reason !== undefined && { reason: flags.reason.trim() }),
  };
  return { request, notices: disputeNotes(enriched, chosen?.catalog.catalogVersion), chosen };
}

/** Flags that say what the issues miss. */
const SAID_BY: Readonly<Record<string, Missing['oneOf']>> = {
  'remediation.product_missing': ['--sbom', '--product-name'],
  'remediation.owner_missing': ['--owner'],
  'remediation.tracking_id_missing': ['--tracking-id'],
};

/** Of records that are refused only for what a flag says, names the flags, and what the policy wants of each. */
function missingFlags(error: Error & { readonly issues?: readonly Issue[] }): never {
  const byCode = new Map((error.issues ?? []).map((issue) => [issue.code, issue]));
  const missing = [...byCode.values()].flatMap(({ code, message, expected }): Missing[] => {
    const oneOf = SAID_BY[code];
    if (oneOf === undefined) return [];
    if (code === 'remediation.product_missing') return [{ what: 'the product that was scanned', oneOf }];
    return [{ what: expected === undefined ? message : `${message}: ${expected}`, oneOf }];
  });
  throw byCode.size > 0 && missing.length === byCode.size ? lacking(error, missing) : error;
}

const NO_CATALOG: KnownExploitedCatalog = { catalogVersion: '', count: 0, entries: new Map() };

/** An SBOM as a file of evidence. */
export async function sbomFile(file: string): Promise<EvidenceFile> {
  return { name: basename(file), bytes: await readBounded(file, MAX_BOM_BYTES) };
}

/** Without a catalog nothing is known to be exploited; that is said, and later catalogs make up for it. */
async function catalogOf(flags: CatalogFlags, command: Command, session: Session): Promise<ChosenCatalog | undefined> {
  try {
    return await chosenCatalog(flags, command, session);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== 'cli.no_catalog' && code !== 'cli.no_database') throw error;
    const { terminal } = session;
    terminal.stderr.write(
      `${coloursFor(terminal).yellow('warning')} no known-exploited catalog is kept: no priority counts exploitation. Run colophon kev update, then colophon remediation escalate\n`,
    );
    return undefined;
  }
}

function choiceOf({ vulnerability, priority }: OpenFlags): Choice {
  return {
    ...(vulnerability !== undefined && { cves: new Set(vulnerability.map(normaliseVulnerabilityId)) }),
    ...(priority !== undefined && { priorities: new Set<string>(priority) }),
  };
}

function isChosen(finding: EnrichedFinding, { cves, priorities }: Choice): boolean {
  if (priorities !== undefined && !priorities.has(finding.remediation_priority)) return false;
  return cves === undefined || [finding.id, ...finding.aliases].some((id) => cves.has(id));
}

function assertListed(cves: ReadonlySet<string>, scans: readonly ScanRecord[]): void {
  const listed = new Set(scans.flatMap(({ findings }) => findings.flatMap(({ id, aliases }) => [id, ...aliases])));
  const missing = [...cves].filter((cve) => !listed.has(cve));
  if (missing.length === 0) return;
  throw new CliError('cli.not_listed', `${missing.map(oneLine).join(', ')} is listed by none of the scans`, {
    expected: [...listed].sort().slice(0, 5).join(', ') || 'a scan that lists something',
    found: missing.join(', '),
    next: 'colophon scan import, which prints what is listed',
  });
}

const MOST_SHOWN = 50;

function describe({ opened, reopened, updated, unchanged }: Opening, view: TableView): string {
  const changed = [...opened, ...reopened, ...updated].sort(
    (one, other) =>
      REMEDIATION_PRIORITIES.indexOf(one.remediation_priority) -
      REMEDIATION_PRIORITIES.indexOf(other.remediation_priority),
  );
  const rest = changed.length - MOST_SHOWN;
  return [
    changed.length === 0 ? '' : recordTable(changed.slice(0, MOST_SHOWN), view),
    rest > 0 ? `… and ${rest} more: colophon remediation list\n` : '',
    `${countedOutcomes({ opened, reopened, updated, unchanged })}\n`,
  ].join('');
}

function warnOfOwnership({ opened, reopened, updated, unchanged }: Opening, { terminal }: Session): void {
  const open = [...opened, ...reopened, ...updated, ...unchanged].filter(({ state }) => state === 'open');
  const lacking = open.filter(({ owner, tracking_id }) => owner === null || tracking_id === null);
  if (lacking.length === 0) return;
  const which = lacking.length === 1 ? '1 record has' : `${lacking.length} records have`;
  terminal.stderr.write(
    `${coloursFor(terminal).yellow('warning')} ${which} no owner or no tracking id, and cannot be closed without: colophon remediation update RECORD --owner EMAIL --tracking-id ID\n`,
  );
}

/** What nobody need look after any more is said, and not counted in silence. */
function warnOfWithdrawn({ opened, reopened, updated, unchanged }: Opening, { terminal }: Session): void {
  const open = [...opened, ...reopened, ...updated, ...unchanged].filter(({ state }) => state === 'open');
  const withdrawn = open.filter((record) => withdrawnWords(record) !== undefined);
  if (withdrawn.length === 0) return;
  const named = withdrawn
    .slice(0, MOST_NAMED)
    .map((record) => `${record.cve} in ${record.component} (${withdrawnWords(record)})`);
  const more = withdrawn.length > named.length ? `, and ${withdrawn.length - named.length} more` : '';
  terminal.stderr.write(
    `${coloursFor(terminal).yellow('warning')} withdrawn, and open anyway: ${oneLine(named.join(', '))}${more}\n`,
  );
}

const MOST_NAMED = 5;
