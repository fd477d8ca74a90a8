import type { RemediationEvent, RemediationRecord } from '@colophon/records';
import { actorBasis } from '../remediation/actor-basis.ts';
import { documentsOf, type ReportFile } from '../report/report-files.ts';
import { type Html, html } from './html.ts';
import type { PageLinks } from './page-links.ts';

/** In the order of contract §2.9, then ours; what has a table of its own is not here. */
const FIELDS = [
  'cve',
  'component',
  'current_version',
  'affected',
  'decision',
  'patch_version',
  'estimated_patch_date',
  'vex_status',
  'owner',
  'tracking_id',
  'date_discovered',
  'date_patched',
  'date_deployed',
  'cisa_kev',
  'days_to_remediate',
  'sla_compliance',
  'id',
  'product',
  'purl',
  'aliases',
  'severity',
  'cvss_score',
  'remediation_priority',
  'due_at',
  'discovered_at',
  'deployed_at',
  'state',
  'closed_at',
  'scanner',
  'fixed_in_versions',
] as const satisfies ReadonlyArray<keyof RemediationRecord>;

/** One record with everything that it says, and links to the documents that it rests on. */
export function recordDetail(
  record: RemediationRecord,
  files: ReadonlyMap<string, ReportFile>,
  links: PageLinks,
): Html {
  const fields = FIELDS.map((field) => html`<div><dt>${field}</dt><dd>${valueText(record[field])}</dd></div>`);
  return html`<article id="${links.anchorOfRecord(record)}"><h3><bdi>${record.cve}</bdi> in <bdi>${record.component}</bdi> <bdi>${record.current_version}</bdi></h3>
<dl>${fields}</dl>
${resolution(record)}${evidence(record, files)}${history(record.history)}</article>\n`;
}

function resolution({ resolution: by, closing_signature: signature }: RemediationRecord): Html | undefined {
  if (by === null || by === undefined) return undefined;
  const signed = signature ? html` The closed record was signed by <bdi>${signature.signer}</bdi>.` : undefined;
  if (by.kind === 'void')
    return html`<p>Set aside, and counted nowhere: ${by.cause.replaceAll('_', ' ')}. ${signature ? html`Signed by <bdi>${signature.signer}</bdi>.` : 'Signed by nobody.'}</p>`;
  const how =
    by.kind === 'rescan'
      ? html`a scan that no longer lists it, by ${by.scans.map(({ scanner }) => scanner).join(', ')}, of the SBOM <code>${by.sbom.digest}</code>`
      : html`the VEX document <code>${by.document}</code>, signed by <bdi>${by.signer}</bdi>: ${by.justification}`;
  return html`<p>Closed by ${how}.${signed}</p>`;
}

function evidence(record: RemediationRecord, files: ReadonlyMap<string, ReportFile>): Html | undefined {
  const references = documentsOf(record);
  if (references.length === 0) return html`<p class="muted">No document is named as evidence.</p>`;
  const rows = references.map(({ kind, digest, name }) => {
    const file = files.get(digest);
    const place = file === undefined ? html`${name}` : html`<a href="./${file.name}">${file.name}</a>`;
    return html`<tr><td>${kind}</td><td>${place}</td><td class="mono">${digest}</td></tr>`;
  });
  return html`<div class="wide"><table><caption>Evidence</caption><thead><tr><th scope="col">Kind</th><th scope="col">File</th><th scope="col">Digest</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function history(events: readonly RemediationEvent[]): Html | undefined {
  if (events.length === 0) return undefined;
  const rows = events.map((event) => {
    const { at, by, action, reason, changes } = event;
    const basis = actorBasis(event);
    const changed = Object.entries(changes).map(
      ([field, [from, to]]) =>
        html`<div><span class="field">${field}</span> <bdi>${valueText(from)}</bdi> → <bdi>${valueText(to)}</bdi></div>`,
    );
    return html`<tr><td>${at}</td><td><bdi>${by}</bdi>${basis === undefined ? undefined : html`<br><span class="muted">${basis}</span>`}</td><td>${action}${reason === undefined ? undefined : html`<br><span class="muted"><bdi>${reason}</bdi></span>`}</td><td>${changed}</td></tr>`;
  });
  return html`<div class="wide"><table class="history"><caption>History</caption><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">Changes</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** A value as people read it; what is not known is a dash. */
function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(valueText).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
