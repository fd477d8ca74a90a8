import { oneLine } from '../terminal/terminal.ts';
import { displayWidth, padToWidth } from './display-width.ts';

/** Blanks before the lines that a line goes on in. */
const STEP = '  ';
const GAP = '  ';

/**
 * A line in as many lines as it needs, broken at blanks. A word that is wider, such as a digest, is whole on a
 * line of its own.
 * @param indent blanks before the further lines; two more than before the first one unless it is given
 */
export function wrapLine(line: string, width: number, indent = `${/^ */.exec(line)![0]}${STEP}`): string {
  if (displayWidth(line) <= width) return line;
  const lines: string[] = [];
  let current = '';
  // Each word with the blanks before it.
  for (const [part, , word] of line.matchAll(/( *)([^ ]+)/g)) {
    const joined = current + part;
    if (current.trim() === '' || displayWidth(joined) <= width) current = joined;
    else {
      lines.push(current);
      current = `${displayWidth(`${indent}${word}`) <= width ? indent : STEP}${word}`;
    }
  }
  return [...lines, current].join('\n');
}

/** Columns padded to their widest cell; the last cell of a row, a free text, goes on below itself or stands below. */
export function wrapTable(rows: ReadonlyArray<readonly string[]>, width: number): string {
  const cells = rows.map((row) => row.map(oneLine));
  const widths: number[] = [];
  for (const row of cells) {
    row.slice(0, -1).forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
    });
  }
  return cells
    .map((row) => {
      const before = row.slice(0, -1).map((cell, column) => `${padToWidth(cell, widths[column] ?? 0)}${GAP}`);
      return `${rowLines(before.join(''), row.at(-1) ?? '', width)}\n`;
    })
    .join('');
}

function rowLines(before: string, text: string, width: number): string {
  const start = displayWidth(before);
  if (start + displayWidth(text) <= width) return `${before}${text}`.trimEnd();
  if (start <= width / 2) return wrapLine(`${before}${text}`, width, ' '.repeat(start));
  return `${before.trimEnd()}\n${wrapLine(`${STEP}${text}`, width, STEP)}`;
}
