import { oneLine, type Terminal } from '../terminal/terminal.ts';

/** What is done within this time needs no word. */
const SHOWN_AFTER_MS = 1_000;

/** One line on stderr that says what is under way. */
export type ProgressLine = { show(text: string): void; clear(): void };

/** Shows what is under way to a person at a terminal, and nothing to a pipe; `now` are milliseconds that only grow. */
export function progressLine({ stderr }: Terminal, now: () => number = () => performance.now()): ProgressLine {
  const startedAt = now();
  let isShown = false;
  return {
    show: (text) => {
      if (stderr.isTTY !== true || now() - startedAt < SHOWN_AFTER_MS) return;
      isShown = true;
      stderr.write(`\r\u001b[K${oneLine(text)}`);
    },
    clear: () => {
      if (isShown) stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}

/** How often a text that does not change is shown: nobody sees when it may be for the first time. */
const TICK_MS = 500;

/** Shows what is under way until the function that it gives is called. */
export function showUntilDone(terminal: Terminal, text: string): () => void {
  const line = progressLine(terminal);
  const timer = setInterval(() => line.show(text), TICK_MS);
  return () => {
    clearInterval(timer);
    line.clear();
  };
}
