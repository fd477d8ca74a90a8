import type { RemediationRecord } from '@colophon/records';
import type { CveStanding } from '../report/cve-standing.ts';
import { FIGURES, type Figure, type ReportDetails } from '../report/report-details.ts';

/** So many records fit on the page of the figures; with more, the lists and the records have pages of their own. */
export const MOST_ON_ONE_PAGE = 300;
/** On a page of records. */
export const RECORDS_PER_PAGE = 500;

/** Where everything of a report stands, across its pages. */
export type PageLinks = {
  readonly main: string;
  /** The page with the list of CVEs: the main one, where it has room. */
  readonly list: string;
  readonly recordPages: readonly { readonly name: string; readonly records: readonly RemediationRecord[] }[];
  /** Seen from the page `from`. */
  toFigure(figure: Figure, from: string): string;
  toCve(one: CveStanding, from: string): string;
  toRecord(record: RemediationRecord, from: string): string;
  anchorOfCve(one: CveStanding): string;
  anchorOfRecord(record: RemediationRecord): string;
};

/** Decides what stands where. Anchors are numbers in the order of the report: nothing from outside is in an address. */
export function pageLinks({ period, cves, records }: ReportDetails): PageLinks {
  const stem = `quarterly-report-${period.name}`;
  const main = `${stem}.html`;
  const isOne = records.length <= MOST_ON_ONE_PAGE;
  const list = isOne ? main : `${stem}-cves.html`;
  const recordPages = isOne ? [{ name: main, records }] : pagesOf(records, stem);
  const cveNumbers = new Map(cves.map((one, index) => [one.cve, index + 1] as const));
  const places = new Map(
    recordPages.flatMap(({ name, records: some }, page) =>
      some.map((record, index) => [record.id, { name, anchor: `r${page * RECORDS_PER_PAGE + index + 1}` }] as const),
    ),
  );
  const anchorOfCve = ({ cve }: CveStanding) => `v${cveNumbers.get(cve)}`;
  const to = (page: string, anchor: string, from: string) => `${page === from ? '' : page}#${anchor}`;
  return {
    main,
    list,
    recordPages,
    toFigure: (figure, from) => to(list, figureAnchor(figure), from),
    toCve: (one, from) => to(list, anchorOfCve(one), from),
    toRecord: ({ id }, from) => to(places.get(id)!.name, places.get(id)!.anchor, from),
    anchorOfCve,
    anchorOfRecord: ({ id }) => places.get(id)!.anchor,
  };
}

export function figureAnchor(figure: Figure): string {
  return `f${FIGURES.indexOf(figure)}`;
}

function pagesOf(records: readonly RemediationRecord[], stem: string) {
  const pages: { name: string; records: readonly RemediationRecord[] }[] = [];
  for (let at = 0; at < records.length; at += RECORDS_PER_PAGE) {
    const number = String(pages.length + 1).padStart(3, '0');
    pages.push({ name: `${stem}-records-${number}.html`, records: records.slice(at, at + RECORDS_PER_PAGE) });
  }
  return pages;
}
