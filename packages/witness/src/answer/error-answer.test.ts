import { expect, it } from 'vitest';
import { holdsAnswer } from './error-answer.ts';

it.each<[unknown, boolean]>([
  [{ error: { code: 'json_validate_failed', failed_generation: 'x' } }, true],
  [{ error: { failed_generation: '' } }, false],
  [{ failed_generation: 'x' }, true],
  [{ choices: [{}] }, true],
  [{ choices: [] }, false],
  [{ content: [{ text: 'x' }] }, true],
  [{ content: 'x' }, true],
  [{ content: null }, false],
  [{ output: { text: 'x' } }, true],
  [{ completion: 'x' }, true],
  [{ completion: 1 }, false],
  [{ error: { message: 'x', type: 'overloaded_error' } }, false],
  [{ error: 'x' }, false],
  [{ error: null }, false],
  [[{ choices: ['x'] }], false],
  ['x', false],
  [null, false],
  [undefined, false],
])('an error %j holds what a model wrote: %s', (body, is) => {
  expect(holdsAnswer(body)).toBe(is);
});
