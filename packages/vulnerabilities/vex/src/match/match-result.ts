import { SEVERITIES, VEX_JUSTIFICATIONS, VEX_STATUSES } from '@colophon/records';
import { alsoHaving, flag, having, issue, listOf, oneOf, string } from '@colophon/records/result';

const path = string('JSON Pointer to the statement');
const vulnerability = string('a CVE in capitals, or another id where no CVE is known');

/** The statement that counts for a finding. */
export const decidingStatement = alsoHaving(
  having('the statement that counts', { path, stated_at: string('RFC 3339 in UTC') }),
  {
    author: string('who says it'),
    justification: oneOf('why the product is not affected', VEX_JUSTIFICATIONS),
    draft: flag('whether a machine proposed it and no person has accepted it'),
  },
);

const component = alsoHaving(having('the component that has it', { name: string('its name') }), {
  version: string('its version'),
  purl: string('its package URL'),
});

/** A finding, and what counts for it. */
export const decidedFinding = alsoHaving(
  having('a finding, and what counts for it', {
    vulnerability,
    aliases: listOf('other ids of the same vulnerability', string('one id')),
    severity: oneOf('from worst to least', SEVERITIES),
    component,
    suppressed: flag('whether the finding does not count'),
  }),
  { status: oneOf('absent where no statement counts', VEX_STATUSES), statement: decidingStatement },
);

/** A statement that matches no finding, and why. */
export const unmatchedStatement = alsoHaving(
  having('a statement that matches no finding, and why', {
    path,
    vulnerability,
    code: issue.properties.code,
    message: issue.properties.message,
  }),
  {
    expected: string('what the statement speaks of'),
    found: string('what comes nearest to it, as the scan calls it'),
  },
);
