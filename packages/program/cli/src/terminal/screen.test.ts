import { expect, test } from 'vitest';
import { guardScreen } from './screen.ts';

function terminalOf(isTTY: boolean) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
    isTTY,
    columns: 80,
  });
  return { written, terminal: { stdout: stream('stdout'), stderr: stream('stderr'), env: {} } };
}

test('a document is shown with its characters by number, and this is said once', () => {
  const { written, terminal } = terminalOf(true);
  const screen = guardScreen(terminal);
  screen.terminal.stdout.write('{"a":"\u009b2J"}\r\n');
  screen.terminal.stdout.write('b\rc\u001b[2Jd\n');
  screen.explain();
  expect(written.stdout).toBe('{"a":"\\u009b2J"}\nb\\u000dc\\u001b[2Jd\n');
  expect(written.stderr).toBe(
    'characters that move or reorder text are shown as \\uXXXX: write to a file for the exact bytes\n',
  );
});

test('our own colours and a clean document stay, without a word', () => {
  const { written, terminal } = terminalOf(true);
  const screen = guardScreen(terminal);
  screen.terminal.stdout.write('\u001b[31mred\u001b[39m\ttab\r\n');
  screen.explain();
  expect(written).toEqual({ stdout: '\u001b[31mred\u001b[39m\ttab\n', stderr: '' });
  expect(screen.terminal.stdout.columns).toBe(80);
});

test('a pipe gets every byte', () => {
  const { written, terminal } = terminalOf(false);
  const screen = guardScreen(terminal);
  screen.terminal.stdout.write('\u009b2J\r\n');
  screen.explain();
  expect(written).toEqual({ stdout: '\u009b2J\r\n', stderr: '' });
});
