import { type AssessmentNote, combinedFindings, disputeNotes, enrichFindings, parseFindings } from '@colophon/findings';
import { dayNumber, formatInstant, parseInstant } from '@colophon/notation';
import {
  type EnrichedFinding,
  type Finding,
  REMEDIATION_PRIORITIES,
  type RemediationPriority,
} from '@colophon/records';
import { looksLikeFindings } from '@colophon/scanners';
import { type Command, Option } from 'commander';
import { buildTime } from '../../build-time/build-time.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { type WideFlag, wideOption } from '../../column-table/column-table.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import {
  type CatalogFlags,
  type ChosenCatalog,
  chosenCatalog,
  withCatalog,
} from '../../known-exploited/catalog-source.ts';
import { entriesCounted } from '../../known-exploited/catalog-words.ts';
import { tellDisputes } from '../../known-exploited/dispute-words.ts';
import { priorityCounts, priorityTable } from '../../known-exploited/priority-table.ts';
import { ageOf, warnIfStale } from '../../known-exploited/staleness.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import type { OutputFormat } from '../../report/report.ts';
import { writeJsonArray } from '../../scan-file/finding-output.ts';
import {
  knownFacts,
  type NamedScanFile,
  openScanFile,
  readOpenedFile,
  readScanFile,
  scanInvalid,
} from '../../scan-file/scan-file.ts';
import { describeNotes, describeScans } from '../../scan-file/scan-summary.ts';
import { counted, oneLine } from '../../terminal/terminal.ts';

type EnrichFlags = CatalogFlags & {
  readonly at?: string;
  readonly failOn?: RemediationPriority;
  readonly output: OutputFormat;
} & WideFlag;

/** `colophon kev enrich`: findings with what the catalog says of them, and how soon each is due (contract §2.8, §8). */
export function defineEnrich(command: Command, session: Session): void {
  command
    .option('--at <time>', 'moment of enrichment: a day in UTC or an RFC 3339 time (default: now)')
    .addOption(
      new Option('--fail-on <priority>', 'exit 21 for a finding of this priority or a higher one').choices(
        REMEDIATION_PRIORITIES.filter((priority) => priority !== 'unknown'),
      ),
    );
  withCatalog(command)
    .addOption(outputOption())
    .addOption(wideOption())
    .addHelpText(
      'after',
      '\nFindings are what `scan import --output json` prints, a kept scan, or a\nscanner’s output; - is stdin.',
    )
    .addHelpText('after', example('colophon kev enrich grype.json trivy.json --fail-on high-exploited'))
    .action(async (files: string[], flags: EnrichFlags, command: Command) => {
      const { terminal, env } = session;
      const at = flags.at === undefined ? buildTime(env) : momentOf(flags.at);
      const chosen = await chosenCatalog(flags, command, session);
      const findings = await readFindings(files, at, session);
      const enriched = enrichFindings(findings, chosen.catalog, { at });
      if (flags.output === 'json') writeJsonArray(terminal, enriched);
      else terminal.stdout.write(priorityTable(enriched, { terminal, wide: flags.wide }));
      terminal.stderr.write(`${oneLine(summary(enriched, chosen, at))}\n`);
      tellDisputes(terminal, disputeNotes(enriched, chosen.catalog.catalogVersion), chosen.entry);
      warnIfStale(terminal, chosen.catalog.catalogVersion, ageOf(chosen, at));
      failOver(enriched, flags.failOn, session);
    });
}

/** @throws CliError `cli.usage` */
function momentOf(text: string): string {
  const instant = parseInstant(dayNumber(text) === undefined ? text : `${text}T00:00:00Z`);
  // Thirty days after it there must still be a day.
  if (instant !== undefined && instant >= 0 && instant < LAST_MOMENT) return formatInstant(instant);
  throw new CliError('cli.usage', '--at is no time', {
    checked: '--at',
    expected: 'a day such as 2026-11-21, or a time such as 2026-11-21T12:00:00Z',
    found: text,
  });
}

const LAST_MOMENT = Date.UTC(9999, 0);

/** Findings of one list keep their order and their own members; scans, and several files, are merged. */
async function readFindings(files: readonly string[], at: string, session: Session): Promise<readonly Finding[]> {
  const [file, ...others] = files as [string, ...string[]];
  if (others.length > 0) return mergedFindings(await openedScans(files, at), session);
  const opened = await openScanFile(file);
  const { document } = opened.opened;
  if (looksLikeFindings(document) || (Array.isArray(document) && document.length === 0)) {
    const notes: AssessmentNote[] = [];
    const parsed = parseFindings(document, (note) => notes.push(note));
    if (parsed.ok) {
      for (const line of describeNotes(notes, session.terminal)) session.terminal.stderr.write(`${line}\n`);
      return parsed.value;
    }
    // One that is left out would be one of which nobody sees that it is exploited.
    throw scanInvalid(file, parsed.issues, undefined, 'entries that are no findings');
  }
  return mergedFindings([await readOpenedFile(opened, { at })], session);
}

async function openedScans(files: readonly string[], at: string): Promise<readonly NamedScanFile[]> {
  const facts = { ...(await knownFacts({})), at };
  const read: NamedScanFile[] = [];
  for (const file of files) read.push(await readScanFile(file, facts));
  return read;
}

function mergedFindings(files: readonly NamedScanFile[], { terminal }: Session): readonly Finding[] {
  const scans = files.flatMap((file) => file.scans);
  const combined = combinedFindings(scans);
  const { findings } = combined;
  const notes = [...files.flatMap((file) => file.notes), ...combined.notes];
  terminal.stderr.write(describeScans({ scans, findings, notes }, terminal));
  return findings;
}

function summary(enriched: readonly EnrichedFinding[], { catalog, name }: ChosenCatalog, at: string): string {
  const { catalogVersion, count } = catalog;
  const counts = priorityCounts(enriched);
  const exploited = enriched.filter(({ cisa_kev }) => cisa_kev.is_exploited).length;
  const disputed = enriched.filter(({ cisa_kev }) => cisa_kev.disputed_by !== undefined).length;
  const alone = disputed === 0 ? '' : `, ${disputed} called so by a scanner alone`;
  const what =
    counts === ''
      ? 'no findings'
      : `${counted(enriched.length, 'finding')}, ${exploited || 'none'} known to be exploited${alone}: ${counts}`;
  return `${what}; due times count from ${at}; catalog ${catalogVersion} with ${entriesCounted(count)}, ${name}`;
}

function failOver(
  enriched: readonly EnrichedFinding[],
  failOn: RemediationPriority | undefined,
  { terminal, setExitCode }: Session,
): void {
  if (failOn === undefined) return;
  const urgent = enriched.filter(
    ({ remediation_priority, suppressed }) =>
      suppressed === undefined &&
      REMEDIATION_PRIORITIES.indexOf(remediation_priority) <= REMEDIATION_PRIORITIES.indexOf(failOn),
  ).length;
  if (urgent === 0) return;
  terminal.stderr.write(`${urgent} at least as urgent as ${failOn}\n`);
  setExitCode(EXIT.overThreshold);
}
