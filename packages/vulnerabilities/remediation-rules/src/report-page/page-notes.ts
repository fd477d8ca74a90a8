import type { ExploitedHours, HoursOfPriority, NotedRecord, ReportNotes } from '@colophon/records';
import { type Html, html } from './html.ts';
import { count, type PageInput } from './overview.ts';

/** What the contract's fields have no place for: hours, products, catalog, and everything that rests on a person's word. */
export function besideFigures({ notes }: PageInput): Html {
  const { exploited, products } = notes;
  return html`<section aria-labelledby="beside"><h2 id="beside">Beside the figures</h2>
<p>The report has no fields for these. They stand in <code>report-notes-${notes.period}.json</code>, and are counted again by whoever verifies it.</p>
${hours(exploited)}
${catalog(notes)}
${products.length < 2 ? undefined : byProduct(notes)}
${overrides(notes)}
${early(notes)}
${voided(notes)}
${proofs(notes)}
${listings(notes)}</section>`;
}

function hours({ critical_exploited, high_exploited }: ExploitedHours): Html {
  const all = [critical_exploited, high_exploited];
  if (all.every((one) => dueOf(one) + one.open_in_time === 0)) {
    return html`<p>No record of an exploited vulnerability was open in the quarter, so no hours were measured.</p>`;
  }
  const rows = [
    ['Critical, exploited', critical_exploited],
    ['High, exploited', high_exploited],
  ] as const;
  const cells = rows.map(
    ([label, one]) =>
      html`<tr><th scope="row">${label}</th><td class="n">${one.target_hours}</td><td class="n">${one.within}</td><td class="n">${one.late}</td><td class="n">${one.open_overdue}</td><td class="n">${one.open_in_time}</td><td class="n">${one.worst_hours ?? '–'}</td><td class="n">${one.average_hours ?? '–'}</td></tr>`,
  );
  const byDay = critical_exploited.known_by_day + high_exploited.known_by_day;
  const later = critical_exploited.entered_later + high_exploited.entered_later;
  const days = byDay === 0 ? undefined : html` Of ${byDay} only the day is known; it is counted to its end.`;
  const entered =
    later === 0 ? undefined : html` Of those over the time ${later} entered the catalog after the discovery.`;
  return html`<div class="wide"><table><caption>Hours of exploited vulnerabilities, from discovery to deployment, record by record</caption><thead><tr><th scope="col">Priority</th><th scope="col" class="n">Hours</th><th scope="col" class="n">Within</th><th scope="col" class="n">Late</th><th scope="col" class="n">Open, over</th><th scope="col" class="n">Open, in time</th><th scope="col" class="n">Worst</th><th scope="col" class="n">Average</th></tr></thead><tbody>${cells}</tbody></table></div>
<p>What is open is counted to the end of the last day that counts.${days}${entered}</p>`;
}

function dueOf({ within, late, open_overdue }: HoursOfPriority): number {
  return within + late + open_overdue;
}

function catalog({ catalog: known }: ReportNotes): Html {
  if (known === null) return html`<p>No known-exploited catalog lies beside this report.</p>`;
  const { version, file, released_at, released_days, checked_at, checked_days, stale, not_applied } = known;
  const age = (at: string | null, days: number | null) =>
    at === null ? html`at a time that nobody says` : html`at ${at}, ${count(days!, 'day', 'days')} before`;
  const warning = stale
    ? html` <strong class="warn">It is stale: what has been exploited since is not in it.</strong>`
    : undefined;
  const behind =
    not_applied.length === 0
      ? undefined
      : html` <span class="warn">${count(not_applied.length, 'record says', 'records say')} something else than it.</span>`;
  return html`<p>Known-exploited catalog: <a href="./${file}"><bdi>${version}</bdi></a>, released ${age(released_at, released_days)}, compared with its feed ${age(checked_at, checked_days)}.${warning}${behind}</p>`;
}

function byProduct({ products }: ReportNotes): Html {
  const rows = products.map(({ product, total_cves_discovered, remediation_metrics: metrics, nothing_due }) => {
    const rate = nothing_due.includes('remediation_metrics.sla_compliance_rate')
      ? 'nothing due'
      : metrics.sla_compliance_rate;
    return html`<tr><th scope="row"><bdi>${product}</bdi></th><td class="n">${total_cves_discovered}</td><td class="n">${metrics.patched_within_sla}</td><td class="n">${metrics.patched_out_of_sla}</td><td class="n">${metrics.marked_not_affected_with_vex}</td><td class="n">${metrics.still_pending}</td><td class="n">${rate}</td></tr>`;
  });
  return html`<div class="wide"><table><caption>By product; a CVE in two products counts in both</caption><thead><tr><th scope="col">Product</th><th scope="col" class="n">Discovered</th><th scope="col" class="n">In time</th><th scope="col" class="n">Late</th><th scope="col" class="n">Not affected</th><th scope="col" class="n">Pending</th><th scope="col" class="n">Rate</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function overrides({ overrides: some }: ReportNotes): Html | undefined {
  const rows = some.map(
    (one) =>
      html`<tr><td>${about(one)}</td><td class="field">${one.codes.join(', ')}</td><td><bdi>${one.reason ?? '–'}</bdi></td><td><bdi>${one.by}</bdi></td></tr>`,
  );
  return table(
    'With a person’s reason, against conditions that were not met',
    ['Record', 'Conditions', 'Reason', 'Who'],
    rows,
  );
}

function early({ deployed_before_sbom: some }: ReportNotes): Html | undefined {
  const rows = some.map(
    (one) => html`<tr><td>${about(one)}</td><td>${one.deployed}</td><td>${one.sbom_timestamp}</td></tr>`,
  );
  return table('Deployed before the SBOM that shows it was made', ['Record', 'Deployed', 'SBOM'], rows);
}

function voided({ voided: some }: ReportNotes): Html | undefined {
  const rows = some.map(
    (one) =>
      html`<tr><td>${about(one)}</td><td>${one.cause.replaceAll('_', ' ')}<br><span class="muted"><bdi>${one.reason ?? '–'}</bdi></span></td><td><bdi>${one.by}</bdi><br><span class="muted">signed by <bdi>${one.signer ?? 'nobody'}</bdi></span></td><td>${one.at}</td></tr>`,
  );
  return table('Set aside, and in no figure', ['Record', 'Why', 'Who', 'When'], rows);
}

function proofs({ closings: { proven, unproven, reopened_since } }: ReportNotes): Html {
  const rows = unproven.map(
    (one) => html`<tr><td>${about(one)}</td><td>${one.found.map((words) => html`<div>${words}</div>`)}</td></tr>`,
  );
  const since =
    reopened_since === 0
      ? undefined
      : html` ${count(reopened_since, 'record was', 'records were')} opened again after the last day; what closed them is not kept with them.`;
  return html`<p>${count(proven, 'closing is', 'closings are')} proven by the documents beside this page.${since}</p>${table('Closed, and not proven by the documents', ['Record', 'What was found'], rows)}`;
}

function listings({
  listings: { scans, listings: listed, without_record, examples, contradicted, unchecked_scans },
}: ReportNotes): Html {
  const missing = examples.map(
    (one) =>
      html`<tr><td><bdi>${one.cve}</bdi> in <bdi>${one.component}</bdi> <bdi>${one.version ?? '(no version)'}</bdi> of <bdi>${one.product}</bdi></td><td>${one.severity}</td><td><bdi>${one.scan}</bdi></td></tr>`,
  );
  const against = contradicted.map((one) => html`<tr><td>${about(one)}</td><td><bdi>${one.found}</bdi></td></tr>`);
  const unchecked =
    unchecked_scans.length === 0
      ? undefined
      : html` ${count(unchecked_scans.length, 'scan is', 'scans are')} of no product that is known.`;
  const warning =
    without_record === 0
      ? html`All of them have a record.`
      : html`<strong class="warn">${without_record} of them have no record, and are in no figure.</strong>`;
  return html`<p>${count(scans, 'scan lists', 'scans list')} ${count(listed, 'vulnerability', 'vulnerabilities')} in components, each counted for each scan. ${warning}${unchecked}</p>${table('Listed without a record; the first of them', ['Vulnerability', 'Severity', 'Scan'], missing)}${table('Closed, and listed by a later scan', ['Record', 'What was found'], against)}`;
}

function about({ cve, component, product }: NotedRecord): Html {
  return html`<bdi>${cve}</bdi> in <bdi>${component}</bdi> of <bdi>${product}</bdi>`;
}

/** Nothing where there are no rows. */
function table(caption: string, columns: readonly string[], rows: readonly Html[]): Html | undefined {
  if (rows.length === 0) return undefined;
  const heads = columns.map((column) => html`<th scope="col">${column}</th>`);
  return html`<div class="wide"><table><caption>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
