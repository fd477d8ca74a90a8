import { type Bom, formatBom } from '@colophon/sbom';
import { Option } from 'commander';
import { assertWritableFile, writeOutput } from '../input/input.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `--out FILE`: where a command that makes a document puts it. The file that it was made of may be named too. */
export function outOption(): Option {
  return new Option('--out <file>', 'file to write the document to (default: standard output)');
}

/** Says now, and not after minutes of work, that a result could not be written there. */
export function assertWritableOut(out: string | undefined): void {
  if (out !== undefined && out !== '-') assertWritableFile(out);
}

/** True where the document itself goes to standard output, which is no place for anything else then. */
export function isOnStdout(out: string | undefined): boolean {
  return out === undefined || out === '-';
}

/** Writes a document: the whole file or nothing. */
export function writeSbom(terminal: Terminal, out: string | undefined, document: Bom | string): void {
  const text = typeof document === 'string' ? document : formatBom(document);
  if (out === undefined || out === '-') terminal.stdout.write(text);
  else writeOutput(out, text);
}
