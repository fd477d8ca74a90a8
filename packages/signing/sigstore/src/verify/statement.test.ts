import { valuesIn } from '@colophon/json';
import { IN_TOTO_PAYLOAD_TYPE } from '@colophon/records';
import { STATEMENT } from '@colophon/testkit/local-sigstore/draft-bundle';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/refusal.ts';
import { hasSubject, readStatement, STATEMENT_LIMITS } from './statement.ts';

const read = (value: unknown, type: string = IN_TOTO_PAYLOAD_TYPE) =>
  readStatement(type, Buffer.from(JSON.stringify(value)));

describe('a statement', () => {
  it('is read, also in the older version that cosign attest writes', () => {
    expect(read(STATEMENT)).toEqual(STATEMENT);
    const older = { ...STATEMENT, _type: 'https://in-toto.io/Statement/v0.1' };
    expect(read(older)).toEqual(older);
  });

  it('of another payload type is refused, with both types', () => {
    const error = refusal(() => read(STATEMENT, 'text/plain'));
    expect([error.code, error.expected, error.found]).toEqual([
      'statement.payload_type',
      IN_TOTO_PAYLOAD_TYPE,
      'text/plain',
    ]);
  });

  it('that is malformed is refused with every place that is wrong', () => {
    const error = refusal(() => read({ ...STATEMENT, subject: [], predicateType: 1 }));
    expect(error.code).toBe('statement.malformed');
    expect(error.message).toMatch(/: \/subject .+; \/predicateType /);
    expect(refusal(() => read([])).message).toMatch(/read: \S/);
  });

  it('of more values than are read was not read: it may well be one', () => {
    const { maxValues } = STATEMENT_LIMITS;
    const withZeros = (count: number) => ({ ...STATEMENT, predicate: { zeros: Array(count).fill(0) } });
    const others = valuesIn(JSON.parse(JSON.stringify(withZeros(0))));
    expect(read(withZeros(maxValues - others)).predicateType).toBe(STATEMENT.predicateType);
    const error = refusal(() => read(withZeros(maxValues - others + 1)));
    expect([error.code, error.expected]).toEqual(['statement.too_large', `at most ${maxValues} values`]);
  });

  it('has the subjects whose digests it names, by any of them', () => {
    const statement = read(STATEMENT);
    expect(hasSubject(statement, 'sha512', 'E'.repeat(128))).toBe(true);
    expect(hasSubject(statement, 'sha256', 'e'.repeat(64))).toBe(false);
    expect(hasSubject(statement, 'toString', 'x')).toBe(false);
    expect(hasSubject(statement, 'gitCommit', 'e'.repeat(40))).toBe(false);
  });
});
