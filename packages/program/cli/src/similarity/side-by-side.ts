import type { Region } from '@colophon/similarity';
import { cutToWidth, padToWidth } from '../column-table/display-width.ts';
import { oneLine } from '../terminal/terminal.ts';

const MOST_REGIONS = 5;
const MOST_LINES = 16;
const NARROWEST_COLUMN = 24;
const WIDEST_LINE = 160;

/** The longest matched regions, the lines of both files beside each other, for a terminal of `width` columns. */
export function sideBySide(regions: readonly Region[], a: string, b: string, width: number): string {
  const shown = new Set(regions.toSorted((one, other) => other.token_count - one.token_count).slice(0, MOST_REGIONS));
  const [linesOfA, linesOfB] = [a.split('\n'), b.split('\n')];
  const column = Math.max(NARROWEST_COLUMN, Math.floor((Math.min(width, WIDEST_LINE) - 3) / 2));
  const parts = regions
    .filter((region) => shown.has(region))
    .map((region) => {
      const head = `${place(region.a)} | ${place(region.b)}, ${region.token_count} tokens`;
      const count = Math.max(region.a.to - region.a.from, region.b.to - region.b.from) + 1;
      const left = rows(linesOfA, region.a, count, column);
      const right = rows(linesOfB, region.b, count, column);
      const lines = Array.from({ length: Math.min(count, MOST_LINES) }, (_, index) =>
        `${padToWidth(cutToWidth(left[index] ?? '', column), column)} | ${cutToWidth(right[index] ?? '', column)}`.trimEnd(),
      );
      if (count > MOST_LINES) lines.push(`... ${count - MOST_LINES} more lines`);
      return `${[head, ...lines].join('\n')}\n`;
    });
  const rest = regions.length - shown.size;
  if (rest > 0) parts.push(`${rest} shorter ${rest === 1 ? 'region' : 'regions'} more; --output json has all\n`);
  return parts.map((part) => `\n${part}`).join('');
}

function place({ from, to }: Region['a']): string {
  return from === to ? `line ${from}` : `lines ${from}-${to}`;
}

/** The first lines of a region, as the terminal shows them; one line beside many, minified, goes on below itself. */
function rows(lines: readonly string[], { from, to }: Region['a'], count: number, width: number): string[] {
  if (from < to || count === 1) {
    const last = Math.min(to, from + MOST_LINES - 1);
    return lines.slice(from - 1, last).map((line) => shown(line, width * 2));
  }
  const characters = [...shown(lines[from - 1] ?? '', width * MOST_LINES)];
  return Array.from({ length: MOST_LINES }, (_, row) => characters.slice(row * width, (row + 1) * width).join(''));
}

function shown(line: string, most: number): string {
  return oneLine(line.slice(0, most).replace(/\r$/, '').replaceAll('\t', '  '));
}
