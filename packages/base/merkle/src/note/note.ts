import { decodeBase64, encodeBase64 } from '@colophon/encoding';
import { sha256 } from '@noble/hashes/sha2.js';
import type { MerkleIssue, MerkleIssueCode, MerkleParseResult } from '../parse-result/parse-result.ts';

/** A text and what was signed over its UTF-8 bytes. */
export type SignedNote = { readonly text: string; readonly signatures: readonly NoteSignature[] };

/** One signature line; who holds the key `keyHash` is for the reader to know. */
export type NoteSignature = {
  readonly name: string;
  /** 4 bytes that tell apart the keys of one name. */
  readonly keyHash: Uint8Array;
  readonly signature: Uint8Array;
};

/** Who signs a note: a name without spaces or `+`, the 4 bytes of {@link ecdsaKeyHash}, and the operation itself. */
export type NoteSigner = {
  readonly name: string;
  readonly keyHash: Uint8Array;
  readonly sign: (bytes: Uint8Array) => Uint8Array;
};

/** Longest note that is read, in UTF-16 units. */
export const MAX_NOTE_LENGTH = 65_536;
/** Most signature lines that are read. */
export const MAX_NOTE_SIGNATURES = 100;

const SOURCE = 'c2sp.org/signed-note';
const SIGNATURE_START = '\u2014 ';
const KEY_HASH_BYTES = 4;

/**
 * Signs `text` and answers with the whole note: text, empty line, one signature line.
 * @throws TypeError for a text that is no note text, a bad key name, a key hash not of 4 bytes, an empty signature.
 * @see c2sp.org/signed-note
 */
export function signNote(text: string, { name, keyHash, sign }: NoteSigner): string {
  if (!isNoteText(text)) throw new TypeError('a note text ends in a newline and has no other control characters');
  if (!isKeyName(name)) throw new TypeError('a key name is not empty and has no spaces and no +');
  if (keyHash.length !== KEY_HASH_BYTES) throw new TypeError('a key hash has 4 bytes');
  const signature = sign(new TextEncoder().encode(text));
  if (signature.length === 0) throw new TypeError('a signature is not empty');
  return `${text}\n${SIGNATURE_START}${name} ${encodeBase64(Uint8Array.of(...keyHash, ...signature))}\n`;
}

/**
 * Takes a note apart. Nothing is verified: match a signature by name and key hash, then verify it over the UTF-8 bytes
 * of `text`, the newline at its end included.
 * Issues: `note.too_large`, `note.bad_text`, `note.no_signature`, `note.bad_signature_line`, `note.too_many_signatures`.
 * @see c2sp.org/signed-note
 */
export function parseNote(note: string): MerkleParseResult<SignedNote> {
  if (note.length > MAX_NOTE_LENGTH) return refuse('', 'note.too_large', 'the note is longer than 65,536 characters');
  // A text may have empty lines of its own: the signatures follow the last one.
  const split = note.lastIndexOf('\n\n');
  if (split < 0) return refuse('', 'note.no_signature', 'no empty line stands between a text and its signatures');
  const text = note.slice(0, split + 1);
  const block = note.slice(split + 2);
  if (!isNoteText(text)) return refuse('', 'note.bad_text', 'the text has control characters or is not Unicode');
  if (block === '') return refuse('', 'note.no_signature', 'the note has no signature line');
  if (!block.endsWith('\n')) return refuse('', 'note.bad_signature_line', 'the note does not end in a newline');
  const lines = block.slice(0, -1).split('\n');
  if (lines.length > MAX_NOTE_SIGNATURES)
    return refuse('', 'note.too_many_signatures', 'the note has more than 100 signature lines');

  const firstLine = text.split('\n').length;
  const issues: MerkleIssue[] = [];
  const signatures: NoteSignature[] = [];
  lines.forEach((line, i) => {
    const signature = parseSignatureLine(line);
    if (signature) signatures.push(signature);
    else
      issues.push({
        path: `/line/${firstLine + i}`,
        code: 'note.bad_signature_line',
        message: 'a signature line is an em dash, a key name and base64 of key hash and signature, one space between',
        source: SOURCE,
      });
  });
  return issues.length === 0 ? { ok: true, value: { text, signatures } } : { ok: false, issues };
}

/** Key hash of an ECDSA key: the first 4 bytes of SHA-256 over its SubjectPublicKeyInfo in DER, as Rekor v1 has it. */
export function ecdsaKeyHash(spkiDer: Uint8Array): Uint8Array {
  return sha256(spkiDer).slice(0, KEY_HASH_BYTES);
}

function parseSignatureLine(line: string): NoteSignature | undefined {
  if (!line.startsWith(SIGNATURE_START)) return undefined;
  const [name = '', encoded = '', ...rest] = line.slice(SIGNATURE_START.length).split(' ');
  const bytes = decodeBase64(encoded);
  if (rest.length > 0 || !isKeyName(name) || bytes === undefined || bytes.length <= KEY_HASH_BYTES) return undefined;
  return { name, keyHash: bytes.slice(0, KEY_HASH_BYTES), signature: bytes.slice(KEY_HASH_BYTES) };
}

function isNoteText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.endsWith('\n') && text.isWellFormed() && !/[\u0000-\u0009\u000b-\u001f]/.test(text);
}

function isKeyName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return name !== '' && name.isWellFormed() && !/[\p{White_Space}+\u0000-\u001f]/u.test(name);
}

function refuse(path: string, code: MerkleIssueCode, message: string): MerkleParseResult<never> {
  return { ok: false, issues: [{ path, code, message, source: SOURCE }] };
}
