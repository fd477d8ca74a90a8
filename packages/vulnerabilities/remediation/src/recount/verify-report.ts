import type { ResultOf } from '@colophon/records/result';
import type { ReportDifference } from '@colophon/remediation-rules';
import type { DocumentVerifier, VerifiedDocument } from '@colophon/signers';
import type { ReportFolder } from '../report-folder/read-report-folder.ts';
import { type Counted, countAgain } from './count-again.ts';
import type { recountedReport } from './recount-result.ts';
import { verifyReportSignatures } from './report-signatures.ts';
import { reportSummary } from './report-summary.ts';
import { verifyClosings, verifyStatements } from './statement-signatures.ts';

/** What was checked of a report, and the signature over it, where it was checked and holds. */
export type VerifiedReport<V> = ResultOf<typeof recountedReport> & { readonly signature?: V };

export type VerifyReportOptions<V extends VerifiedDocument> = {
  /** Whose signatures count; absent where files and figures alone are checked. */
  readonly verifier?: DocumentVerifier<V> | undefined;
  /** Of the program, which makes the pages again. */
  readonly version: string;
  /** Is told, for people, what is under way. */
  readonly show: (step: string) => void;
};

/**
 * What an auditor asks of the folder of a quarterly report (contract §2.10): the files, the signatures over them, the
 * figures counted again from the records, the closings proven again, the signatures that they rest on, and the pages made
 * again. The report holds where `differences` is empty.
 * @throws ReportError `report.signature_missing`, and what the verifier throws of the report's own signatures
 */
export async function verifyReport<V extends VerifiedDocument>(
  folder: ReportFolder,
  { verifier, version, show }: VerifyReportOptions<V>,
): Promise<VerifiedReport<V>> {
  const basis = await folder.basis();
  show('checking the files');
  const files = await folder.check();
  const signature =
    verifier === undefined
      ? undefined
      : await verifyReportSignatures(folder, basis, verifier, { isChanged: files.length > 0 });
  show('counting again');
  const again = await countAgain(folder, basis, version);
  const bytesOf = (digest: string) => folder.bytes(folder.nameOf(digest)!);
  const statements = await verifyStatements(again.shown, bytesOf, verifier);
  const closings = await verifyClosings([...again.shown, ...again.voided], bytesOf, verifier);
  const broken = [
    ...statements.flatMap(({ digest, state, code }) =>
      state === 'broken' ? [brokenSignature(folder.nameOf(digest)!, code)] : [],
    ),
    ...closings.broken.map(({ record_id, code }) => brokenSignature(`record ${record_id}`, code)),
  ];
  return {
    period: basis.period,
    as_of: basis.as_of,
    record_count: again.records,
    file_count: folder.checksums.length,
    ...(signature && { signature }),
    pages_state: pagesState(again),
    unread_files: again.unread,
    vex_documents: statements,
    closing_signatures: closings,
    ...(again.notes && { summary: reportSummary(again.notes) }),
    differences: [...files, ...again.differences, ...broken],
  };
}

function brokenSignature(path: string, code = ''): ReportDifference {
  return { code: 'report.signature_broken', path, expected: 'a signature that holds', found: code };
}

function pagesState({ pages }: Counted): 'same' | 'changed' | 'other_version' | 'unchecked' {
  if (pages === undefined) return 'unchecked';
  if (pages.length === 0) return 'same';
  return pages.some(({ code }) => code === 'report.page_changed') ? 'changed' : 'other_version';
}
