import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { askPassword, type Keyboard } from './password.ts';

/** A terminal at which somebody types; `said` is what it shows. */
function sitting({ isTTY = true, sees = true } = {}) {
  const said: string[] = [];
  const modes: boolean[] = [];
  const keys = new EventEmitter();
  const keyboard = Object.assign(keys, {
    isTTY,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
    resume: () => {},
    pause: () => {},
  }) as unknown as Keyboard;
  const stream = { write: (text: string) => said.push(text), isTTY: sees };
  const asked = askPassword('Password: ', { terminal: { stdout: stream, stderr: stream, env: {} } }, keyboard);
  return { asked, said, modes, type: (text: string) => keys.emit('data', Buffer.from(text)), keys };
}

test.each([
  ['typed at once', ['correct horse\r'], 'correct horse'],
  ['key by key', ['a', 'b', 'c', '\n'], 'abc'],
  ['with a mistake taken back', ['ab\u007fé\u007fc\b\bxy\r'], 'xy'],
  ['that is empty', ['\r'], ''],
  ['that ends with the input', ['abc\u0004'], 'abc'],
])('a password %s is read, and not shown', async (_what, typed, expected) => {
  const { asked, said, modes, type, keys } = sitting();
  for (const text of typed) type(text);
  expect(await asked).toBe(expected);
  expect(said).toEqual(['Password: ', '\n']);
  expect(modes).toEqual([true, false]);
  expect(keys.listenerCount('data')).toBe(0);
});

test.each([
  ['standard input is no terminal', { isTTY: false }],
  ['nobody sees the question', { sees: false }],
])('nobody is asked where %s', async (_what, terminal) => {
  const { asked, said, modes } = sitting(terminal);
  expect(await asked).toBeUndefined();
  expect([said, modes]).toEqual([[], []]);
});
