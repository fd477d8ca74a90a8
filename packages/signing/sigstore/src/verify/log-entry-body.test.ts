import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/refusal.ts';
import { readLogEntryBody } from './log-entry-body.ts';

const b64 = (text: string | Buffer) => Buffer.from(text as string).toString('base64');
const SIGNATURE = Buffer.from('signature');
const DER = Buffer.from('a certificate of some length, so that its armour has more than one line of text in it');
const DIGEST = Buffer.alloc(32, 7);
const armour = (label: string, der = DER) =>
  `-----BEGIN ${label}-----\n${b64(der).replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`;
const PEM = b64(armour('CERTIFICATE'));
const HASH = { algorithm: 'sha256', value: DIGEST.toString('hex') };

const BODIES = {
  'hashedrekord/0.0.1': { data: { hash: HASH }, signature: { content: b64(SIGNATURE), publicKey: { content: PEM } } },
  'dsse/0.0.1': { payloadHash: HASH, signatures: [{ signature: b64(SIGNATURE), verifier: PEM }] },
  'intoto/0.0.2': {
    content: { envelope: { signatures: [{ sig: b64(b64(SIGNATURE)), publicKey: PEM }] }, payloadHash: HASH },
  },
  'hashedrekord/0.0.2': {
    hashedRekordV002: {
      data: { algorithm: 'SHA2_256', digest: b64(DIGEST) },
      signature: { content: b64(SIGNATURE), verifier: { x509Certificate: { rawBytes: b64(DER) } } },
    },
  },
} as const;
type Kind = keyof typeof BODIES;

// biome-ignore lint/suspicious/noExplicitAny: bodies are taken apart in every way
type Spec = any;
const bodyOf = (kind: string, spec: unknown) => {
  const [name, apiVersion] = kind.split('/');
  return Buffer.from(JSON.stringify({ kind: name, apiVersion, spec }));
};
const read = (kind: string, spec: unknown) => readLogEntryBody(kind, bodyOf(kind, spec));
const broken = (kind: Kind, edit: (spec: Spec) => unknown) => {
  const spec = structuredClone(BODIES[kind]);
  edit(spec);
  return refusal(() => read(kind, spec));
};

describe('the body of a log entry', () => {
  it.each(Object.keys(BODIES) as Kind[])('of kind %s is read', (kind) => {
    expect(read(kind, BODIES[kind])).toEqual({
      signature: SIGNATURE,
      verifier: DER,
      digestOf: kind.startsWith('hashedrekord') ? 'signed' : 'payload',
      digest: DIGEST,
    });
  });

  it('may name a public key, and have space around its armour', () => {
    const pem = b64(` \n${armour('PUBLIC KEY')}\n `);
    const first = structuredClone(BODIES['hashedrekord/0.0.1']) as Spec;
    first.signature.publicKey.content = pem;
    expect(read('hashedrekord/0.0.1', first).verifier).toEqual(DER);
    const second = structuredClone(BODIES['hashedrekord/0.0.2']) as Spec;
    second.hashedRekordV002.signature.verifier = { publicKey: { rawBytes: b64(DER) } };
    expect(read('hashedrekord/0.0.2', second).verifier).toEqual(DER);
  });

  it.each<[title: string, kind: Kind, edit: (spec: Spec) => unknown, reason: string]>([
    ['another hash', 'hashedrekord/0.0.1', (s) => Object.assign(s.data.hash, { algorithm: 'sha512' }), 'SHA-256'],
    ['a digest that is short', 'hashedrekord/0.0.1', (s) => Object.assign(s.data.hash, { value: 'ab' }), 'SHA-256'],
    [
      'a digest that goes on',
      'hashedrekord/0.0.1',
      (s) => Object.assign(s.data.hash, { value: `${HASH.value}00` }),
      'SHA-256',
    ],
    [
      'a digest with something before',
      'hashedrekord/0.0.1',
      (s) => Object.assign(s.data.hash, { value: `x${HASH.value}` }),
      'SHA-256',
    ],
    [
      'a digest in upper case',
      'hashedrekord/0.0.1',
      (s) => Object.assign(s.data.hash, { value: 'A'.repeat(64) }),
      'SHA-256',
    ],
    ['no hash', 'hashedrekord/0.0.1', (s) => delete s.data.hash, 'object is missing'],
    ['a hash that is a text', 'hashedrekord/0.0.1', (s) => Object.assign(s.data, { hash: 'x' }), 'object is missing'],
    ['a hash that is a list', 'hashedrekord/0.0.1', (s) => Object.assign(s.data, { hash: [] }), 'object is missing'],
    ['no signature', 'hashedrekord/0.0.1', (s) => delete s.signature.content, 'content is no text'],
    [
      'a signature that is a number',
      'hashedrekord/0.0.1',
      (s) => Object.assign(s.signature, { content: 1 }),
      'content is no text',
    ],
    [
      'a signature in broken base64',
      'hashedrekord/0.0.1',
      (s) => Object.assign(s.signature, { content: 'A A' }),
      'base64',
    ],
    ['an empty signature', 'hashedrekord/0.0.1', (s) => Object.assign(s.signature, { content: '' }), 'base64'],
    [
      'no armour',
      'hashedrekord/0.0.1',
      (s) => Object.assign(s.signature.publicKey, { content: b64('x') }),
      'no single certificate',
    ],
    [
      'two certificates',
      'hashedrekord/0.0.1',
      (s) => Object.assign(s.signature.publicKey, { content: b64(armour('CERTIFICATE') + armour('CERTIFICATE')) }),
      'no single certificate',
    ],
    [
      'text before the certificate',
      'hashedrekord/0.0.1',
      (s) => Object.assign(s.signature.publicKey, { content: b64(`x${armour('CERTIFICATE')}`) }),
      'no single certificate',
    ],
    [
      'text after the certificate',
      'hashedrekord/0.0.1',
      (s) => Object.assign(s.signature.publicKey, { content: b64(`${armour('CERTIFICATE')}x`) }),
      'no single certificate',
    ],
    [
      'a private key',
      'hashedrekord/0.0.1',
      (s) => Object.assign(s.signature.publicKey, { content: b64(armour('PRIVATE KEY')) }),
      'no single certificate',
    ],
    ['two signatures', 'dsse/0.0.1', (s) => s.signatures.push(s.signatures[0]), 'signatures is not a list of one'],
    ['no signatures', 'dsse/0.0.1', (s) => Object.assign(s, { signatures: [] }), 'signatures is not a list of one'],
    [
      'signatures that are no list',
      'dsse/0.0.1',
      (s) => Object.assign(s, { signatures: { length: 1, 0: s.signatures[0] } }),
      'signatures is not a list of one',
    ],
    ['a signature that is a text', 'dsse/0.0.1', (s) => Object.assign(s, { signatures: ['x'] }), 'object is missing'],
    [
      'a signature that is not base64 twice',
      'intoto/0.0.2',
      (s) => Object.assign(s.content.envelope.signatures[0], { sig: b64('?') }),
      'base64',
    ],
    [
      'another hash',
      'hashedrekord/0.0.2',
      (s) => Object.assign(s.hashedRekordV002.data, { algorithm: 'SHA2_512' }),
      'SHA-256',
    ],
    [
      'no verifier',
      'hashedrekord/0.0.2',
      (s) => Object.assign(s.hashedRekordV002.signature, { verifier: {} }),
      'object is missing',
    ],
  ])('with %s (%s) is refused', (_title, kind, edit, reason) => {
    const error = broken(kind, edit);
    expect(error.code).toBe('log_entry.malformed');
    expect(error.message).toContain('the log entry cannot be read: ');
    expect(error.message).toContain(reason);
  });

  it.each([
    [
      'of another kind than the bundle says',
      'dsse/0.0.1',
      bodyOf('hashedrekord/0.0.1', BODIES['hashedrekord/0.0.1']),
      'its kind is hashedrekord/0.0.1, the bundle says dsse/0.0.1',
    ],
    [
      'of another version than the bundle says',
      'hashedrekord/0.0.2',
      bodyOf('hashedrekord/0.0.1', BODIES['hashedrekord/0.0.1']),
      'its kind is',
    ],
    ['of a kind that nobody writes for bundles', 'rpm/0.0.1', bodyOf('rpm/0.0.1', {}), 'its kind is'],
    ['of the name of what every object has', 'constructor/x', bodyOf('constructor/x', {}), 'its kind is'],
    ['that is no JSON', 'dsse/0.0.1', Buffer.from('{'), 'not JSON that can be relied on'],
    [
      'that has a field twice',
      'dsse/0.0.1',
      Buffer.from('{"kind":"dsse","kind":"dsse"}'),
      'not JSON that can be relied on',
    ],
    ['that is null', 'dsse/0.0.1', Buffer.from('null'), 'object is missing'],
  ])('%s is refused', (_title, kind, body, reason) => {
    const error = refusal(() => readLogEntryBody(kind, body));
    expect([error.code, error.message]).toEqual(['log_entry.malformed', expect.stringContaining(reason)]);
  });
});

it('a body of more values than any has is not read', () => {
  const junk = Array(10_000).fill(0);
  expect(refusal(() => read('dsse/0.0.1', { ...BODIES['dsse/0.0.1'], junk })).code).toBe('bundle.too_large');
  expect(read('dsse/0.0.1', { ...BODIES['dsse/0.0.1'], junk: junk.slice(100) }).signature).toEqual(SIGNATURE);
});
