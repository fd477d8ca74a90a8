import { isJsonObject } from '@colophon/records';

/** Everything that `report verify` finds to differ. */
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
  // Signatures that records keep.
  'report.signature_broken',
] as const;

/** One thing of a report that is not as it must be. */
export type Difference = {
  readonly code: (typeof REPORT_DIFFERENCE_CODES)[number];
  readonly what: string;
  readonly expected: string;
  readonly found: string;
};

/** Where two JSON values differ, by the path of each place: fields that are missing and fields that are too many. */
export function differencesOf(expected: unknown, found: unknown, path = ''): Difference[] {
  if (isJsonObject(expected) && isJsonObject(found)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
    return [...names].flatMap((name) =>
      differencesOf(own(expected, name), own(found, name), path === '' ? name : `${path}.${name}`),
    );
  }
  const texts = [expected, found].map((value) => (value === undefined ? 'nothing' : JSON.stringify(value)));
  return texts[0] === texts[1]
    ? []
    : [
        {
          code: 'report.figure_differs',
          what: path || 'the report',
          expected: texts[0]!,
          found: texts[1]!.slice(0, 200),
        },
      ];
}

function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
