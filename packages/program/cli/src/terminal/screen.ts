import { escapedJson } from './json-text.ts';
import type { Terminal } from './terminal.ts';

/** Bold, dim and colours, as we write them ourselves. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what it looks for
const STYLES = /(\u001b\[[0-9;]*m)/;

/** A terminal on whose screen nothing from outside moves the cursor, reorders or hides text. */
export type Screen = {
  readonly terminal: Terminal;
  /** Where a document was shown otherwise than it is: says so on stderr, once. */
  explain(): void;
};

/**
 * Guards standard output where a person reads it; a pipe or a file gets every byte as it is. What commands write for
 * people is clean before; this is for documents that are shown byte for byte elsewhere.
 */
export function guardScreen(terminal: Terminal): Screen {
  const { stdout, stderr } = terminal;
  if (stdout.isTTY !== true) return { terminal, explain: () => {} };
  let isEscaped = false;
  const write = (text: string) => {
    const lines = text.replaceAll('\r\n', '\n');
    const shown = shownText(lines);
    isEscaped ||= shown !== lines;
    return stdout.write(shown);
  };
  return {
    terminal: {
      ...terminal,
      stdout: {
        write,
        isTTY: true,
        get columns() {
          return stdout.columns as number;
        },
      },
    },
    explain: () => {
      if (isEscaped)
        stderr.write(
          'characters that move or reorder text are shown as \\uXXXX: write to a file for the exact bytes\n',
        );
    },
  };
}

function shownText(text: string): string {
  return text
    .split(STYLES)
    .map((part, at) => (at % 2 === 1 ? part : escapedJson(part).replaceAll('\r', '\\u000d')))
    .join('');
}
