import { octets, oid, sequence, set } from '@colophon/testkit/local-sigstore/der-writer';
import { imagePayload, SIGNED_TEXTS } from '@colophon/testkit/local-sigstore/signed-texts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SIGNED_TEXT_BYTES, signedTextKind } from './signed-text.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const kindOf = (text: string | Uint8Array) => signedTextKind(Buffer.from(text as string));
const digestAttribute = sequence(oid('1.2.840.113549.1.9.4'), set(octets(Buffer.alloc(32))));

describe('the signed text', () => {
  it.each(Object.entries(SIGNED_TEXTS))('of kind %s is known for what it is', (kind, text) => {
    expect(signedTextKind(text)).toBe(kind);
    // Also where it lies within other bytes.
    expect(signedTextKind(Buffer.concat([Buffer.from('xx'), text, text]).subarray(2, 2 + text.length))).toBe(kind);
  });

  it.each<[title: string, text: string | Uint8Array, kind: string]>([
    ['the first seven bytes of an envelope', 'DSSEv1 ', 'envelope'],
    ['six of them', 'DSSEv1', 'file'],
    ['an envelope after a space', ' DSSEv1 28', 'file'],
    ['nothing', '', 'file'],
    ['an envelope of any length', `DSSEv1 ${'x'.repeat(MAX_SIGNED_TEXT_BYTES)}`, 'envelope'],
    ['a payload after white space', ` \n\t${imagePayload(DIGEST)}\n`, 'image'],
    [
      'a payload with more in it',
      JSON.stringify({ a: 1, critical: { b: 2, image: { 'docker-manifest-digest': '' } } }),
      'image',
    ],
    ['a payload after much white space', `${' '.repeat(5000)}${imagePayload(DIGEST)}`, 'image'],
    ['a text', '"critical"', 'file'],
    ['null', 'null', 'file'],
    ['a payload in other cases', '{"Critical":{"Image":{"Docker-manifest-digest":"x"}}}', 'image'],
    ['a payload of the greatest length', `${imagePayload(DIGEST)}`.padEnd(MAX_SIGNED_TEXT_BYTES), 'image'],
    ['a payload that is longer', `${imagePayload(DIGEST)}`.padEnd(MAX_SIGNED_TEXT_BYTES + 1), 'file'],
    ['a payload in a list', `[${imagePayload(DIGEST)}]`, 'file'],
    ['a payload that goes on', `${imagePayload(DIGEST)}x`, 'file'],
    ['counts of findings', '{"critical":3,"high":5}', 'file'],
    ['no digest', '{"critical":{"image":{}}}', 'file'],
    ['a digest that is no text', '{"critical":{"image":{"docker-manifest-digest":1}}}', 'file'],
    ['nothing where the image should be', '{"critical":{"image":null}}', 'file'],
    ['attributes with others before', set(sequence(oid('1.2.3'), set()), digestAttribute), 'commit'],
    ['attributes without a digest', set(sequence(oid('1.2.840.113549.1.9.3'), set())), 'file'],
    ['an attribute without a name', set(sequence()), 'file'],
    ['attributes in a sequence', sequence(digestAttribute), 'file'],
    ['attributes with a byte behind', Buffer.concat([set(digestAttribute), Buffer.of(0)]), 'file'],
    ['a text that begins as a set does', '1st', 'file'],
  ])('%s', (_title, text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it('is a file where it is anything else, and reading it never fails', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => signedTextKind(bytes) === 'file'));
    fc.assert(fc.property(fc.json(), (json) => kindOf(json) === 'file'));
  });
});
