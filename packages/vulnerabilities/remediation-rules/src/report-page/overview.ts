import { dayNumber, formatDay } from '@colophon/notation';
import { type QuarterlyReport, RATED_SEVERITIES, type ReportNotes, TARGETED_SEVERITIES } from '@colophon/records';
import { type Figure, type ReportDetails, SIDE_FIGURES } from '../report/report-details.ts';
import { type ReportFile, reportFileName } from '../report/report-files.ts';
import { beforeFirstRecord } from '../report/report-notes.ts';
import { barChart, days, partsChart, slaChart } from './charts.ts';
import { FIGURE_WORDS } from './figure-words.ts';
import { type Html, html } from './html.ts';
import type { PageLinks } from './page-links.ts';

/** What a page shows a report out of. */
export type PageInput = {
  readonly report: QuarterlyReport;
  readonly details: ReportDetails;
  readonly links: PageLinks;
  /** Every document beside it. */
  readonly files: readonly ReportFile[];
  readonly notes: ReportNotes;
};

/** Title, period and the four numbers that people ask for first. */
export function heading({ report, details, links, notes }: PageInput): Html {
  const { period, asOf, product, figures } = details;
  const lastOfPeriod = formatDay(period.endDay - 1);
  const state =
    asOf === lastOfPeriod
      ? html`As of the end of the quarter`
      : html`<strong>The quarter is not over.</strong> As of the end of ${longDay(asOf)}`;
  const overdue = figures.overdue.length;
  const link = (figure: Figure, shown: string | number) =>
    html`<a href="${links.toFigure(figure, links.main)}">${shown}</a>`;
  const { remediation_metrics: metrics, cve_sources: sources } = report;
  const due = figures['remediation_metrics.sla_compliance_rate'].length;
  const inTime = link('remediation_metrics.patched_within_sla', metrics.patched_within_sla);
  const wasDue = link('remediation_metrics.sla_compliance_rate', due);
  return html`<header class="top"><a class="skip" href="#main">To the figures</a>
<h1>Quarterly compliance report ${period.name}</h1>
<p class="lead">${longDay(period.from)} to ${longDay(lastOfPeriod)}, days in UTC</p>
<p class="lead">${product === undefined ? productWords(details) : html`Only of the product <bdi>${product}</bdi>`}</p>
<p class="lead">${state}</p>
${beforeFirst(notes)}
<ul class="heads">
<li><span class="number">${link('total_cves_discovered', report.total_cves_discovered)}</span>CVEs discovered<small>${link('carried_over', figures.carried_over.length)} more carried over</small></li>
<li><span class="number">${link('remediation_metrics.sla_compliance_rate', metrics.sla_compliance_rate)}</span>SLA compliance rate<small>${setAside(notes)}${due === 0 ? 'nothing was due' : html`${inTime} in time of ${wasDue} that ${due === 1 ? 'was' : 'were'} due`}</small></li>
<li><span class="number">${link('remediation_metrics.still_pending', metrics.still_pending)}</span>still pending<small>${overdue === 0 ? html`none of them overdue` : html`<span class="warn">${link('overdue', overdue)} overdue</span>`}</small></li>
<li><span class="number">${link('cve_sources.cisa_kev', sources.cisa_kev)}</span>known to be exploited<small>of those discovered, in the CISA catalog</small></li>
</ul></header>`;
}

function beforeFirst(notes: ReportNotes): Html | undefined {
  const words = beforeFirstRecord(notes);
  return words === undefined
    ? undefined
    : html`<p class="lead"><strong>Nothing was recorded in this quarter:</strong> ${words}.</p>`;
}

/** Beside the rate, since what is set aside is not in it. */
function setAside({ voided }: ReportNotes): Html | undefined {
  return voided.length === 0
    ? undefined
    : html`<a href="#beside">${count(voided.length, 'record', 'records')} set aside</a>; `;
}

/** Names that still fit into a line or two. */
const MOST_PRODUCTS = 8;

/** Of what this is the report. */
function productWords({ records }: ReportDetails): Html {
  const names = [...new Set(records.map(({ product }) => product))].sort();
  if (names.length === 0) return html`Of no product: there are no records`;
  const shown = names.slice(0, MOST_PRODUCTS).map((name, index) => html`${index === 0 ? '' : ', '}<bdi>${name}</bdi>`);
  const rest = names.length - shown.length;
  return html`Records of ${count(names.length, 'product', 'products')}: ${shown}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** What was discovered, by severity and source. */
export function discovered({ report, details, links }: PageInput): Html {
  const without = details.figures.without_severity.length;
  const bars = RATED_SEVERITIES.map((severity) => ({
    label: FIGURE_WORDS[`cves_by_severity.${severity}`].title,
    count: report.cves_by_severity[severity],
    colour: severity,
    href: links.toFigure(`cves_by_severity.${severity}`, links.main),
  }));
  const note =
    without === 0
      ? undefined
      : html`<p>Under low ${without === 1 ? 'is' : 'are'} <a href="${links.toFigure('without_severity', links.main)}">${without} without a severity</a>: nobody scored ${without === 1 ? 'it' : 'them'}, or with zero.</p>`;
  const rows: readonly Figure[] = ['total_cves_discovered', 'cve_sources.cisa_kev', 'cve_sources.nvd_only'];
  return html`<section aria-labelledby="discovered"><h2 id="discovered">Discovered in the quarter</h2>
${barChart('CVEs discovered by severity', bars)}
${note}
${figureTable('Discovered CVEs', [rows[0]!, ...RATED_SEVERITIES.map((one) => `cves_by_severity.${one}` as const), rows[1]!, rows[2]!], { report, details, links })}</section>`;
}

/** What became of everything that was open. */
export function outcomes(input: PageInput): Html {
  const { report, details, links } = input;
  const { figures } = details;
  const link = (figure: Figure) => html`<a href="${links.toFigure(figure, links.main)}">${figures[figure].length}</a>`;
  const overdue = figures.overdue.length;
  const metrics = report.remediation_metrics;
  const part = (figure: Figure, label: string, count: number, colour: string) => ({
    label,
    count,
    colour,
    href: links.toFigure(figure, links.main),
  });
  const parts = [
    part('remediation_metrics.patched_within_sla', 'patched in time', metrics.patched_within_sla, 'good'),
    part(
      'remediation_metrics.marked_not_affected_with_vex',
      'not affected',
      metrics.marked_not_affected_with_vex,
      'none',
    ),
    part('not_overdue', 'pending, not overdue', figures.not_overdue.length, 'wait'),
    part('remediation_metrics.patched_out_of_sla', 'patched late', metrics.patched_out_of_sla, 'late'),
    part('overdue', 'pending, overdue', overdue, 'bad'),
  ];
  const shown: Figure[] = [
    'in_period',
    'carried_over',
    'remediation_metrics.patched_within_sla',
    'remediation_metrics.patched_out_of_sla',
    'remediation_metrics.marked_not_affected_with_vex',
    'remediation_metrics.still_pending',
    'overdue',
    'not_overdue',
    ...(figures.unproven.length === 0 ? [] : (['unproven'] as const)),
    'remediation_metrics.sla_compliance_rate',
  ];
  return html`<section aria-labelledby="outcomes"><h2 id="outcomes">What became of them</h2>
<p>${link('in_period')} ${figures.in_period.length === 1 ? 'CVE was' : 'CVEs were'} open at some time in the quarter: ${link('total_cves_discovered')} discovered in it, and ${link('carried_over')} carried over from before.</p>
${partsChart('Outcome of the CVEs that were open in the quarter', parts)}
${figureTable('Remediation', shown, input)}</section>`;
}

/** How long it took, against the targets. */
export function timeToRemediate({ report, details, links }: PageInput): Html {
  const bars = TARGETED_SEVERITIES.map((severity) => ({
    ...report.sla_by_severity[severity],
    label: FIGURE_WORDS[`sla_by_severity.${severity}`].title,
    colour: report.sla_by_severity[severity].pass ? 'good' : 'bad',
    href: links.toFigure(`sla_by_severity.${severity}`, links.main),
    count: details.figures[`sla_by_severity.${severity}`].length,
  }));
  const rows = bars.map(
    ({ label, count: cves, href, target_days, actual_avg_days, pass }) =>
      html`<tr><th scope="row">${label}</th><td class="n">${target_days}</td><td class="n">${cves === 0 ? '–' : html`<a href="${href}">${actual_avg_days}</a>`}</td><td class="n"><a href="${href}">${cves}</a></td><td><span class="tag t-${pass ? 'good' : 'bad'}">${pass ? (cves === 0 ? 'nothing due' : 'pass') : 'fail'}</span></td></tr>`,
  );
  return html`<section aria-labelledby="time"><h2 id="time">Time to remediate</h2>
<p>Average days from discovery to deployment; what is overdue counts with its days so far. The upright line is the target, and each severity has a scale of its own. Low has no target.</p>
${slaChart('Average days to remediate against the target', bars)}
<table class="sla"><caption>SLA by severity <span class="field">sla_by_severity</span></caption><thead><tr><th scope="col">Severity</th><th scope="col" class="n">Target, days</th><th scope="col" class="n">Average, days</th><th scope="col" class="n">CVEs</th><th scope="col">Result</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

/** The documents that the report names, and those behind its records. */
export function artifactTable({ report, files }: PageInput): Html {
  const { sbom, vulnerability_scan, vex_documents, remediation_records } = report.artifacts;
  const fields: ReadonlyArray<readonly [field: string, name: string]> = [
    ['artifacts.sbom', sbom],
    ['artifacts.vulnerability_scan', vulnerability_scan],
    ...vex_documents.map((name) => ['artifacts.vex_documents', name] as const),
    ['artifacts.remediation_records', remediation_records],
  ];
  const digests = new Map(files.map(({ name, digest }) => [name, digest] as const));
  const named = fields.map(([field, name]) => fileRow(field, name, digests.get(name)));
  const own = new Set(fields.map(([, name]) => name));
  const others = files
    .filter(({ name }) => !own.has(name))
    .map(({ kinds, name, digest }) => fileRow(kinds.join(', ') || 'basis', name, digest));
  return html`<section aria-labelledby="artifacts"><h2 id="artifacts">Artifacts</h2>
<p>All of them stand beside this page, and <a href="./SHA256SUMS">SHA256SUMS</a> lists them with their digests.</p>
<div class="wide"><table><thead><tr><th scope="col">What</th><th scope="col">File</th><th scope="col">Digest</th></tr></thead><tbody>${named}${others}</tbody></table></div></section>`;
}

function fileRow(what: string, name: string, digest: string | undefined): Html {
  return html`<tr><td class="field">${what}</td><td><a href="./${name}">${name}</a></td><td class="mono">${digest ?? 'in SHA256SUMS'}</td></tr>`;
}

/** Who signed, when and with what: a page that is itself signed cannot say it, and says where it stands. */
export function signatures({ report }: PageInput): Html {
  const name = reportFileName(report.period);
  return html`<section aria-labelledby="signatures"><h2 id="signatures">Who signed it, and how to check it</h2>
<p>Signatures are made over finished files, so this page cannot show its own. A signed report has two of them beside it: <code>${name}.sigstore.json</code> over the figures, and <code>SHA256SUMS.sigstore.json</code> over the list of all files, this page among them. Where they are missing, nobody signed.</p>
<dl class="rules"><dt>Is the folder whole?</dt><dd><code>sha256sum -c SHA256SUMS</code></dd>
<dt>Who says to have signed it, when and with what?</dt><dd><code>colophon inspect SHA256SUMS.sigstore.json</code></dd>
<dt>Is that true, and do the numbers follow from the records?</dt><dd><code>colophon report verify . --certificate-identity SUBJECT --certificate-oidc-issuer ISSUER</code>, with the signer whom you expect.</dd></dl></section>`;
}

/** One line for each figure: its number, what it counts, and its name in the report. */
function figureTable(
  caption: string,
  shown: readonly Figure[],
  { report, details, links }: Omit<PageInput, 'files' | 'notes'>,
): Html {
  const rows = shown.map((figure) => {
    const { title, meaning } = FIGURE_WORDS[figure];
    const isRate = figure === 'remediation_metrics.sla_compliance_rate';
    const number = isRate ? report.remediation_metrics.sla_compliance_rate : details.figures[figure].length;
    const name = OURS.has(figure) ? undefined : html`<span class="field">${figure}</span>`;
    return html`<tr><th scope="row">${title}</th><td class="n"><a href="${links.toFigure(figure, links.main)}">${number}</a></td><td>${meaning}${name}</td></tr>`;
  });
  return html`<table class="figures"><caption>${caption}</caption><thead><tr><th scope="col">Figure</th><th scope="col" class="n">Number</th><th scope="col">What it counts</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** These have no field in the report. */
const OURS: ReadonlySet<string> = new Set(SIDE_FIGURES);

export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** `31 December 2026` */
export function longDay(day: string): string {
  if (dayNumber(day) === undefined) return day;
  const [year, month, date] = day.split('-');
  return `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}`;
}

/** The rules by which everything was counted. */
export function rules(): Html {
  const all: ReadonlyArray<readonly [string, string]> = [
    [
      'The unit is the CVE',
      'A CVE may have a record in several components and products. Its severity is the highest of them, its outcome the worst, its days the most, its discovery the first.',
    ],
    ['Severity', 'As the records state it. What is scored zero, or by nobody, is under low.'],
    [
      'Days',
      `Whole days of the calendar in UTC, from the day of discovery to the day of deployment. Discovered and deployed on one day is 0 days. In time is at most the target: ${days(1)} for critical, 7 for high, 30 for medium. Low has no target and is never late.`,
    ],
    [
      'Patched',
      'Deployed, and shown by a scan of a newer SBOM that no longer lists it. Deployed without such a scan is still pending.',
    ],
    ['Not affected', 'Settled by a VEX statement. Not due, so neither in the rate nor in an average.'],
    [
      'The rate',
      'Patched in time, divided by patched in time, patched late and overdue together. Rounded to one decimal; 100.0% is said only where nothing was late. With nothing due it is 100.0%.',
    ],
    [
      'The averages',
      'Over the same CVEs as the rate. Rounded to one decimal, and never from above the target down to it. With nothing due: 0 days, pass.',
    ],
    [
      'Carried over',
      'What was open when the quarter began is counted under remediation in this quarter too, until it is settled. What was reopened after the last day that counts is still settled here.',
    ],
  ];
  const items = all.map(([title, words]) => html`<dt>${title}</dt><dd>${words}</dd>`);
  return html`<section aria-labelledby="rules"><h2 id="rules">How this was counted</h2><dl class="rules">${items}</dl></section>`;
}
