import { decodeBase64, encodeBase64 } from '@colophon/encoding';
import { isHash } from '../hash/hash.ts';
import type { MerkleIssue, MerkleIssueCode, MerkleParseResult } from '../parse-result/parse-result.ts';
import { requireSize } from '../tree-node/tree-node.ts';

/** State of a log: who it is (`origin`), how many leaves it has, and their root. */
export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Uint8Array };

/** A checkpoint as it was read, with the lines that a log may add after the root. */
export type ParsedCheckpoint = Checkpoint & { readonly extensions: readonly string[] };

const SOURCE = 'c2sp.org/tlog-checkpoint';

/**
 * The text of a checkpoint, to be signed as a note: origin, size and base64 root, a line each.
 * @throws TypeError for an origin that is empty or has control characters, a bad size, a root that is not 32 bytes.
 * @see c2sp.org/tlog-checkpoint
 */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  if (!isLine(origin)) throw new TypeError('an origin is one line of text');
  requireSize('size', size);
  if (!isHash(root)) throw new TypeError('a root has 32 bytes');
  return `${origin}\n${size}\n${encodeBase64(root)}\n`;
}

/**
 * Reads the text of a checkpoint (of a note: `parseNote(…).value.text`) and reports every issue.
 * Issues: `checkpoint.bad_form`, `.bad_origin`, `.bad_size`, `.bad_root`, `.bad_extension`.
 * @see c2sp.org/tlog-checkpoint
 */
export function parseCheckpoint(text: string): MerkleParseResult<ParsedCheckpoint> {
  const issues: MerkleIssue[] = [];
  const report = (path: string, code: MerkleIssueCode, message: string) =>
    issues.push({ path, code, message, source: SOURCE });
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length < 3) {
    report('', 'checkpoint.bad_form', 'a checkpoint has at least three lines, each ended by a newline');
    return { ok: false, issues };
  }
  const [origin, sizeText, rootText, ...extensions] = lines as [string, string, string, ...string[]];
  if (!isLine(origin)) report('/line/0', 'checkpoint.bad_origin', 'the origin is empty or has control characters');
  const size = Number(sizeText);
  if (!/^(?:0|[1-9][0-9]*)$/.test(sizeText) || !Number.isSafeInteger(size))
    report('/line/1', 'checkpoint.bad_size', 'the size is a decimal number below 2^53 without leading zeros');
  const root = decodeBase64(rootText);
  if (!isHash(root)) report('/line/2', 'checkpoint.bad_root', 'the root is the base64 of 32 bytes');
  extensions.forEach((line, i) => {
    if (!isLine(line))
      report(`/line/${i + 3}`, 'checkpoint.bad_extension', 'a further line is empty or has control characters');
  });
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, value: { origin, size, root: root as Uint8Array, extensions } };
}

function isLine(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text !== '' && text.isWellFormed() && !/[\u0000-\u001f]/.test(text);
}
