import { parseFences } from '../../tools/doc-fences.ts';

/** A program in a page, and what it prints. */
export type Example = { readonly program: string; readonly printed: string };

/** The blocks of a page that begin with `ts run`. Comments at the margin are what the statement above prints. */
export function examplesIn(markdown: string): Example[] {
  return parseFences(markdown)
    .filter(({ language, markers }) => language === 'ts' && markers.includes('run'))
    .map(({ text }) => ({ program: text, printed: printedBy(text) }));
}

function printedBy(program: string): string {
  const lines = program.split('\n');
  return lines
    .filter((line, index) => line.startsWith('// ') && index > 0 && lines[index - 1] !== '')
    .map((line) => `${line.slice('// '.length)}\n`)
    .join('');
}
