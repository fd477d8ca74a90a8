import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LineRange } from './line-range.ts';
import { chooseNotedAgent, countNotedAgents, type NotedAuthor, notedInGitAi, notedInTrace } from './noted-agent.ts';

const A = { agent: 'a', model: 'm' };
const B = { agent: 'b', model: 'm' };
const range = (start: number, end: number, evidence: NotedAuthor | undefined) => ({ start, end, evidence });
const counted = (...ranges: ReadonlyArray<LineRange<NotedAuthor>>) => countNotedAgents(new Map([['f', ranges]]));

test('the model of a trace is its provider’s, that of a git-ai log is whole', () => {
  const said = { agent: 'cursor', version: '2.4.0', model: 'openrouter/openai/gpt-4o' };
  expect(notedInTrace(said)).toEqual({
    agent: 'cursor',
    version: '2.4.0',
    provider: 'openrouter',
    model: 'openai/gpt-4o',
  });
  expect(notedInTrace({ model: 'gpt-4o' })).toEqual({ model: 'gpt-4o' });
  expect(notedInTrace({ model: '/gpt-4o' })).toEqual({ model: '/gpt-4o' });
  expect(notedInGitAi(said)).toEqual({ agent: 'cursor', model: 'openrouter/openai/gpt-4o' });
});

test.each(['unknown', '', ' ', undefined])('an agent and a model %j are not known', (text) => {
  const said = { agent: text, version: text, model: text };
  expect([notedInGitAi(said), notedInTrace(said)]).toEqual([{}, {}]);
});

test('a line that several ranges have is the last one’s, and a person’s is no agent’s', () => {
  expect(counted(range(1, 10, A), range(3, 4, B), range(10, 12, undefined))).toEqual([
    { ...A, lineCount: 7 },
    { ...B, lineCount: 2 },
  ]);
  expect(counted(range(3, 4, A), range(1, 10, B))).toEqual([{ ...B, lineCount: 10 }]);
  expect(counted(range(3, 4, A), range(1, 10, undefined))).toEqual([]);
});

test('an agent’s lines are counted over all files, and its version only where all agree', () => {
  const [one, two] = [
    { ...A, version: '1' },
    { ...A, version: '2' },
  ];
  const files = (author: NotedAuthor) =>
    new Map([
      ['f', [range(1, 2, one)]],
      ['g', [range(1, 3, author)]],
    ]);
  expect(countNotedAgents(files(one))).toEqual([{ ...one, lineCount: 5 }]);
  expect(countNotedAgents(files(two))).toEqual([{ ...A, lineCount: 5 }]);
  expect(countNotedAgents(files(A))).toEqual([{ ...A, lineCount: 5 }]);
});

test('lines are counted as one would count them one by one', () => {
  const author = fc.constantFrom(A, B, undefined);
  const ranges = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.nat(9), author), { maxLength: 20 });
  fc.assert(
    fc.property(ranges, (drawn) => {
      const owners = new Map<number, string | undefined>();
      for (const [start, more, by] of drawn) {
        for (let line = start; line <= start + more; line++) owners.set(line, by?.agent);
      }
      const found = counted(...drawn.map(([start, more, by]) => range(start, start + more, by)));
      for (const name of ['a', 'b']) {
        const lines = [...owners.values()].filter((owner) => owner === name).length;
        expect(found.find(({ agent }) => agent === name)?.lineCount ?? 0).toBe(lines);
      }
    }),
  );
});

test('many ranges of many lines are counted at once', () => {
  const ranges = Array.from({ length: 200_000 }, (_, i) => range(i + 1, 100_000_000 - i, i % 2 === 0 ? A : B));
  expect(countNotedAgents(new Map([['f', ranges]]))).toEqual([
    { ...B, lineCount: 99_800_000 },
    { ...A, lineCount: 200_000 },
  ]);
});

test('the one with most lines is chosen, of those that are meant', () => {
  const agents = counted(range(1, 5, A), range(6, 9, B), range(10, 11, { agent: 'b', model: 'n', provider: 'p' }));
  expect(chooseNotedAgent(agents, {})).toMatchObject({ ok: true, value: { agent: 'a' } });
  expect(chooseNotedAgent(agents, { agent: 'b' })).toMatchObject({ ok: true, value: B });
  expect(chooseNotedAgent(agents, { model: 'n' })).toMatchObject({ ok: true, value: { model: 'n' } });
  expect(chooseNotedAgent(agents, { model: 'p/n' })).toMatchObject({ ok: true, value: { model: 'n' } });
  expect(chooseNotedAgent(agents, { agent: 'a', model: 'n' })).toEqual({ ok: false, equal: [] });
});

test('of equally many lines none is chosen', () => {
  const agents = counted(range(1, 5, B), range(6, 10, A), range(11, 11, { agent: 'c' }));
  expect(chooseNotedAgent(agents, {})).toEqual({
    ok: false,
    equal: [
      { ...A, lineCount: 5 },
      { ...B, lineCount: 5 },
    ],
  });
});
