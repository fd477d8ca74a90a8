import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCommit } from './commit.ts';

const RAW = `tree ${'a'.repeat(40)}
parent ${'b'.repeat(40)}
parent ${'c'.repeat(40)}
author Ann Ü <ann@example.com> 1767225600 +0000
committer Bot <> 1767225600 +0000
gpgsig -----BEGIN SIGNED MESSAGE-----
 
 MIIB
 -----END SIGNED MESSAGE-----
encoding UTF-8

subject

Reviewed-by: Dana <dana@example.com>
`;

test('a commit is read, and what was signed is all of it but the signature', () => {
  const commit = parseCommit('x', Buffer.from(RAW));
  expect(commit).toMatchObject({
    parents: ['b'.repeat(40), 'c'.repeat(40)],
    author: { name: 'Ann Ü', email: 'ann@example.com' },
    committer: { name: 'Bot', email: '' },
    subject: 'subject',
    trailers: [{ key: 'Reviewed-by', value: 'Dana <dana@example.com>' }],
  });
  expect(commit.signature?.armoured).toBe('-----BEGIN SIGNED MESSAGE-----\n\nMIIB\n-----END SIGNED MESSAGE-----');
  const start = RAW.indexOf('gpgsig');
  const end = RAW.indexOf('encoding');
  expect(Buffer.from(commit.signature!.signed).toString()).toBe(RAW.slice(0, start) + RAW.slice(end));
});

test('a message cannot bring headers of its own', () => {
  const commit = parseCommit(
    'x',
    Buffer.from(`tree ${'a'.repeat(40)}\n\nsubject\n\ngpgsig fake\nauthor Evil <e@example.com>\n`),
  );
  expect(commit.signature).toBeUndefined();
  expect(commit.author).toEqual({ name: '', email: '' });
});

test('no bytes make it throw', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseCommit('x', Buffer.from(bytes))));
});
