import pc from 'picocolors';

/** Where a command's words go: results to stdout, everything for people to stderr. */
export type Terminal = {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Colours for where it is written to, off where that is no terminal or NO_COLOR is set. */
export function coloursFor(terminal: Terminal, stream: Terminal['stdout'] = terminal.stderr) {
  const isOn = stream.isTTY === true && !terminal.env['NO_COLOR'] && terminal.env['TERM'] !== 'dumb';
  return pc.createColors(isOn);
}

/** C0, C1, line separators, halves of surrogate pairs, and the characters that reorder or hide text. */
export const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}\ud800-\udfff]/gu;

/** Text from outside on one line: what could move the cursor, reorder or hide text is shown as `\u{..}`. */
export function oneLine(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The same for a document with lines of its own, for a person's terminal. */
export function manyLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(oneLine).join('\t'))
    .join('\n');
}

/** Columns padded to their widest cell, two spaces between, no trailing blanks. */
export function formatTable(rows: ReadonlyArray<readonly string[]>): string {
  const cells = rows.map((row) => row.map(oneLine));
  const widths: number[] = [];
  for (const row of cells) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** The first 12 hex digits of a digest, with its algorithm, or of a commit: enough to tell a few apart by eye. */
export function shortId(id: string): string {
  const digits = id.indexOf(':') + 1;
  return id.slice(0, digits + 12);
}

/** A number and what it counts: `1 file`, `2 files`, `2 losses`. */
export function counted(number: number, thing: string): string {
  return `${number} ${number === 1 ? thing : `${thing}${thing.endsWith('s') ? 'es' : 's'}`}`;
}

/** The line that stands for so many that are not shown. */
export function moreLine(number: number, thing = ''): string {
  return `… and ${number} more${thing === '' ? '' : ` ${thing}`}: --output json has them all`;
}

/** One word for a POSIX shell, whatever is in it. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
