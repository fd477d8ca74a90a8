import { describe, expect, it } from 'vitest';
import { nearestNames } from './nearest-name.ts';

describe('the nearest names', () => {
  it.each([
    ['agnet', ['agent', 'model'], ['agent']],
    ['AGENT', ['agent'], ['agent']],
    ['xyz', ['agent'], []],
    ['a', ['b'], ['b']],
    ['agentname', ['agent.name', 'agent'], ['agent.name']],
    ['agent', [], []],
    ['ba', ['ab'], ['ab']],
    ['abcdef', ['fedcba'], []],
    ['duratoin', ['decision', 'duration'], ['duration']],
    ['duratios', ['duration', 'durations'], ['duration', 'durations']],
    ['modes', ['models', 'agent', 'mode'], ['models', 'mode']],
  ])('to %s of %j are %j', (typed, names, expected) => {
    expect(nearestNames(typed, names)).toEqual(expected);
  });
});
