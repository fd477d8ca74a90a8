import fc from 'fast-check';
import { Check } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { agentReviewSchema, agentReviewSpecSchema } from '../agent-review/agent-review-schema.ts';
import { agentRunSchema } from '../agent-run/agent-run-schema.ts';
import { reviewWithdrawalSchema } from '../review-withdrawal/review-withdrawal-schema.ts';
import { standingNegativesSchema } from '../standing-negatives/standing-negatives-schema.ts';
import { statementSchema } from '../statement/statement-schema.ts';
import { day, instant } from './nullable-value.ts';
import { checkRecord, RECORD_ISSUE_CODES } from './record-check.ts';
import { count, emailAddress, integer, type RecordSchema, text, timestamp } from './record-schema.ts';

const issuesOf = (schema: RecordSchema, value: unknown) =>
  checkRecord('agent_run', schema, value, 'contract §2.3').map(({ path, code }) => `${path} ${code.split('.')[1]}`);

const strings: RecordSchema = { type: 'array', minItems: 1, items: { type: 'string' } };
const named: RecordSchema = {
  type: 'object',
  minProperties: 1,
  required: ['name'],
  properties: { name: text, size: count },
  additionalProperties: strings,
};

describe('checkRecord', () => {
  it.each<[string, RecordSchema, unknown, ...string[]]>([
    ['text', text, 'a'],
    ['text with spaces around', text, ' a '],
    ['null', text, null, ' field_null'],
    ['undefined', text, undefined, ' field_type'],
    ['a number for text', text, 1, ' field_type'],
    ['empty text', text, '', ' field_empty'],
    ['spaces', text, ' \t\n\u00a0', ' field_empty'],
    ['characters that cannot be seen', text, '\u200b\u202e\u2028', ' field_empty'],
    ['text that need not be there', { type: 'string' }, ''],
    ['a value of an enum', { type: 'string', enum: ['a', 'b'] }, 'b'],
    ['a value outside an enum', { type: 'string', enum: ['a', 'b'] }, 'c', ' field_invalid'],
    ['an empty value outside an enum', { type: 'string', enum: ['a'] }, '', ' field_empty'],
    ['a time', timestamp, '2026-02-28T00:00:00Z'],
    ['a time of no calendar', timestamp, '2026-02-30T00:00:00Z', ' field_invalid'],
    ['a time with an offset', timestamp, '2026-02-28T00:00:00+01:00', ' field_invalid'],
    ['a day', day, '2026-02-28'],
    ['a day of no calendar', day, '2026-02-30', ' field_invalid'],
    ['a time at an offset', instant, '2026-02-28 00:00:00+01:00'],
    ['a time at an offset, of no calendar', instant, '2026-02-30T00:00:00+01:00', ' field_invalid'],
    ['an address', emailAddress, 'a@b'],
    ['no address', emailAddress, 'ab', ' field_invalid'],
    ['an address too long', emailAddress, `a@${'b.'.repeat(126)}b`, ' field_invalid'],
    ['an address of 254', emailAddress, `ab@${'b.'.repeat(125)}b`],
    ['an address with 65 characters before the @', emailAddress, `${'a'.repeat(65)}@b`, ' field_invalid'],
    ['a count', count, 0],
    ['a count below zero', count, -1, ' field_invalid'],
    ['a fraction of a count', count, 1.5, ' field_type'],
    ['a count beyond 2^53', count, 2 ** 53, ' field_invalid'],
    ['the least integer', integer, -(2 ** 53) + 1],
    ['an integer below it', integer, -(2 ** 53), ' field_invalid'],
    ['a count as text', count, '1', ' field_type'],
    ['an integer below zero', { type: 'integer' }, -1],
    ['a number', { type: 'number' }, -0.5],
    ['NaN', { type: 'number' }, Number.NaN, ' field_type'],
    ['an infinity', { type: 'number' }, Number.POSITIVE_INFINITY, ' field_type'],
    ['a number as text', { type: 'number' }, '0.5', ' field_type'],
    ['a boolean', { type: 'boolean' }, false],
    ['a boolean as text', { type: 'boolean' }, 'true', ' field_type'],
    ['an array', strings, ['a', '']],
    ['an empty array', strings, [], ' field_empty'],
    ['an empty array that may be', { type: 'array' }, []],
    ['as many items as there may be', { type: 'array', maxItems: 2 }, [1, 2]],
    ['an item too many', { type: 'array', maxItems: 2 }, [1, 2, 3], ' field_invalid'],
    ['an array of anything', { type: 'array' }, [1, null]],
    ['items of the wrong type', strings, ['a', 1, null], '/1 field_type', '/2 field_null'],
    ['an object for an array', strings, { 0: 'a', length: 1 }, ' field_type'],
    ['text for an array', strings, 'a', ' field_type'],
    ['an object', named, { name: 'a', size: 1, other: ['a'] }],
    ['an empty object', named, {}, ' field_empty'],
    ['an array for an object', named, [], ' field_type'],
    ['text for an object', named, 'a', ' field_type'],
    ['a member missing', named, { size: 1 }, '/name field_missing'],
    ['a member inherited', named, { __proto__: { name: 'a' }, size: 1 }, '/name field_missing'],
    ['members of the wrong type', named, { size: 'a', name: 1 }, '/name field_type', '/size field_type'],
    ['an optional member null', named, { name: 'a', size: null }, '/size field_null'],
    ['another member of the wrong type', named, { name: 'a', toString: [1] }, '/toString/0 field_type'],
    ['an object that may be empty', { type: 'object' }, {}],
    ['an object of anything', { type: 'object' }, { a: null }],
  ])('answers for %s', (_title, schema, value, ...issues) => {
    expect(issuesOf(schema, value)).toEqual(issues);
  });

  it('says what it expects, where from, and in whose name', () => {
    const schema: RecordSchema = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string' }, b: count, c: { type: 'array' }, d: count },
    };
    expect(checkRecord('agent_review', schema, { c: 1, d: -1 }, 'contract §2.4')).toEqual(
      [
        ['/a', 'field_missing', 'string'],
        ['/b', 'field_missing', 'an integer, 0 or more'],
        ['/c', 'field_type', 'array'],
        ['/d', 'field_invalid', 'an integer, 0 or more'],
      ].map(([path, fault, expected]) => ({
        path,
        code: `agent_review.${fault}`,
        message: expect.stringMatching(/\.$/),
        expected,
        source: 'contract §2.4',
      })),
    );
  });

  it('stops at a hundred issues', () => {
    expect(issuesOf({ type: 'array', items: text }, Array(150).fill(1))).toHaveLength(100);
  });

  it('has five codes a record', () => {
    expect(RECORD_ISSUE_CODES).toHaveLength(45);
    expect(RECORD_ISSUE_CODES).toContain('statement.field_empty');
    expect(RECORD_ISSUE_CODES).toContain('agent_run.field_null');
    expect(RECORD_ISSUE_CODES).toContain('agent_review.field_missing');
    expect(RECORD_ISSUE_CODES).toContain('standing_negatives.field_invalid');
  });

  it.each<[string, RecordSchema]>([
    ['agent-run', agentRunSchema],
    ['agent-review', agentReviewSchema],
    ['agent-review of the spec profile', agentReviewSpecSchema],
    ['statement', statementSchema],
    ['review withdrawal', reviewWithdrawalSchema],
    ['list of standing negatives', standingNegativesSchema],
  ])('agrees with a JSON Schema validator on every %s', (_title, schema) => {
    fc.assert(
      fc.property(valueFor(schema), (value) => {
        const sent = JSON.parse(JSON.stringify(value));
        const isValid = checkRecord('statement', schema, sent, '').length === 0;
        // What a pattern cannot say is only in ours.
        if (isValid || !/T00:00:00Z|\u200b/.test(JSON.stringify(sent))) expect(isValid).toBe(Check(schema, sent));
      }),
      { numRuns: 300 },
    );
  });
});

/** Mostly values of the schema, now and then something else in some place. */
function valueFor(schema: RecordSchema): fc.Arbitrary<unknown> {
  const good = goodFor(schema);
  return fc.oneof({ arbitrary: good, weight: 60 }, { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 });
}

function goodFor(schema: RecordSchema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'object': {
      const properties: Record<string, fc.Arbitrary<unknown>> = {};
      for (const [name, part] of Object.entries(schema.properties ?? {})) properties[name] = valueFor(part);
      return fc
        .tuple(fc.record(properties, { requiredKeys: [...(schema.required ?? [])] }), fc.nat(40))
        .map(([record, drop]) => Object.fromEntries(Object.entries(record).filter((_, at) => at !== drop)));
    }
    case 'array':
      return fc.array(schema.items === undefined ? fc.jsonValue() : valueFor(schema.items), { maxLength: 3 });
    case 'string': {
      if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
      if (schema.format === 'email') return fc.constantFrom('a@b', 'jane@example.com', 'jane');
      if (schema.format === 'date-time') return fc.constantFrom('2026-02-28T12:00:00Z', '2026-02-30T00:00:00Z', 'now');
      return fc.constantFrom(
        'text',
        '\u200b',
        ' ',
        'a'.repeat(40),
        'b'.repeat(64),
        `sha256:${'c'.repeat(64)}`,
        'o/r',
        'u:x',
      );
    }
    case 'boolean':
      return fc.boolean();
    default:
      return fc.constantFrom(0, 1, -1, 0.5, 2 ** 53, -(2 ** 53));
  }
}
