import {
  alsoHaving,
  count,
  documentIssue,
  flag,
  having,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';
import { VEX_FAMILIES } from '@colophon/vex/result';

export type FileIssue = ResultOf<typeof documentIssue>;

const checkedFile = having('what is said of one file', {
  file: string('its path'),
  valid: flag('whether no issue makes it invalid'),
  issues: listOf('each issue', documentIssue),
});
const ofLong = { omitted_count: { ...count, description: 'issues beyond those that are listed' } } as const;

const summary = having('how many files and issues there are', {
  file_count: count,
  invalid_count: count,
  error_count: count,
  warning_count: count,
  note_count: count,
});

const validationResult = <const P extends object>(title: string, facts: P) =>
  resultOf(title, {
    files: listOf('each file', alsoHaving(alsoHaving(checkedFile, ofLong), facts)),
    summary,
  });

/** `colophon sbom validate`. */
export const sbomValidateResult = validationResult('SBOMs validated against their schema', {
  spec_version: string('of CycloneDX, where the file is one'),
});

/** `colophon vex validate`. */
export const vexValidateResult = validationResult('VEX documents validated against their standard', {
  shape: oneOf('of the document, where it is one', VEX_FAMILIES),
  statement_count: count,
});

const anyResult = validationResult('documents validated against their standard', {});
export type ValidationResult = ResultOf<typeof anyResult>;
