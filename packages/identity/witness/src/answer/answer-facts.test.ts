import { describe, expect, it } from 'vitest';
import { AnswerNotes } from './answer-facts.ts';

function factsOf(note: (notes: AnswerNotes) => void) {
  const notes = new AnswerNotes();
  note(notes);
  return notes.facts();
}

const models = (...said: unknown[]) =>
  factsOf((notes) => {
    for (const name of said) notes.model(name);
  });

describe('the model of an answer', () => {
  it.each([['claude-opus-4-1-20250805'], ['us.anthropic.claude-v1:0'], ['org/model@2'], ['x'.repeat(256)]])(
    'is %s as it is written',
    (name) => {
      expect(models(name, name)).toMatchObject({ model: name, fault: undefined });
    },
  );

  it.each([[[]], [[undefined, null, '']]])('is absent where nothing is said: %j', (said) => {
    expect(models(...said)).toMatchObject({ model: undefined, fault: 'model_absent' });
  });

  it('is the one that is said after nothing', () => {
    expect(models('', null, 'gpt-4o', '')).toMatchObject({ model: 'gpt-4o', fault: undefined });
  });

  it.each([
    [5],
    [true],
    [{ name: 'gpt-4o' }],
    [['gpt-4o']],
    [' '],
    ['gpt 4o'],
    ['gpt-4o\n'],
    ['gpt-4o\u0000'],
    ['gpt-4ö'],
    ['gpt-4o\u200b'],
    ['unknown'],
    ['x'.repeat(257)],
  ])('is malformed where it cannot be written: %j', (name) => {
    expect(models(name)).toMatchObject({ model: undefined, fault: 'model_malformed' });
    expect(models('gpt-4o', name)).toMatchObject({ model: undefined, fault: 'model_malformed' });
  });

  it.each([['gpt-4o-mini'], ['GPT-4o'], ['gpt-4o-2024-08-06']])('changed where %s is said after gpt-4o', (name) => {
    expect(models('gpt-4o', name, 'gpt-4o')).toMatchObject({ model: undefined, fault: 'model_changed' });
  });

  it.each([
    ['gpt-4o', undefined],
    ['GPT-4o-2024-08-06', undefined],
    ['gpt-4o-mini', 'model_changed'],
    ['gpt-4o, gpt-4o', 'model_changed'],
  ])('with gpt-4o in the answer and %s in a header is faulted %s', (header, fault) => {
    const facts = factsOf((notes) => {
      notes.header(header);
      notes.model('gpt-4o');
    });
    expect(facts.fault).toBe(fault);
  });

  it('is not that of a header alone', () => {
    expect(factsOf((notes) => notes.header('gpt-4o')).fault).toBe('model_absent');
  });
});

it.each([
  ['resp_01', 'resp_01'],
  ['', undefined],
  ['a b', undefined],
  ['x'.repeat(257), undefined],
  [7, undefined],
])('the id %j is noted as %j', (said, id) => {
  expect(factsOf((notes) => notes.id(said)).responseId).toBe(id);
});

it('the first id and the last counts stand', () => {
  const facts = factsOf((notes) => {
    notes.id('');
    notes.id('one');
    notes.id('two');
    notes.tokens(10, 1);
    notes.tokens(undefined, 5);
    notes.tokens(-1, 2.5);
    notes.tokens('3', Number.NaN);
  });
  expect(facts).toMatchObject({ responseId: 'one', inputTokens: 10, outputTokens: 5 });
});

it('no tokens are a count too', () => {
  expect(factsOf((notes) => notes.tokens(0, 0))).toMatchObject({ inputTokens: 0, outputTokens: 0 });
});

describe('the tools of an answer', () => {
  const toolsOf = (...names: unknown[]) =>
    factsOf((notes) => {
      for (const name of names) notes.tool(name);
    }).tools;

  it('are counted by name', () => {
    expect([...toolsOf('edit', 'read', 'edit')]).toEqual([
      ['edit', 2],
      ['read', 1],
    ]);
  });

  it.each([[undefined], [5], [''], ['a b'], ['x'.repeat(257)], ['x'.repeat(1_000_000)]])(
    'without a name that can be written are counted together: %#',
    (name) => {
      expect([...toolsOf(name, name)]).toEqual([['', 2]]);
    },
  );

  it('beyond the first 256 are counted together', () => {
    const tools = toolsOf(...Array.from({ length: 300 }, (_, index) => `tool-${index}`), 'tool-0');
    expect([tools.size, tools.get('tool-0'), tools.get('tool-255'), tools.get('tool-256'), tools.get('')]).toEqual([
      257,
      2,
      1,
      undefined,
      44,
    ]);
  });
});
