import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_PARENTHESES, MAX_VALUES, parseQuery } from './parse-query.ts';
import { fieldNames, findField, QUERY_FIELDS, QUERY_SETS } from './query-field.ts';
import { QUERY_ISSUE_CODES } from './query-issue.ts';
import { MAX_QUERY_LENGTH } from './query-token.ts';

function parse(text: string) {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

function refusal(text: string) {
  const parsed = parseQuery(text);
  if (parsed.ok) throw new Error('it was accepted');
  return parsed.issues[0];
}

const run = (name: string) => ({ table: 'run', name });

describe('a question', () => {
  it('of the contract is read', () => {
    expect(parse('runs where review.duration < 60s')).toEqual({
      set: 'runs',
      where: { column: run('review_duration_seconds'), operator: '<', values: [60] },
      orderBy: [],
      limit: DEFAULT_LIMIT,
    });
  });

  it('may be a set alone', () => {
    expect(parse(' entries\n')).toEqual({ set: 'entries', orderBy: [], limit: DEFAULT_LIMIT });
  });

  it('binds and closer than or, and parentheses closer still', () => {
    const one = (value: string) => ({ column: run('agent_name'), operator: '=', values: [value] });
    expect(parse('runs where agent = a or agent = b and agent = c').where).toEqual({
      any: [one('a'), { all: [one('b'), one('c')] }],
    });
    expect(parse('runs where (agent = a or agent = b) and agent = c').where).toEqual({
      all: [{ any: [one('a'), one('b')] }, one('c')],
    });
  });

  it('may be ordered and limited', () => {
    expect(parse('runs order by review.duration desc, time, agent.name asc limit 5')).toEqual({
      set: 'runs',
      orderBy: [
        { column: run('review_duration_seconds'), direction: 'desc' },
        { column: { table: 'entry', name: 'integrated_at' }, direction: 'asc' },
        { column: run('agent_name'), direction: 'asc' },
      ],
      limit: 5,
    });
    expect(parse(`runs limit ${MAX_LIMIT}`).limit).toBe(MAX_LIMIT);
  });

  it.each([
    ['review.duration < 60', [60]],
    ['review.duration<60s', [60]],
    ['review.duration >= 5m', [300]],
    ['review.duration > 1h30m', [5400]],
    ['review.duration != 1500ms', [1.5]],
    ['review.duration <= 2d', [172_800]],
    ['review.duration in (60s, 2m)', [60, 120]],
    ['model.temperature = 0.7', [0.7]],
    ['git.lines_added > -1', [-1]],
    ['human_review.approved = false', [0]],
    ['approved != true', [1]],
    ['time > 2026-11-21', [Date.UTC(2026, 10, 21)]],
    ['time > 2026-11-21T10:00:00Z', [Date.UTC(2026, 10, 21, 10)]],
    ['time > "2026-11-21T10:00:00.500Z"', [Date.UTC(2026, 10, 21, 10, 0, 0, 500)]],
    ['agent = "two words"', ['two words']],
    [`agent = 'it\\'s "x" \\\\'`, ['it\'s "x" \\']],
    ['agent = "where"', ['where']],
    ['agent = where', ['where']],
    ['agent = 60s', ['60s']],
    ['agent ~ "code-(writer|fixer)"', ['code-(writer|fixer)']],
    ['agent ~ code-.*', ['code-.*']],
    ['agent in (a,"b", c)', ['a', 'b', 'c']],
    [`prompt = ${'A'.repeat(64)}`, [`sha256:${'a'.repeat(64)}`]],
    [`prompt = sha256:${'a'.repeat(64)}`, [`sha256:${'a'.repeat(64)}`]],
    [`artifact = sha256:${'a'.repeat(64)}`, ['a'.repeat(64)]],
    ['sources.model_id = declared', ['declared']],
    [`commit = ${'A1'.repeat(20)}`, ['a1'.repeat(20)]],
    [`commit != ${'A1'.repeat(32)}`, ['a1'.repeat(32)]],
    [`git.commit_sha in (${'A1'.repeat(20)}, b)`, ['a1'.repeat(20), 'b']],
    ['commit ~ "[0-9A-F]+\\\\S"', ['[0-9A-F]+\\S']],
  ])('%s is read as %j', (condition, values) => {
    expect(parse(`runs where ${condition}`).where).toMatchObject({ values });
  });

  it('of claims says whose value or source it means', () => {
    expect(parse('runs where claims.repo = acme/app').where).toMatchObject({
      column: { table: 'claim', name: 'value', claim: 'repo' },
    });
    expect(parse('runs where sources.repo = declared').where).toMatchObject({
      column: { table: 'claim', name: 'source', claim: 'repo' },
    });
  });

  it('whose parts stand in another order is told the order', () => {
    expect(refusal('reviews limit 2 order by time').message).toBe(
      '“order” is not expected here: where comes first, then order by, then limit, each at most once.',
    );
    expect(refusal('runs limit 5 5').message).toBe('“5” is not expected here.');
  });

  it.each([
    ['', 'query.unknown_set', 1, undefined],
    ['run where x = 1', 'query.unknown_set', 1, 'runs'],
    ['  artefacts', 'query.unknown_set', 3, 'artifacts'],
    ['"runs"', 'query.unknown_set', 1, 'runs'],
    ['components', 'query.set_not_available', 1, undefined],
    ['runs were agent = a', 'query.syntax', 6, 'where'],
    ['runs WHERE agent = a', 'query.syntax', 6, 'where'],
    ['runs where', 'query.syntax', 11, undefined],
    ['runs where agnet = a', 'query.unknown_field', 12, 'agent'],
    ['runs where review.durations < 1', 'query.unknown_field', 12, 'review.duration'],
    ['runs where human_reviewer = a', 'query.unknown_field', 12, undefined],
    ['runs where constructor = a', 'query.unknown_field', 12, undefined],
    ['runs where "agent" = a', 'query.unknown_field', 12, 'agent'],
    ['runs where agent', 'query.syntax', 17, undefined],
    ['runs where agent is a', 'query.syntax', 18, undefined],
    ['runs where agent < a', 'query.operator_not_allowed', 18, undefined],
    ['runs where review.duration ~ 6.', 'query.operator_not_allowed', 28, undefined],
    ['runs where approved in (true)', 'query.operator_not_allowed', 21, undefined],
    ['runs where agent =', 'query.syntax', 19, undefined],
    ['runs where agent = )', 'query.syntax', 20, undefined],
    ['runs where agent in a', 'query.syntax', 21, undefined],
    ['runs where agent in (a', 'query.syntax', 23, undefined],
    ['runs where (agent = a', 'query.syntax', 22, undefined],
    ['runs where agent = a)', 'query.syntax', 21, undefined],
    ['runs where agent = a b', 'query.syntax', 22, undefined],
    ['runs where agent = "a', 'query.syntax', 20, undefined],
    ['runs where review.duration < soon', 'query.value_invalid', 30, undefined],
    ['runs where review.duration < 60x', 'query.value_invalid', 30, undefined],
    ['runs where time > 2026-02-30', 'query.value_invalid', 19, undefined],
    ['runs where time > yesterday', 'query.value_invalid', 19, undefined],
    ['runs where approved = yes', 'query.value_invalid', 23, undefined],
    ['runs where git.lines_added = 1e9', 'query.value_invalid', 30, undefined],
    ['runs where prompt = abc', 'query.value_invalid', 21, undefined],
    ['runs where agent ~ "("', 'query.pattern_invalid', 20, undefined],
    ['runs order review.duration', 'query.syntax', 12, undefined],
    ['runs order by claims.repo', 'query.unknown_field', 15, undefined],
    ['runs order by', 'query.syntax', 14, undefined],
    ['artifacts order by agent.name', 'query.unknown_field', 20, undefined],
    ['runs order by agent, agent, agent, agent, agent', 'query.too_complex', 48, undefined],
    ['runs limit', 'query.limit_invalid', 11, undefined],
    ['runs limit 0', 'query.limit_invalid', 12, undefined],
    ['runs limit -1', 'query.limit_invalid', 12, undefined],
    [`runs limit ${MAX_LIMIT + 1}`, 'query.limit_invalid', 12, undefined],
    ['runs limit ten', 'query.limit_invalid', 12, undefined],
    ['runs limit 5 5', 'query.syntax', 14, undefined],
    ['runs limit 2 order by time', 'query.syntax', 14, undefined],
    ['runs limit 2 where agent = a', 'query.syntax', 14, undefined],
    ['runs and agent = a', 'query.syntax', 6, undefined],
    ['runs "where"', 'query.syntax', 6, 'where'],
    ['runs where agent = a; drop table evidence_entry', 'query.syntax', 23, undefined],
  ])('%j is refused: %s at %i', (text, code, position, didYouMean) => {
    const issue = refusal(text);
    expect(issue).toMatchObject({ code, position });
    expect(issue.didYouMean).toBe(didYouMean);
    expect(QUERY_ISSUE_CODES).toContain(issue.code);
  });

  it('is refused beyond each of its limits, and not at it', () => {
    expect(parseQuery('runs'.padEnd(MAX_QUERY_LENGTH)).ok).toBe(true);
    expect(refusal('runs'.padEnd(MAX_QUERY_LENGTH + 1)).code).toBe('query.too_long');
    const listed = (count: number) => `runs where agent in (${Array(count).fill('a').join(',')})`;
    expect(parseQuery(listed(MAX_VALUES)).ok).toBe(true);
    expect(refusal(listed(MAX_VALUES + 1)).code).toBe('query.too_complex');
    const nested = (depth: number) => `runs where ${'('.repeat(depth)}agent = a${')'.repeat(depth)}`;
    expect(parseQuery(nested(MAX_PARENTHESES)).ok).toBe(true);
    expect(refusal(nested(MAX_PARENTHESES + 1)).code).toBe('query.too_complex');
    const beside = Array(MAX_PARENTHESES + 1)
      .fill('(agent = a)')
      .join(' or ');
    expect(parseQuery(`runs where ${beside}`).ok).toBe(true);
  });

  it('of any text has an answer', () => {
    const words = fc.constantFrom(
      'runs',
      'where',
      'agent',
      '=',
      '<',
      '(',
      ')',
      'and',
      'or',
      'in',
      ',',
      'limit',
      '1',
      '"',
      'by',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((list) => list.join(' ')),
        ),
        (text) => {
          const parsed = parseQuery(text);
          if (!parsed.ok) expect(parsed.issues[0].position).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('the fields of a set', () => {
  it.each(QUERY_SETS)('of %s are found by their wire path before any alias', (set) => {
    for (const field of QUERY_FIELDS[set]) expect(findField(set, field.name)!.name).toBe(field.name);
    expect(new Set(QUERY_FIELDS[set].map(({ name }) => name)).size).toBe(QUERY_FIELDS[set].length);
  });

  it.each(['runs', 'reviews', 'review-claims', 'entries'] as const)('of %s share no alias', (set) => {
    const names = fieldNames(set);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
