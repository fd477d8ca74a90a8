import { Option } from 'commander';
import { coloursFor, oneLine, type Terminal } from '../terminal/terminal.ts';
import { cutToWidth, displayWidth, padToWidth } from './display-width.ts';

/** A column of a table, and what may happen to it where the terminal is too narrow. */
export type Column = {
  readonly heading: string;
  /** 1 is never dropped; of the others the highest number goes first. */
  readonly rank: number;
  /**
   * Screen columns that a text keeps at least when it is shortened. Without it a value is shown whole: ids, digests and
   * versions are there to be copied.
   */
  readonly shortest?: number;
  /** Values with `, ` between, none of which is cut in two. */
  readonly isList?: boolean;
  /** In a value of one word, what stands behind the last `@` is a version or a commit: the name before it is shortened. */
  readonly isVersioned?: boolean;
  /** Behind a name stands what it rests on, in parentheses: the name before it is shortened. */
  readonly isBased?: boolean;
  /** Columns of higher ranks are dropped before a text of this one is shortened. */
  readonly isWhole?: boolean;
};

/** Where a table is shown. */
export type TableView = {
  readonly terminal: Terminal;
  /** Every column at full width, however wide the terminal is. */
  readonly wide?: boolean | undefined;
};

/** What a table's command takes beside its own flags. */
export type WideFlag = { readonly wide?: boolean };

/** `--wide`, for a command that prints a table. */
export function wideOption(): Option {
  return new Option('--wide', 'show every column of the table, nothing shortened');
}

const DEFAULT_WIDTH = 80;
const GAP = '  ';
/** What stands where a row has no value. */
const NOTHING = '-';

/** Columns that a line may take: those of the terminal, else `$COLUMNS`, else 80; without end where it may be wide. */
export function widthOf({ terminal: { stdout, env }, wide }: TableView): number {
  return wide === true ? Number.POSITIVE_INFINITY : stdout.columns || Number(env['COLUMNS']) || DEFAULT_WIDTH;
}

/**
 * A table with headings that fits the terminal: the least important columns are dropped, then texts are shortened, and
 * a last line says so. A column without a value in any row is left out, and one of dashes where the rest needs its room.
 * @param rows a cell for each column
 * @param paint colours a line of the table; `row` is its index in `rows`
 */
export function columnTable(
  columns: readonly Column[],
  rows: ReadonlyArray<readonly string[]>,
  view: TableView,
  paint: (line: string, row: number) => string = (line) => line,
): string {
  const colours = coloursFor(view.terminal, view.terminal.stdout);
  const width = widthOf(view);
  const all = columns
    .map((column, index) =>
      measured(
        column,
        rows.map((row) => oneLine(row[index] ?? '')),
      ),
    )
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const shown = naturalWidth(all) <= width ? all : all.filter(({ cells }) => cells.some((cell) => cell !== NOTHING));
  const { kept, widths } = fitted(shown, width);
  const lineOf = (textOf: (column: Measured) => string) =>
    kept
      .map((column, index) => padToWidth(shortened(textOf(column), widths[index]!, column), widths[index]!))
      .join(GAP)
      .trimEnd();
  const hint = hintOf(
    shown.filter((column) => !kept.includes(column)),
    kept.filter(({ natural }, index) => widths[index]! < natural),
    width,
  );
  return [
    colours.bold(lineOf(({ heading }) => heading)),
    ...rows.map((_, row) =>
      paint(
        lineOf(({ cells }) => cells[row]!),
        row,
      ),
    ),
    ...(hint === '' ? [] : [colours.dim(hint)]),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

type Measured = Column & {
  readonly cells: readonly string[];
  /** Screen columns of the widest cell or the heading, and what of them must stay. */
  readonly natural: number;
  readonly least: number;
};

function measured(column: Column, cells: readonly string[]): Measured {
  const { heading, shortest = Number.POSITIVE_INFINITY } = column;
  const natural = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), displayWidth(heading));
  return { ...column, cells, natural, least: Math.min(natural, Math.max(shortest, displayWidth(heading))) };
}

function naturalWidth(columns: readonly Measured[]): number {
  return columns.reduce((sum, { natural }) => sum + natural, GAP.length * (columns.length - 1));
}

type Layout = { readonly kept: readonly Measured[]; readonly widths: readonly number[] };

function fitted(columns: readonly Measured[], width: number): Layout {
  let kept = columns;
  const leastOf = ({ isWhole, natural, least }: Measured) => (isWhole === true ? natural : least);
  const spareOf = (widthOfColumn: (column: Measured) => number) =>
    width - kept.reduce((sum, column) => sum + widthOfColumn(column), GAP.length * (kept.length - 1));
  while (spareOf(leastOf) < 0) {
    const last = Math.max(...kept.map(({ rank }) => rank));
    if (last <= 1) break;
    kept = kept.filter(({ rank }) => rank < last);
  }
  // What is left over goes to the texts, the narrowest first: the longest one is shortened the most.
  const isRoomy = spareOf(leastOf) >= 0;
  const startOf = isRoomy ? leastOf : ({ least }: Measured) => least;
  let left = Math.max(0, spareOf(startOf));
  const widths = kept.map(startOf);
  const growing = kept.map((_, index) => index).filter((index) => widths[index]! < kept[index]!.natural);
  const isWhole = (index: number) => kept[index]!.isWhole === true;
  growing.sort((a, b) => Number(isWhole(b)) - Number(isWhole(a)) || kept[a]!.natural - kept[b]!.natural);
  growing.forEach((index, done) => {
    const share = isWhole(index) ? left : Math.floor(left / (growing.length - done));
    const more = Math.min(share, kept[index]!.natural - widths[index]!);
    widths[index]! += more;
    left -= more;
  });
  return { kept, widths };
}

/** ` (certificate)` behind a name. */
const BASIS = / \([a-z-]+\)$/;

function shortened(text: string, width: number, { isList, isVersioned, isBased }: Column): string {
  const cut = cutToWidth(text, width, '…');
  if (cut === text) return text;
  if (isList === true) return `${text.slice(0, text.lastIndexOf(' ', cut.length - 2) + 1)}…`;
  const at = isBased === true ? text.search(BASIS) : lastVersion(text, isVersioned);
  const room = width - displayWidth(text.slice(at));
  // A version that leaves no room for a name, such as a digest, is cut as any text.
  return at > 0 && room > 1 ? `${cutToWidth(text.slice(0, at), room, '…')}${text.slice(at)}` : cut;
}

function lastVersion(text: string, isVersioned: boolean | undefined): number {
  return isVersioned === true && !text.includes(' ') ? text.lastIndexOf('@') : -1;
}

/** `--wide shows also: TIME; SIGNER in full`; nothing where nothing is hidden. */
function hintOf(dropped: readonly Column[], cut: readonly Column[], width: number): string {
  const names = (columns: readonly Column[]) => columns.map(({ heading }) => heading).join(', ');
  const parts = [
    ...(dropped.length === 0 ? [] : [`also: ${names(dropped)}`]),
    ...(cut.length === 0 ? [] : [`${names(cut)} in full`]),
  ];
  if (parts.length === 0) return '';
  const hint = `--wide shows ${parts.join('; ')}`;
  return displayWidth(hint) <= width ? hint : '--wide shows every column in full';
}
