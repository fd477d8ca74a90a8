import { day } from '../record-schema/nullable-value.ts';
import { type RecordSchema, text } from '../record-schema/record-schema.ts';
import { SEVERITIES } from './severity.ts';

const texts = { type: 'array', description: 'an array of strings', items: text } as const;
const score = { type: 'number', description: 'a CVSS score, 0 to 10', minimum: 0 } as const;

/**
 * One finding of `colophon scan import` (contract §2.7), published as docs/json/finding.v1.json. After the
 * contract's six fields stand ours. Members that it does not name are allowed: `kev enrich` adds some.
 */
export const findingSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'vulnerability scan finding, version 1',
  type: 'object',
  description: 'one vulnerability in one component',
  required: ['id', 'severity', 'component', 'fixedInVersions', 'description', 'aliases', 'reportedBy'],
  properties: {
    id: { ...text, description: 'the CVE; another id where no CVE is known' },
    severity: {
      type: 'string',
      description: 'critical, high, medium, low, none or unknown',
      enum: SEVERITIES,
    },
    cvss: {
      type: 'object',
      description: 'absent where nobody scored it; without a vector, the score is what somebody stated',
      required: ['score'],
      properties: { score, vector: { ...text, description: 'a CVSS vector of v2.0, v3.0, v3.1 or v4.0' } },
    },
    component: {
      type: 'object',
      description: 'the component that has it',
      required: ['name'],
      properties: { name: text, version: text, purl: { ...text, description: 'its package URL' } },
    },
    fixedInVersions: texts,
    description: { type: 'string', description: 'empty where nobody describes it' },
    aliases: { ...texts, description: 'other ids of the same vulnerability, none of them a CVE' },
    published: { ...day, description: 'the day on which it became public, such as 2021-12-10' },
    reportedBy: {
      type: 'array',
      description: 'what each scanner said',
      items: {
        type: 'object',
        description: 'what one scanner said',
        required: ['scanner', 'id'],
        properties: {
          scanner: text,
          id: { ...text, description: 'the name that it used' },
          severity: { ...text, description: 'its own word' },
          score: { ...score, description: 'the score that it stated' },
          vector: text,
          source: { ...text, description: 'who rated it' },
          suppressed: { ...text, description: 'why it does not count the finding' },
          exploited: { ...text, description: 'what it knows of attacks, where it calls the vulnerability exploited' },
        },
      },
    },
    suppressed: { ...text, description: 'why it does not count, where every scanner says so' },
  },
} as const satisfies RecordSchema;
