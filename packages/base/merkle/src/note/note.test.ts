import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromHex } from '../../test/vectors.ts';
import rekor from '../../vectors/rekor-v1/checkpoint_valid.json' with { type: 'json' };
import { MERKLE_ISSUE_CODES } from '../parse-result/parse-result.ts';
import { ecdsaKeyHash, MAX_NOTE_LENGTH, MAX_NOTE_SIGNATURES, parseNote, signNote } from './note.ts';

const KEY_HASH = Uint8Array.of(1, 2, 3, 4);
const SIGNATURE = Uint8Array.of(5, 6);
const LINE = `— log.example ${Buffer.of(1, 2, 3, 4, 5, 6).toString('base64')}\n`;
const signer = { name: 'log.example', keyHash: KEY_HASH, sign: () => SIGNATURE };

function codes(note: string): string[] {
  const result = parseNote(note);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`.trim());
}

test.each(rekor.checkpoints)('the public log’s signature is found and holds: $title', ({ note }) => {
  const spki = Buffer.from(rekor.spki, 'base64');
  expect(ecdsaKeyHash(spki)).toEqual(fromHex(rekor.keyHash));
  const parsed = parseNote(note);
  if (!parsed.ok) throw new Error(parsed.issues[0]?.code);
  const { text, signatures } = parsed.value;
  expect(signatures).toMatchObject([{ name: rekor.name, keyHash: ecdsaKeyHash(spki) }]);
  const key = createPublicKey({ key: spki, type: 'spki', format: 'der' });
  expect(verify('sha256', Buffer.from(text), key, signatures[0]!.signature)).toBe(true);
});

test('a note is its text, an empty line and a signature line', () => {
  expect(signNote('a\nb\n', signer)).toBe(`a\nb\n\n${LINE}`);
});

test('what is signed is the text in UTF-8 with the newline at its end', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const note = signNote('grüße\n', {
    name: 'log.example',
    keyHash: ecdsaKeyHash(spki),
    sign: (bytes) => sign('sha256', bytes, privateKey),
  });
  const parsed = parseNote(note);
  const signature = parsed.ok && parsed.value.signatures[0]?.signature;
  expect(verify('sha256', Buffer.from('grüße\n'), publicKey, signature || new Uint8Array())).toBe(true);
});

test('what is signed is read back, whatever the text', () => {
  const text = fc
    .array(
      anyText().filter((line) => !/[\p{Cc}]/u.test(line) && line.isWellFormed()),
      { minLength: 1 },
    )
    .map((lines) => `${lines.join('\n')}\n`);
  const name = anyText({ minLength: 1 }).filter((n) => !/[\s\p{Z}\p{Cc}+]/u.test(n) && n.isWellFormed());
  const bytes = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });
  fc.assert(
    fc.property(text, name, bytes(4, 4), bytes(1, 80), (body, keyName, keyHash, signature) => {
      const note = signNote(body, { name: keyName, keyHash, sign: () => signature });
      expect(parseNote(note)).toEqual({
        ok: true,
        value: { text: body, signatures: [{ name: keyName, keyHash, signature }] },
      });
    }),
  );
});

test('any text at all is answered, and what is accepted spells out again as it was', () => {
  const pieces = fc.constantFrom('a', '\n', '\n\n', '— ', 'x ', LINE, 'AQIDBAU=', '+', '\t', '\ud800');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const note = parts.join('');
      const result = parseNote(note);
      if (!result.ok) return;
      const lines = result.value.signatures.map(
        (s) => `— ${s.name} ${Buffer.concat([s.keyHash, s.signature]).toString('base64')}\n`,
      );
      expect(`${result.value.text}\n${lines.join('')}`).toBe(note);
    }),
    { numRuns: 2000 },
  );
});

test('several signatures are all read, in their order', () => {
  const other = '— witness.example CQkJCQk=\n';
  const result = parseNote(`a\n\n${LINE}${other}`);
  expect(result.ok && result.value.signatures.map(({ name }) => name)).toEqual(['log.example', 'witness.example']);
});

test('a text may have empty lines: the signatures follow the last one', () => {
  expect(parseNote(`a\n\nb\n\n\n${LINE}`)).toMatchObject({ ok: true, value: { text: 'a\n\nb\n\n' } });
});

test.each([
  ['nothing', '', ['note.no_signature']],
  ['a text alone', 'a\n', ['note.no_signature']],
  ['an empty line and no signature', 'a\n\n', ['note.no_signature']],
  ['no empty line before the signature', `a\n${LINE}`, ['note.no_signature']],
  ['no newline at the end', `a\n\n${LINE.slice(0, -1)}`, ['note.bad_signature_line']],
  ['a tab in the text', `a\tb\n\n${LINE}`, ['note.bad_text']],
  ['a carriage return in the text', `a\r\n\n${LINE}`, ['note.bad_text']],
  ['NUL in the text', `a\0\n\n${LINE}`, ['note.bad_text']],
  ['the last control character in the text', `a\u001f\n\n${LINE}`, ['note.bad_text']],
  ['half a character in the text', `a\ud800\n\n${LINE}`, ['note.bad_text']],
  ['a hyphen for the dash', `a\n\n${LINE.replace('—', '-')}`, ['/line/2 note.bad_signature_line']],
  ['two spaces after the dash', `a\n\n${LINE.replace('— ', '—  ')}`, ['/line/2 note.bad_signature_line']],
  ['a tab in the name', `a\n\n${LINE.replace('log.', 'log\t')}`, ['/line/2 note.bad_signature_line']],
  ['a no-break space in the name', `a\n\n${LINE.replace('log.', 'log\u00a0')}`, ['/line/2 note.bad_signature_line']],
  ['a control character in the name', `a\n\n${LINE.replace('log.', 'log\u0001')}`, ['/line/2 note.bad_signature_line']],
  ['a plus in the name', `a\n\n${LINE.replace('log.', 'log+')}`, ['/line/2 note.bad_signature_line']],
  ['half a character in the name', `a\n\n${LINE.replace('log.', 'log\ud800')}`, ['/line/2 note.bad_signature_line']],
  ['no base64', 'a\n\n— log.example\n', ['/line/2 note.bad_signature_line']],
  ['bad base64', 'a\n\n— log.example AQIDBAU\n', ['/line/2 note.bad_signature_line']],
  ['a key hash without a signature', 'a\n\n— log.example AQIDBA==\n', ['/line/2 note.bad_signature_line']],
  ['a fourth part', `a\n\n${LINE.replace('\n', ' x\n')}`, ['/line/2 note.bad_signature_line']],
  ['a space at the end', `a\n\n${LINE.replace('\n', ' \n')}`, ['/line/2 note.bad_signature_line']],
  ['a bad line after a good one', `a\nb\n\n${LINE}x\n`, ['/line/4 note.bad_signature_line']],
  ['two bad lines', 'a\n\nx\ny\n', ['/line/2 note.bad_signature_line', '/line/3 note.bad_signature_line']],
])('%s is refused', (_, note, expected) => {
  expect(codes(note)).toEqual(expected);
});

test('as many signatures and characters as the limits say are read, and no more', () => {
  expect(MAX_NOTE_SIGNATURES).toBe(100);
  expect(codes(`a\n\n${LINE.repeat(100)}`)).toEqual([]);
  expect(codes(`a\n\n${LINE.repeat(101)}`)).toEqual(['note.too_many_signatures']);
  const room = MAX_NOTE_LENGTH - LINE.length - 2;
  expect(codes(`${'a'.repeat(room)}\n\n${LINE}`)).toEqual([]);
  expect(codes(`${'a'.repeat(room + 1)}\n\n${LINE}`)).toEqual(['note.too_large']);
});

test('every issue names its standard, and no code is unlisted', () => {
  for (const note of ['', 'a\n\nx\n', `a\t\n\n${LINE}`]) {
    const result = parseNote(note);
    for (const issue of result.ok ? [] : result.issues) {
      expect(issue.source).toBe('c2sp.org/signed-note');
      expect(issue.message).not.toBe('');
      expect(MERKLE_ISSUE_CODES).toContain(issue.code);
    }
  }
});

test('a note that no one could read is the caller’s mistake', () => {
  for (const text of ['', 'a', 'a\tb\n', '\ud800\n']) expect(() => signNote(text, signer)).toThrow(TypeError);
  for (const change of [
    { name: '' },
    { name: 'a b' },
    { name: 'a+b' },
    { name: 'a\nb' },
    { keyHash: new Uint8Array(3) },
    { keyHash: new Uint8Array(5) },
    { sign: () => new Uint8Array() },
  ])
    expect(() => signNote('a\n', { ...signer, ...change })).toThrow(TypeError);
});
