import { describe, expect, it } from 'vitest';
import { type EvidenceFilter, type EvidenceOperator, writeSelect } from './evidence-select.ts';

const duration = { table: 'run', name: 'review_duration_seconds' } as const;
const short: EvidenceFilter = { column: duration, operator: '<', values: [60] };

describe('a question as SQL', () => {
  it('binds every value, in the order of the placeholders', () => {
    const claim: EvidenceFilter = {
      column: { table: 'claim', name: 'value', claim: 'repo' },
      operator: 'in',
      values: ["a'b", 'c'],
    };
    const { sql, parameters } = writeSelect({
      set: 'runs',
      where: { any: [short, { all: [claim, short] }] },
      limit: 7,
    });
    expect(parameters).toEqual([60, 'repo', "a'b", 'c', 60, 7]);
    expect(sql.split('?')).toHaveLength(parameters.length + 1);
    expect(sql).not.toContain("a'b");
  });

  it.each([
    [{ table: 'run', name: 'id; DROP TABLE evidence_run' }],
    [{ table: 'run', name: 'bundle' }],
    [{ table: 'constructor', name: 'name' }],
  ])('refuses the column %j', (column) => {
    const where = { column: column as typeof duration, operator: '=', values: [1] } as const;
    expect(() => writeSelect({ set: 'runs', where, limit: 1 })).toThrow(TypeError);
  });

  it('refuses an operator that is none', () => {
    const operator = 'OR 1=1 --' as EvidenceOperator;
    expect(() => writeSelect({ set: 'runs', where: { column: duration, operator, values: [1] }, limit: 1 })).toThrow(
      TypeError,
    );
  });

  it('refuses an order by what is not a column of the rows', () => {
    const orderBy = [{ column: duration, direction: 'asc' }] as const;
    expect(() => writeSelect({ set: 'artifacts', orderBy, limit: 1 })).toThrow(TypeError);
    expect(writeSelect({ set: 'runs', orderBy, limit: 1 }).sql).toContain(
      'ORDER BY "run"."review_duration_seconds" ASC',
    );
  });
});
