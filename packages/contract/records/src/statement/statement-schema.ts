import { hexPattern } from '@colophon/notation';
import { COMMIT_ID_PATTERN } from '../commit-id/commit-id.ts';
import { STATEMENT_TYPE, STATEMENT_TYPE_V0_1 } from '../predicate-type/predicate-type.ts';
import { type RecordSchema, text } from '../record-schema/record-schema.ts';

const hex = (digits: number) =>
  ({ type: 'string', description: `${digits} lower-case hex digits`, pattern: hexPattern(digits) }) as const;

const gitObject = {
  type: 'string',
  description: 'a git object id, 40 or 64 lower-case hex digits',
  pattern: COMMIT_ID_PATTERN,
} as const;

/** in-toto's DigestSet: the algorithms that we know have digits of the right number; of others only a value is asked. */
export const digestSet = {
  type: 'object',
  description: 'an object of algorithm and digest, at least one',
  minProperties: 1,
  properties: {
    sha256: hex(64),
    sha512: hex(128),
    sha384: hex(96),
    sha224: hex(56),
    sha1: hex(40),
    md5: hex(32),
    gitCommit: gitObject,
    gitTree: gitObject,
    gitBlob: gitObject,
    gitTag: gitObject,
  },
  additionalProperties: text,
} as const satisfies RecordSchema;

/**
 * in-toto Statement as JSON Schema; what checkRecord and parseStatement hold a statement against. Members that it
 * does not name are allowed, as in-toto asks of every reader.
 */
export const statementSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'in-toto Statement',
  type: 'object',
  description: 'an in-toto Statement',
  required: ['_type', 'subject', 'predicateType', 'predicate'],
  properties: {
    _type: { type: 'string', description: STATEMENT_TYPE, enum: [STATEMENT_TYPE, STATEMENT_TYPE_V0_1] },
    subject: {
      type: 'array',
      description: 'what the statement is about, at least one',
      minItems: 1,
      items: {
        type: 'object',
        description: 'a subject with its digest',
        required: ['digest'],
        properties: { name: text, uri: text, digest: digestSet },
      },
    },
    predicateType: { type: 'string', description: 'a URI', pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[!-~]+$' },
    predicate: { type: 'object', description: 'an object of the predicate type' },
  },
} as const satisfies RecordSchema;
