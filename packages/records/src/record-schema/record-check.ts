import { type Issue, isJsonObject, jsonPointer } from '@colophon/json';
import { isEmailAddress } from '../email-address/email-address.ts';
import { isTimestamp } from '../timestamp/timestamp.ts';
import type { RecordSchema } from './record-schema.ts';

/** The records that are checked against a schema; a code is `<record>.<what is wrong>`. */
const CHECKED_RECORDS = ['statement', 'agent_run', 'agent_review', 'review_withdrawal', 'standing_negatives'] as const;
export type CheckedRecord = (typeof CHECKED_RECORDS)[number];

const MESSAGES = {
  field_missing: 'The field is required.',
  field_null: 'The field is null; one without a value is left out.',
  field_type: 'The field has another type than it needs.',
  field_empty: 'The field is empty or blank.',
  field_invalid: 'The field does not have the form that it needs.',
} as const;

type Fault = keyof typeof MESSAGES;

/** Every code that checkRecord gives to the issues of a record. */
export type RecordIssueCode = `${CheckedRecord}.${Fault}`;

/** Every code of parseStatement and of the parsers of predicates, beside those of parseStrictJson. */
export const RECORD_ISSUE_CODES: readonly RecordIssueCode[] = CHECKED_RECORDS.flatMap((record) =>
  (Object.keys(MESSAGES) as Fault[]).map((fault) => `${record}.${fault}` as const),
);

const BLANK = /^[\p{C}\p{Z}]*$/u;

/** A hostile document must not buy an answer larger than itself. */
const MOST_ISSUES = 100;

/**
 * Holds a value against the schema of a record and returns everything that is wrong with it, up to 100 issues, in the
 * order of the schema. No issue repeats a value. `source` says which section asks for the record.
 */
export function checkRecord(record: CheckedRecord, schema: RecordSchema, value: unknown, source: string): Issue[] {
  const issues: Issue[] = [];
  const segments: (string | number)[] = [];

  function note(fault: Fault, expected: string): void {
    if (issues.length === MOST_ISSUES) return;
    issues.push({
      path: jsonPointer(segments),
      code: `${record}.${fault}`,
      message: MESSAGES[fault],
      expected,
      source,
    });
  }

  function checkAt(segment: string | number, part: RecordSchema, inner: unknown): void {
    segments.push(segment);
    check(part, inner);
    segments.pop();
  }

  function check(part: RecordSchema, inner: unknown): void {
    const fault = faultOf(part, inner);
    if (fault !== undefined) note(fault, part.description ?? part.type);
    else if (Array.isArray(inner)) {
      for (const [index, item] of inner.entries()) if (part.items !== undefined) checkAt(index, part.items, item);
    } else if (isJsonObject(inner)) checkMembers(part, inner);
  }

  function checkMembers(part: RecordSchema, members: { readonly [name: string]: unknown }): void {
    const { properties = {}, required = [], additionalProperties } = part;
    for (const [name, property] of Object.entries(properties)) {
      if (Object.hasOwn(members, name)) checkAt(name, property, members[name]);
      else if (required.includes(name)) {
        segments.push(name);
        note('field_missing', property.description ?? property.type);
        segments.pop();
      }
    }
    if (additionalProperties === undefined) return;
    for (const name of Object.keys(members)) {
      if (!Object.hasOwn(properties, name)) checkAt(name, additionalProperties, members[name]);
    }
  }

  check(schema, value);
  return issues;
}

/** What is wrong with a value itself, whatever stands inside it. */
function faultOf(schema: RecordSchema, value: unknown): Fault | undefined {
  if (value === null) return 'field_null';
  switch (schema.type) {
    case 'object':
      if (!isJsonObject(value)) return 'field_type';
      return Object.keys(value).length < (schema.minProperties ?? 0) ? 'field_empty' : undefined;
    case 'array':
      if (!Array.isArray(value)) return 'field_type';
      if (value.length < (schema.minItems ?? 0)) return 'field_empty';
      return value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY) ? 'field_invalid' : undefined;
    case 'string':
      return typeof value === 'string' ? faultOfText(schema, value) : 'field_type';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'field_type';
    default:
      return faultOfNumber(schema, value);
  }
}

function faultOfText(schema: RecordSchema, value: string): Fault | undefined {
  const isBlank = BLANK.test(value);
  const isValid =
    (schema.enum === undefined || schema.enum.includes(value)) &&
    value.length <= (schema.maxLength ?? Number.POSITIVE_INFINITY) &&
    (schema.pattern === undefined || (!isBlank && new RegExp(schema.pattern, 'u').test(value))) &&
    (schema.format !== 'date-time' || isTimestamp(value)) &&
    (schema.format !== 'email' || isEmailAddress(value));
  if (isValid) return undefined;
  return isBlank ? 'field_empty' : 'field_invalid';
}

function faultOfNumber(schema: RecordSchema, value: unknown): Fault | undefined {
  const isNumber = schema.type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
  if (!isNumber) return 'field_type';
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  return (value as number) < minimum || (value as number) > maximum ? 'field_invalid' : undefined;
}
