import type { VexDocument, VexLoss } from '@colophon/vex';
import { coloursFor, counted, oneLine, type Terminal } from '../terminal/terminal.ts';

/** What a document says and the written one does not, in one list, lost by the reader or by the writer. */
export function lossesOf({ notes = [] }: VexDocument, written: readonly VexLoss[]): readonly VexLoss[] {
  const read = notes
    .filter(({ code }) => code === 'vex.not_held' || code === 'vex.read_as')
    .map(({ path, message, place_count }) => ({ path, what: message.replace(/\.$/, ''), why: 'read so', place_count }));
  return [...read, ...written];
}

const MOST_SHOWN = 50;

/** Says to people what was lost, and what they should know besides. */
export function tellLosses(terminal: Terminal, losses: readonly VexLoss[], notes: readonly string[]): void {
  const { yellow, dim } = coloursFor(terminal);
  const lines = [
    ...notes.slice(0, MOST_SHOWN).map((note) => `${dim('note')} ${oneLine(note)}`),
    ...losses.slice(0, MOST_SHOWN).map(({ path, what, why, place_count }) => {
      const places = place_count === 1 ? '' : `, in ${counted(place_count, 'place')}`;
      return `${yellow('lost')} ${oneLine(path || '(document)')}: ${oneLine(what)} (${oneLine(why)}${places})`;
    }),
  ];
  if (notes.length > MOST_SHOWN) lines.push(`… and ${notes.length - MOST_SHOWN} more notes`);
  if (losses.length > MOST_SHOWN) lines.push(`… and ${losses.length - MOST_SHOWN} more losses`);
  if (lines.length > 0) terminal.stderr.write(`${lines.join('\n')}\n`);
}
