import { shellWord } from '../terminal/terminal.ts';

/**
 * What to type to start the server of a data folder.
 * @param data the global `--data` of the line that failed
 */
export function upLine(data: string | undefined): string {
  return data === undefined ? 'colophon up' : `colophon up --data ${shellWord(data)}`;
}
