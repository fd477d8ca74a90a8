import { LICENCE_REASON_CODES } from '@colophon/licences';
import { alsoHaving, count, flag, having, listOf, oneOf, string } from '@colophon/records/result';
import { attributionFacts, attributionSupport } from '../attribution/attribution-result.ts';

const path = string('JSON Pointer into the document');

const judgedLicence = alsoHaving(
  having('a licence of a component as the decision saw it', {
    stated: string('as the document has it'),
    from: oneOf('which member of the document states it; source: what the component was made from', [
      'id',
      'expression',
      'name',
      'text',
      'nothing',
      'source',
    ]),
    verdict: oneOf('what the policy says of it', ['allowed', 'unknown', 'not_allowed', 'denied']),
    path,
  }),
  {
    means: string('in SPDX’s terms, where that is not what is stated'),
    refused: listOf('of an expression, the licences in it that stand in the way', string('an SPDX id')),
    choice: listOf('licences that share one text, where the text says no more', string('an SPDX id')),
    additions: listOf('of a text, the runs of words that the licences in it do not have', string('words')),
    omissions: listOf('of a text, the runs of words that are missing', string('words')),
    acknowledgement: string('declared or concluded, as the document says'),
  },
);

const attribution = alsoHaving(having('who wrote a component, by the document', {}), {
  ...attributionFacts,
  claimed: alsoHaving(
    having('what the document says that its words rest on; no evidence is looked at', {}),
    attributionSupport,
  ),
});

const origin = alsoHaving(
  having('what a component was made from', {
    licences: listOf('its licences', string('an SPDX id, expression or name')),
  }),
  { source_package: string('package@version'), purl: string('package URL') },
);

/** A component that the policy does not let pass, and why. */
export const licenceOffence = alsoHaving(
  having('a component that the policy does not let pass, and why', {
    code: oneOf('of the reason', LICENCE_REASON_CODES),
    message: string('for people; holds text of the document'),
    path,
    name: string('of the component'),
    agent_authored: flag('whether it is attributed to an agent'),
    licences: listOf('each licence that counts', judgedLicence),
  }),
  {
    bom_ref: string('of the component'),
    version: string('of the component'),
    purl: string('of the component'),
    attribution,
    origin,
  },
);

/** Whether a document's licences are allowed, and every component whose licence is not. */
export const licenceDecision = having('whether licences are allowed', {
  allowed: flag('whether no component is refused'),
  component_count: { ...count, description: 'components that were judged' },
  agent_authored_count: { ...count, description: 'of these, those that are attributed to an agent' },
  offending: listOf('refused components, agents’ first', licenceOffence),
  contradicting: listOf('components whose text is that of another licence than is stated', licenceOffence),
  unknown: listOf('components of no known licence that the policy accepts', licenceOffence),
});
