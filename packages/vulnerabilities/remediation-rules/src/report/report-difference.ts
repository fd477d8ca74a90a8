import { isJsonObject } from '@colophon/json';
import type { ReportDifference } from './report-difference-result.ts';

/** Everything in which a report can differ from what its folder shows. */
export const REPORT_DIFFERENCE_CODES = [
  // The folder, against its list.
  'report.file_missing',
  'report.file_changed',
  'report.file_unlisted',
  // What follows from the records, against the report.
  'report.uncountable',
  'report.figure_differs',
  'report.basis_differs',
  'report.record_stray',
  'report.artifact_missing',
  'report.artifact_differs',
  'report.document_missing',
  'report.note_missing',
  'report.note_differs',
  'report.inputs_missing',
  'report.input_differs',
  'report.page_changed',
  'report.page_not_compared',
  // What follows from the documents, against the records.
  'report.document_unreadable',
  'report.sighting_differs',
  'report.closing_unproven',
  'report.override_unrecorded',
  'report.listing_without_record',
  'report.listing_contradicts',
  // Signatures that records keep.
  'report.signature_broken',
] as const;

/** Characters of a value that a difference shows. */
const LONGEST_VALUE = 200;

/** Where two JSON values differ, by the path of each place: fields that are missing and fields that are too many. */
export function differencesOf(
  expected: unknown,
  found: unknown,
  code: 'report.figure_differs' | 'report.note_differs',
  path = '',
): ReportDifference[] {
  if (isJsonObject(expected) && isJsonObject(found)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
    return [...names].flatMap((name) =>
      differencesOf(own(expected, name), own(found, name), code, path === '' ? name : `${path}.${name}`),
    );
  }
  const texts = [expected, found].map((value) => (value === undefined ? 'nothing' : JSON.stringify(value)));
  if (texts[0] === texts[1]) return [];
  const [shown, other] = texts.map((text) => text!.slice(0, LONGEST_VALUE));
  return [{ code, path: path || 'the report', expected: shown!, found: other! }];
}

function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
