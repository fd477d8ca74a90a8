import { ForgeError } from '../forge-error/forge-error.ts';
import type { GitOptions } from '../git/git.ts';
import { readObjects } from '../git/object.ts';
import type { Repository } from '../repository/repository.ts';
import { parseTrailers, type Trailer } from '../trailer/trailer.ts';

/** The author or committer that git names. It is not verified. */
export type Person = { readonly name: string; readonly email: string };

/** A commit, read from its own bytes. */
export type Commit = {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  readonly subject: string;
  readonly trailers: readonly Trailer[];
  /** Who signed: the armoured text, and the bytes that it is about (the commit without its signature). */
  readonly signature?: { readonly armoured: string; readonly signed: Uint8Array };
};

/**
 * Reads commits by their hashes, in their order.
 * @throws ForgeError `forge.git_failed` for an object that is not there
 */
export async function readCommits(
  { root }: Repository,
  hashes: readonly string[],
  options: GitOptions = {},
): Promise<Commit[]> {
  const objects = await readObjects(root, hashes, options);
  return objects.map(({ kind, bytes }, i) => {
    if (kind !== 'commit') throw new ForgeError('forge.git_failed', `${hashes[i]} is no commit`);
    return parseCommit(hashes[i] as string, bytes);
  });
}

/** Reads one commit from the bytes that git hashed. Never throws: what cannot be read is empty. */
export function parseCommit(sha: string, bytes: Buffer): Commit {
  const end = bytes.indexOf('\n\n');
  const head = end < 0 ? bytes : bytes.subarray(0, end + 1);
  const message = end < 0 ? '' : bytes.subarray(end + 2).toString('utf8');
  const headers = readHeaders(head);
  const textOf = (name: string) => headers.find((header) => header.name === name)?.value ?? '';
  const signatures = headers.filter(({ name }) => SIGNATURE_HEADERS.has(name));
  const [signature] = signatures;
  return {
    sha,
    parents: headers.filter(({ name }) => name === 'parent').map(({ value }) => value),
    author: personOf(textOf('author')),
    committer: personOf(textOf('committer')),
    subject: message.split('\n')[0] ?? '',
    trailers: parseTrailers(message),
    ...(signature === undefined
      ? {}
      : { signature: { armoured: signature.value, signed: withoutSignatures(bytes, signatures) } }),
  };
}

/** A repository with SHA-256 names uses the second. */
const SIGNATURE_HEADERS = new Set(['gpgsig', 'gpgsig-sha256']);

/** Where a header stands in the commit's bytes: from its first byte to behind its last newline. */
type Header = { readonly name: string; readonly value: string; readonly start: number; readonly end: number };

function readHeaders(head: Buffer): Header[] {
  const headers: Header[] = [];
  for (let start = 0; start < head.length; ) {
    let end = lineEnd(head, start);
    // A line that begins with a space continues the header above.
    while (head[end] === 0x20) end = lineEnd(head, end);
    const text = head.subarray(start, end).toString('utf8').replace(/\n$/, '');
    const space = text.indexOf(' ');
    const name = space < 0 ? text : text.slice(0, space);
    headers.push({ name, value: space < 0 ? '' : text.slice(space + 1).replaceAll('\n ', '\n'), start, end });
    start = end;
  }
  return headers;
}

function lineEnd(bytes: Buffer, from: number): number {
  const newline = bytes.indexOf(0x0a, from);
  return newline < 0 ? bytes.length : newline + 1;
}

/** The signature is over the raw bytes, not over what a parser made of them. */
function withoutSignatures(bytes: Buffer, signatures: readonly Header[]): Uint8Array {
  const kept: Buffer[] = [];
  let from = 0;
  for (const { start, end } of signatures) {
    kept.push(bytes.subarray(from, start));
    from = end;
  }
  return Buffer.concat([...kept, bytes.subarray(from)]);
}

function personOf(header: string): Person {
  const [, name = '', email = ''] = /^(.*?) ?<([^<>]*)>/.exec(header) ?? [];
  return { name, email };
}
