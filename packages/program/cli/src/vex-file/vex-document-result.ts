import { VEX_STATUSES } from '@colophon/records';
import {
  alsoHaving,
  count,
  issue,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';
import { VEX_PROFILES, vexDocument, vexLoss } from '@colophon/vex/result';

const file = string('path of the document');
const out = string('path of the document that was written');
const vulnerability = string('a CVE in capitals, or another id as it was written');
const version = { ...count, description: 'of the document' } as const;
const status = oneOf('what is said of it now', VEX_STATUSES);

/** `colophon vex show`. */
export const vexShowResult = resultOf('what a document says', { file, document: vexDocument });
export type VexShowResult = ResultOf<typeof vexShowResult>;

/** `colophon vex create --out`. */
export const vexCreateResult = resultOf('the document that was made', {
  out,
  version,
  vulnerability,
  status,
  draft_count: { ...count, description: 'statements that are to be decided' },
});
export type VexCreateResult = ResultOf<typeof vexCreateResult>;

/** `colophon vex set`. */
export const vexSetResult = resultOf('what was said before, and is said now', {
  file,
  out,
  version,
  vulnerability,
  previous_statuses: listOf(
    'what counted before: none where nothing was said, several where parts of the product had different ones',
    status,
  ),
  status,
  stated_at: { ...timestamp, description: 'when the statement was made' },
});
export type VexSetResult = ResultOf<typeof vexSetResult>;

const written = {
  out,
  statement_count: count,
  losses: listOf('what the written document does not say', vexLoss),
  notes: listOf('what readers should know besides', string('a sentence')),
} as const;

/** `colophon vex convert --out`. */
export const vexConvertResult = resultOf('the document that was written', {
  file,
  shape: oneOf('the shape that it was written in', VEX_PROFILES),
  ...written,
});
export type VexConvertResult = ResultOf<typeof vexConvertResult>;

const conflict = alsoHaving(issue, {
  severity: oneOf('an error where the status contradicts', ['error', 'warning', 'note']),
});

/** `colophon vex merge --out`. */
export const vexMergeResult = resultOf('the document that was written', {
  files: listOf('the documents', file),
  repeated_count: { ...count, description: 'statements that another one repeats word by word' },
  conflicts: listOf('statements of the same time that contradict each other', conflict),
  ...written,
});
export type VexMergeResult = ResultOf<typeof vexMergeResult>;
