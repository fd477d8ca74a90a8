import { findFaults, type Issue, type JsonSchema, jsonPointer, type SchemaFault, segmentsOf } from '@colophon/json';
import { FIELD_MESSAGES } from './field-message.ts';
import type { RecordSchema } from './record-schema.ts';
import { isOfFormat } from './text-format.ts';

/** The records that are checked against a schema; a code is `<record>.<what is wrong>`. */
const CHECKED_RECORDS = [
  'statement',
  'agent_run',
  'agent_review',
  'review_withdrawal',
  'standing_negatives',
  'evidence_pack',
  'build_provenance',
  'witness_receipt',
  'admission_decision',
] as const;
export type CheckedRecord = (typeof CHECKED_RECORDS)[number];

type Words = keyof typeof FIELD_MESSAGES;

/** Every code that checkRecord gives to the issues of a record. */
export type RecordIssueCode = `${CheckedRecord}.${Words}`;

/** Every code of parseStatement and of the parsers of predicates, beside those of parseStrictJson. */
export const RECORD_ISSUE_CODES: readonly RecordIssueCode[] = CHECKED_RECORDS.flatMap((record) =>
  (Object.keys(FIELD_MESSAGES) as Words[]).map((words) => `${record}.${words}` as const),
);

const NO_SUCH_FIELD = { type: 'object', description: 'no field of this name' } as const;
const BLANK = /^[\p{C}\p{Z}]*$/u;
/** A hostile document must not buy an answer larger than itself. */
const MOST_ISSUES = 100;

/** How the schemas of records are read. */
const READING = {
  order: 'declared',
  looksIntoWrongSize: false,
  isOfFormat,
  compilePattern: (source: string) => {
    const pattern = new RegExp(source, 'u');
    return { test: (text: string) => !BLANK.test(text) && pattern.test(text) };
  },
} as const;

/**
 * Holds a value against the schema of a record and returns everything that is wrong with it, up to 100 issues, in the
 * order of the schema. No issue repeats a value. `source` says which section asks for the record.
 */
export function checkRecord(record: CheckedRecord, schema: RecordSchema, value: unknown, source: string): Issue[] {
  return findFaults(value, MOST_ISSUES, { ...READING, schema }).faults.map((fault) => {
    const words = wordsOf(fault);
    const { place, schema: broken } = fault;
    const [path, part] =
      fault.rule === 'unknown'
        ? [segmentsOf(place), NO_SUCH_FIELD]
        : fault.rule === 'required'
          ? [[...segmentsOf(place), fault.name], broken.properties?.[fault.name] as JsonSchema]
          : [segmentsOf(place), broken];
    const expected = part.description ?? String(part.type);
    return { path: jsonPointer(path), code: `${record}.${words}`, message: FIELD_MESSAGES[words], expected, source };
  });
}

function wordsOf({ rule, value, schema }: SchemaFault): Words {
  if (rule === 'required') return 'field_missing';
  if (rule === 'unknown') return 'field_invalid';
  if (rule === 'type') return value === null ? 'field_null' : 'field_type';
  if (rule === 'size')
    return Array.isArray(value) && value.length > (schema.maxItems ?? value.length) ? 'field_invalid' : 'field_empty';
  return typeof value === 'string' && BLANK.test(value) ? 'field_empty' : 'field_invalid';
}
