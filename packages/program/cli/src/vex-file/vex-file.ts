import { type Issue, isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { assertOpenVex, MAX_VEX_BYTES, type PlacedVexDocument, readPlacedVexDocument } from '@colophon/vex';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';
import { shellWord } from '../terminal/terminal.ts';

/** A VEX document, where each of its statements stands in it, and the bytes in which it was written. */
export type VexFile = PlacedVexDocument & { readonly file: string; readonly bytes: Uint8Array };

/**
 * The VEX document in a file or on standard input (`-`), of any shape that is read.
 * @throws CliError `cli.vex_invalid` (exit 20) with every issue, `cli.file_unreadable`, `cli.file_too_large`
 */
export async function readVexFile(file: string): Promise<VexFile> {
  return vexFileOf(file, await readBounded(file, MAX_VEX_BYTES));
}

/** As `readVexFile`, of bytes that were read already. */
export function vexFileOf(file: string, bytes: Uint8Array): VexFile {
  const read = readPlacedVexDocument(bytes);
  if (read.ok) return { file, ...read.value, bytes };
  throw invalid(file, read.issues);
}

function invalid(file: string, issues: readonly Issue[]): CliError {
  return new CliError('cli.vex_invalid', `${file} cannot be read as VEX`, {
    checked: file,
    issues,
    next: `colophon vex validate ${shellWord(file)}`,
  });
}

/**
 * A VEX document with its JSON as it was written, for commands that change it.
 * @throws CliError as `readVexFile`; VexError `vex.not_openvex`
 */
export async function readAmendableVex(file: string): Promise<VexFile & { readonly json: JsonObject }> {
  const read = await readVexFile(file);
  const parsed = parseStrictJson(read.bytes, { maxBytes: MAX_VEX_BYTES, maxDepth: 128 });
  // What is written again is written as it stood, or not at all.
  if (!parsed.ok) throw invalid(file, parsed.issues);
  const json = isJsonObject(parsed.value) ? parsed.value : {};
  await withFacts({ checked: file }, async () => assertOpenVex(json));
  return { ...read, json };
}

/** A document as it is written to files: two blanks, one newline at the end. */
export function formatVex(json: JsonObject): string {
  return `${JSON.stringify(json, null, 2)}\n`;
}
