import type { QuarterlyReport, ReportNotes } from '@colophon/records';
import {
  documentKinds,
  documentsOf,
  madeNames,
  pageDifference,
  type ReportBasis,
  type ReportDetails,
  type ReportDifference,
  type ReportFile,
  reportPages,
} from '@colophon/remediation-rules';
import type { ReportFolder } from '../report-folder/read-report-folder.ts';

/** The names under which a report names its documents, by their kind. */
export type NamedDocuments = Readonly<Record<'sbom' | 'scan' | 'vex', ReadonlySet<string>>>;

/** What the pages are made of once more, and the version of the program that makes them. */
export type PagesAgain = {
  readonly details: ReportDetails;
  readonly report: QuarterlyReport;
  readonly notes: ReportNotes;
  readonly named: NamedDocuments;
  readonly version: string;
};

/**
 * Makes the pages for people once more and compares them byte for byte: each one of the folder that is another, that is
 * not there, or that the report does not have, is a difference.
 */
export async function pageDifferences(
  folder: ReportFolder,
  basis: ReportBasis,
  { details, report, notes, named, version }: PagesAgain,
): Promise<ReportDifference[]> {
  const listed = new Map(folder.checksums.map(({ name, digest }) => [name, digest] as const));
  const others = new Set([...listed.keys()].filter(isPage));
  const files = filesOf(listed, basis, details, named);
  const bytesOf = async (name: string) => (folder.has(name) ? await folder.bytes(name) : undefined);
  const main = await bytesOf(`quarterly-report-${basis.period}.html`);
  const differences: ReportDifference[] = [];
  for (const { name, content } of reportPages(report, details, files, notes, version)) {
    const [made, found] = [Buffer.from(content), await bytesOf(name)];
    if (found === undefined || !made.equals(found)) {
      differences.push(pageDifference({ name, made, found, main, version }));
    }
    others.delete(name);
  }
  for (const name of others) {
    const found = await bytesOf(name);
    // What is listed and not there is told of the files.
    if (found !== undefined) differences.push(pageDifference({ name, made: undefined, found, main, version }));
  }
  return differences;
}

/** Whether a file has a name under which something is made for the report, rather than kept beside it. */
export function isMadeFile(name: string, { period, report }: ReportBasis): boolean {
  return madeNames(period).includes(name) || isPage(name) || [report, `${report}.sigstore.json`].includes(name);
}

function isPage(name: string): boolean {
  return name.startsWith('quarterly-report-') && name.endsWith('.html');
}

/** The files of the folder as the report was made with them: documents by name, and then what was made for it. */
function filesOf(
  listed: ReadonlyMap<string, string>,
  basis: ReportBasis,
  { records }: ReportDetails,
  named: NamedDocuments,
): ReportFile[] {
  const made = madeNames(basis.period);
  const kept = Map.groupBy(records.flatMap(documentsOf), ({ digest }) => digest);
  const documents = [...listed]
    .filter(([name]) => !isMadeFile(name, basis))
    .map(([name, digest]): ReportFile => {
      const stated = (['sbom', 'scan', 'vex'] as const).filter((kind) => named[kind].has(name));
      const kinds = documentKinds([...(kept.get(digest) ?? []).map(({ kind }) => kind), ...stated]);
      // A signature that a flag named is in no record, and in no field of the report.
      return { name, digest, kinds: kinds.length === 0 ? ['signature'] : kinds };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    ...documents,
    ...made.flatMap((name) => {
      const digest = listed.get(name);
      return digest === undefined ? [] : [{ name, digest, kinds: [] }];
    }),
  ];
}
