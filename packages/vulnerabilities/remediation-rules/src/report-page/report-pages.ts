import type { QuarterlyReport, ReportNotes } from '@colophon/records';
import type { ReportDetails } from '../report/report-details.ts';
import type { MadeFile, ReportFile } from '../report/report-files.ts';
import { cveList } from './cve-list.ts';
import { type Html, html } from './html.ts';
import {
  artifactTable,
  discovered,
  heading,
  outcomes,
  type PageInput,
  rules,
  signatures,
  timeToRemediate,
} from './overview.ts';
import { pageBeginning } from './page-difference.ts';
import { pageLinks } from './page-links.ts';
import { besideFigures } from './page-notes.ts';
import { HEAD } from './page-style.ts';
import { recordDetail } from './record-detail.ts';

/**
 * The report for people: one page that needs nothing else, or, with many records, a page of figures, a list of CVEs and
 * pages of records. No scripts; nothing is loaded from anywhere. The same report gives the same bytes.
 * @param version of the program, which each page names: another version may make other bytes
 */
export function* reportPages(
  report: QuarterlyReport,
  details: ReportDetails,
  files: readonly ReportFile[],
  notes: ReportNotes,
  version: string,
): Generator<MadeFile> {
  const links = pageLinks(details);
  const input: PageInput = { report, details, links, files, notes };
  const title = `Quarterly compliance report ${report.period}`;
  const isOne = links.list === links.main;
  const figures = html`${heading(input)}
<main id="main">
${discovered(input)}
${outcomes(input)}
${timeToRemediate(input)}
${besideFigures(input)}
${artifactTable(input)}
${signatures(input)}
${rules()}
${isOne ? cveList(details, links) : elsewhere(input)}
${isOne ? recordList(input, 0) : undefined}
</main>`;
  yield { name: links.main, content: page(title, figures, version) };
  if (isOne) return;
  const back = html`<header class="top"><h1>${title}</h1><p class="lead"><a href="${links.main}">Back to the figures</a></p></header>`;
  yield {
    name: links.list,
    content: page(`CVEs · ${title}`, html`${back}<main>${cveList(details, links)}</main>`, version),
  };
  for (const [index, { name }] of links.recordPages.entries()) {
    yield { name, content: page(`Records · ${title}`, html`${back}<main>${recordList(input, index)}</main>`, version) };
  }
}

function elsewhere({ details, links }: PageInput): Html {
  // Records are sorted by CVE, so the first and the last one say where to look for any other.
  const pages = links.recordPages.map(
    ({ name, records }) =>
      html`<li><a href="${name}"><bdi>${records[0]!.cve}</bdi> to <bdi>${records.at(-1)!.cve}</bdi></a></li>`,
  );
  return html`<section aria-labelledby="cves"><h2 id="cves">CVEs and records</h2>
<p>The <a href="${links.list}">list of the ${details.cves.length} CVEs</a> and the ${details.records.length} records have pages of their own; every number above leads to the CVEs that it counts.</p>
<nav aria-labelledby="pages"><h3 id="pages">Records by CVE</h3><ul class="pages">${pages}</ul></nav></section>`;
}

function recordList({ links, files }: PageInput, index: number): Html {
  const byDigest = new Map(files.map((file) => [file.digest, file] as const));
  const { records } = links.recordPages[index]!;
  const nav = [index - 1, index + 1].map((other) => {
    const neighbour = links.recordPages[other];
    return neighbour === undefined
      ? html``
      : html`<a href="${neighbour.name}">${other < index ? 'Previous' : 'Next'} records</a> `;
  });
  return html`<section aria-labelledby="records"><h2 id="records">Records</h2>
<p>${nav}</p>
${records.map((record) => recordDetail(record, byDigest, links))}</section>`;
}

function page(title: string, body: Html, version: string): string {
  return html`${pageBeginning(version)}
${HEAD}
<title>${title}</title>
</head>
<body>
${body}
<footer>Made by colophon ${version} out of the remediation records named above. Nothing on this page is loaded from anywhere else.</footer>
</body>
</html>
`.markup;
}
