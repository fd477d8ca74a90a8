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

  it('refuses what is no decision in a question about decisions, and decisions in one about anything else', () => {
    const listed = { table: 'decision_listed', name: 'value', list: 'reason' } as const;
    for (const [set, column] of [
      ['decisions', duration],
      ['decisions', { table: 'claim', name: 'value', claim: 'repo' }],
      ['runs', { table: 'decision', name: 'time' }],
      ['artifacts', listed],
    ] as const) {
      const where: EvidenceFilter = { column, operator: '=', values: ['x'] };
      expect(() => writeSelect({ set, where, limit: 1 })).toThrow(TypeError);
    }
  });

  it('finds decisions by a listed value, unless another condition finds fewer, and binds in order', () => {
    const listed = (list: 'reason' | 'policy', value: string): EvidenceFilter => ({
      column: { table: 'decision_listed', name: 'value', list },
      operator: '=',
      values: [value],
    });
    const of = (name: string, value: string | number): EvidenceFilter => ({
      column: { table: 'decision', name },
      operator: '=',
      values: [value],
    });
    const select = (...all: EvidenceFilter[]) => writeSelect({ set: 'decisions', where: { all }, limit: 7 });
    const joined = select(of('admitted', 0), listed('policy', 'p'), listed('reason', 'r'));
    expect(joined.parameters).toEqual(['reason', 'r', 0, 'policy', 'p', 7]);
    expect(joined.sql.split('?')).toHaveLength(joined.parameters.length + 1);
    const lookedFor = select(listed('reason', 'r'), of('digest', 'd'));
    expect(lookedFor.parameters).toEqual(['reason', 'r', 'd', 7]);
    expect(lookedFor.sql).toMatch(/WHERE \(EXISTS/);
  });
});
