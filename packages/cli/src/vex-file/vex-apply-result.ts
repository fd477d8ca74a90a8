import { SEVERITIES, VEX_JUSTIFICATIONS, VEX_STATUSES } from '@colophon/records';
import {
  alsoHaving,
  count,
  flag,
  having,
  issue,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';

const vulnerability = string('a CVE in capitals, or another id where no CVE is known');
const place = {
  file: string('the VEX document'),
  path: string('JSON Pointer to the statement'),
} as const;

const statement = alsoHaving(having('the statement that counts', { ...place, stated_at: string('RFC 3339 in UTC') }), {
  author: string('who says it'),
  justification: oneOf('why the product is not affected', VEX_JUSTIFICATIONS),
  draft: flag('whether a machine proposed it and no person has accepted it'),
});

const component = alsoHaving(having('the component that has it', { name: string('its name') }), {
  version: string('its version'),
  purl: string('its package URL'),
});

const finding = alsoHaving(
  having('a finding, and what counts for it', {
    vulnerability,
    aliases: listOf('other ids of the same vulnerability', string('one id')),
    severity: oneOf('from worst to least', SEVERITIES),
    component,
    suppressed: flag('whether the finding does not count'),
  }),
  { status: oneOf('absent where no statement counts', VEX_STATUSES), statement },
);
export type AppliedFinding = ResultOf<typeof finding>;

const unmatched = having('a statement that matches no finding, and why', {
  ...place,
  vulnerability,
  code: issue.properties.code,
  message: issue.properties.message,
});

/** `colophon vex apply`. */
export const vexApplyResult = resultOf('what the statements say of the findings', {
  products: listOf('what was scanned', string('package URL, image reference or digest')),
  findings: listOf('each finding', finding),
  suppressed_count: { ...count, description: 'findings that do not count' },
  statement_count: { ...count, description: 'statements in the documents' },
  unmatched: listOf(
    'statements that match nothing',
    alsoHaving(unmatched, {
      expected: string('what the statement speaks of'),
      found: string('what comes nearest to it, as the scan calls it'),
    }),
  ),
  signed: flag('whether the signatures of all documents were verified'),
});
export type VexApplyResult = ResultOf<typeof vexApplyResult>;
