import { expect, onTestFinished, test, vi } from 'vitest';
import { progressLine, showUntilDone } from './progress-line.ts';

function terminalOf(isTTY: boolean) {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text), isTTY };
  return { written, terminal: { stdout: stream, stderr: stream, env: {} } };
}

test('a person sees what has been under way for a second, on one line that goes away', () => {
  let now = 0;
  const { terminal, written } = terminalOf(true);
  const progress = progressLine(terminal, () => now);
  progress.show('early');
  progress.clear();
  expect(written).toEqual([]);
  now = 1_000;
  progress.show('reading a\nb');
  progress.clear();
  progress.clear();
  expect(written).toEqual(['\r\u001b[Kreading a\\u{a}b', '\r\u001b[K']);
});

test('a pipe gets nothing', () => {
  let now = 0;
  const { terminal, written } = terminalOf(false);
  const progress = progressLine(terminal, () => now);
  now = 5_000;
  progress.show('x');
  progress.clear();
  expect(written).toEqual([]);
});

test('what takes long is named until it is done, and then no more', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { terminal, written } = terminalOf(true);
  const done = showUntilDone(terminal, 'fetching …');
  vi.advanceTimersByTime(900);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(written).toEqual(['\r\u001b[Kfetching …']);
  done();
  vi.advanceTimersByTime(5_000);
  expect(written).toEqual(['\r\u001b[Kfetching …', '\r\u001b[K']);
});
