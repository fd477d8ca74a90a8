import { VEX_JUSTIFICATIONS, VEX_STATUSES } from '@colophon/records';
import { alsoHaving, count, having, integer, listOf, oneOf, string } from '@colophon/records/result';
import { VEX_NOTE_CODES, VEX_SHAPES } from './vex-document.ts';

/** Something that a statement speaks of: an artifact, or a component inside it. */
export const vexSubject = alsoHaving(having('an artifact or a component', {}), {
  id: string('`@id` of OpenVEX: an IRI, most often a package URL'),
  purl: string('package URL'),
  cpe22: string('CPE 2.2'),
  cpe23: string('CPE 2.3'),
  hashes: {
    type: 'object' as const,
    description: 'hashes by algorithm as OpenVEX names it, e.g. sha-256',
    additionalProperties: string('the hash'),
  },
  name: string('for people; CSAF and CycloneDX name products that have no package URL'),
  versions: listOf(
    'versions or vers: ranges that it is limited to where no package URL says so; nothing matches it then',
    string('one version or range'),
  ),
});

/** A product, and the components inside it where only these are spoken of. */
export const vexProduct = alsoHaving(vexSubject, {
  subcomponents: listOf('components inside it, where only these are spoken of', vexSubject),
});

/** One statement, in the words of OpenVEX v0.2.0 whatever it was read from. */
export const vexStatement = alsoHaving(
  having('one statement', {
    vulnerability: alsoHaving(
      having('the vulnerability', { name: string('a CVE in capitals, or another id as it was written') }),
      {
        id: string('an IRI'),
        description: string('for people'),
        aliases: listOf('its other names', string('one name')),
      },
    ),
    timestamp: string('RFC 3339 in UTC: its own, else its document’s, else 0001-01-01T00:00:00Z'),
    products: listOf('what it speaks of', vexProduct),
    status: oneOf('whether the product is affected', VEX_STATUSES),
  }),
  {
    id: string('an IRI'),
    version: integer,
    last_updated: string('RFC 3339 in UTC'),
    supplier: string('who supplies the product'),
    status_notes: string('how the status was determined'),
    justification: oneOf('why the product is not affected', VEX_JUSTIFICATIONS),
    impact_statement: string('why the product is not affected, in words'),
    action_statement: string('what to do'),
    action_statement_timestamp: string('RFC 3339 in UTC'),
  },
);

/** Something that a document says and the model does not, or not in the same way. */
export const vexNote = having('what was read otherwise than it is written, or could not be held', {
  path: string('JSON Pointer to the first place'),
  code: oneOf('stable', VEX_NOTE_CODES),
  message: string('for people'),
  place_count: { ...count, description: 'places of which the same is to be said' },
});

/** A document with statements, in one model whatever it was read from. */
export const vexDocument = alsoHaving(
  having('the document in the words of OpenVEX v0.2.0, whatever it was read from', {
    shape: oneOf('what it was read from', VEX_SHAPES),
    statements: listOf('in the order of the document', vexStatement),
  }),
  {
    id: string('an IRI'),
    author: string('who says it'),
    role: string('in which role the author says it'),
    timestamp: string('RFC 3339 in UTC'),
    last_updated: string('RFC 3339 in UTC'),
    version: integer,
    tooling: string('what made it'),
    notes: listOf('what was read otherwise than it is written, or could not be held', vexNote),
  },
);
