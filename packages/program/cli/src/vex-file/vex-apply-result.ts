import { alsoHaving, count, flag, having, listOf, type ResultOf, resultOf, string } from '@colophon/records/result';
import { decidedFinding, decidingStatement, unmatchedStatement } from '@colophon/vex/result';

const file = string('the VEX document');
const { path, stated_at, ...ofStatement } = decidingStatement.properties;
const { expected, found, ...ofUnmatched } = unmatchedStatement.properties;

const finding = alsoHaving(decidedFinding, {
  statement: alsoHaving(having(decidingStatement.description, { file, path, stated_at }), ofStatement),
});
export type AppliedFinding = ResultOf<typeof finding>;

/** `colophon vex apply`. */
export const vexApplyResult = resultOf('what the statements say of the findings', {
  products: listOf('what was scanned', string('package URL, image reference or digest')),
  findings: listOf('each finding', finding),
  suppressed_count: { ...count, description: 'findings that do not count' },
  unsigned_count: { ...count, description: 'of these, by a document whose signature was not verified' },
  statement_count: { ...count, description: 'statements in the documents' },
  unmatched: listOf(
    'statements that match nothing',
    alsoHaving(having(unmatchedStatement.description, { file, ...ofUnmatched }), { expected, found }),
  ),
  signed: flag('whether the signatures of all documents were verified'),
});
export type VexApplyResult = ResultOf<typeof vexApplyResult>;
