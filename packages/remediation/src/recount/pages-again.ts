import { digestOf } from '@colophon/feeds';
import type { QuarterlyReport, ReportNotes } from '@colophon/records';
import {
  documentsOf,
  madeNames,
  type ReportBasis,
  type ReportDetails,
  type ReportFile,
  reportPages,
} from '@colophon/remediation-rules';
import type { ReportFolder } from '../report-folder/read-report-folder.ts';

/** The names under which a report names its documents, by their kind. */
export type NamedDocuments = Readonly<Record<'sbom' | 'scan' | 'vex', ReadonlySet<string>>>;

/**
 * Whether the pages for people are those that this program makes of these records. Where they are not, somebody changed
 * them, or another version of the program made them: only the bytes of one version can be compared.
 */
export function arePagesSame(
  folder: ReportFolder,
  basis: ReportBasis,
  {
    details,
    report,
    notes,
    named,
  }: { details: ReportDetails; report: QuarterlyReport; notes: ReportNotes; named: NamedDocuments },
): boolean {
  const listed = new Map(folder.checksums.map(({ name, digest }) => [name, digest] as const));
  const others = new Set([...listed.keys()].filter(isPage));
  const files = filesOf(listed, basis, details, named);
  for (const { name, content } of reportPages(report, details, files, notes)) {
    if (listed.get(name) !== digestOf(Buffer.from(content))) return false;
    others.delete(name);
  }
  return others.size === 0;
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
  const isOwn = (name: string) =>
    made.includes(name) || isPage(name) || name === basis.report || name === `${basis.report}.sigstore.json`;
  const kept = Map.groupBy(records.flatMap(documentsOf), ({ digest }) => digest);
  const documents = [...listed]
    .filter(([name]) => !isOwn(name))
    .map(([name, digest]): ReportFile => {
      const stated = (['sbom', 'scan', 'vex'] as const).filter((kind) => named[kind].has(name));
      const kinds = new Set([...(kept.get(digest) ?? []).map(({ kind }) => kind), ...stated]);
      // A signature that a flag named is in no record, and in no field of the report.
      return { name, digest, kinds: kinds.size === 0 ? ['signature'] : [...kinds].sort() };
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
