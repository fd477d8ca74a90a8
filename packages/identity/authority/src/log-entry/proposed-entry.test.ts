import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { derOid, derSequence, derSet, derUtf8, formatPem } from '@colophon/encoding';
import type { JsonObject, JsonValue } from '@colophon/json';
import { expect, test } from 'vitest';
import { madeUpCertificate } from '../../test/made-up-certificate.ts';
import { refusalCode } from '../../test/refusal.ts';
import { base64, dsseOf, envelopeOf, hashedRekordOf, makeSigner, type Signer, sha256Hex } from '../../test/signer.ts';
import { MAX_SIGNATURES } from './dsse-envelope.ts';
import { readProposedEntry } from './proposed-entry.ts';
import { recordedSigners } from './recorded-signers.ts';
import { isAcceptedKey } from './verifier.ts';

const signer = makeSigner();
const other = makeSigner();
const envelope = JSON.stringify(envelopeOf([signer]));

const intotoV1: JsonObject = {
  apiVersion: '0.0.1',
  kind: 'intoto',
  spec: { content: { envelope }, publicKey: base64(signer.pem) },
};

function intotoV2(by = [signer], keyid = ''): JsonObject {
  const raw = envelopeOf(by);
  return {
    apiVersion: '0.0.2',
    kind: 'intoto',
    spec: {
      content: {
        envelope: {
          payload: base64(raw.payload),
          payloadType: raw.payloadType,
          signatures: raw.signatures.map(({ sig }, i) => ({
            sig: base64(sig),
            publicKey: base64(by[i]!.pem),
            ...(keyid && { keyid }),
          })),
        },
        hash: { algorithm: 'sha256', value: 'f'.repeat(64) },
      },
    },
  };
}

const ENTRIES: Record<string, JsonObject> = {
  hashedrekord: hashedRekordOf(signer, 'artifact'),
  dsse: dsseOf([signer], envelope),
  'intoto 0.0.1': intotoV1,
  'intoto 0.0.2': intotoV2(),
};

function codeOf(entry: JsonValue | undefined): string | undefined {
  try {
    readProposedEntry(entry);
  } catch (error) {
    return refusalCode(error);
  }
  return undefined;
}

const bodyOf = (entry: JsonObject) => JSON.parse(Buffer.from(readProposedEntry(entry).body).toString());

test('a hashedrekord is recorded with digest, signature and key, members in order', () => {
  const { body, keys } = readProposedEntry(ENTRIES['hashedrekord']);
  const { data, signature } = ENTRIES['hashedrekord']!['spec'] as { data: JsonObject; signature: JsonObject };
  const [hash, content] = [data['hash'] as JsonObject, signature['content']];
  expect(Buffer.from(body).toString()).toBe(
    `{"apiVersion":"0.0.1","kind":"hashedrekord","spec":{"data":{"hash":{"algorithm":"sha256","value":"${hash['value']}"}},` +
      `"signature":{"content":"${content}","publicKey":{"content":"${base64(signer.pem)}"}}}}`,
  );
  expect(keys).toEqual([`sha256:${sha256Hex('artifact')}`, sha256Hex(signer.pem)]);
});

test('members that are not of the type are not recorded, and no address in them is used', () => {
  const entry = structuredClone(ENTRIES['hashedrekord']!) as {
    spec: { data: Record<string, JsonValue>; signature: Record<string, JsonValue> };
  };
  entry.spec.data['url'] = 'http://169.254.169.254/';
  entry.spec.signature['url'] = 'http://169.254.169.254/';
  expect(Buffer.from(readProposedEntry(entry as never).body).toString()).not.toContain('169.254');
});

test('a key is recorded in its canonical PEM, so that one entry has one body', () => {
  const sloppy = signer.pem.replaceAll('\n', '\r\n');
  const entry = hashedRekordOf(signer, 'artifact', `\n${sloppy}\n\n`) as { spec: { signature: JsonObject } };
  const plain = ENTRIES['hashedrekord'] as typeof entry;
  (entry.spec.signature as Record<string, JsonValue>)['content'] = plain.spec.signature['content']!;
  expect(bodyOf(entry as never)).toEqual(bodyOf(plain as never));
});

test.each(['sha384', 'sha512'] as const)('a hashedrekord may be over a %s digest', (algorithm) => {
  const p521 = makeSigner('P-521');
  const entry = hashedRekordOf(p521, 'artifact') as { spec: Record<string, Record<string, JsonValue>> };
  entry.spec['data']!['hash'] = { algorithm, value: createHash(algorithm).update('artifact').digest('hex') };
  entry.spec['signature']!['content'] = base64(sign(algorithm, Buffer.from('artifact'), p521.privateKey));
  expect(readProposedEntry(entry as never).keys[0]).toMatch(new RegExp(`^${algorithm}:`));
});

test('a dsse entry records hashes and signatures, not the payload, and is found by its subjects', () => {
  const { keys } = readProposedEntry(ENTRIES['dsse']);
  const { sig } = envelopeOfText().signatures[0]!;
  const payload = Buffer.from(envelopeOfText().payload, 'base64');
  expect(bodyOf(ENTRIES['dsse']!)).toEqual({
    apiVersion: '0.0.1',
    kind: 'dsse',
    spec: {
      envelopeHash: { algorithm: 'sha256', value: sha256Hex(envelope) },
      payloadHash: { algorithm: 'sha256', value: sha256Hex(payload) },
      signatures: [{ signature: sig, verifier: base64(signer.pem) }],
    },
  });
  expect(keys).toEqual([
    `sha256:${sha256Hex(envelope)}`,
    `sha256:${sha256Hex(payload)}`,
    `sha256:${'ab'.repeat(32)}`,
    `sha1:${'cd'.repeat(20)}`,
    sha256Hex(signer.pem),
  ]);
});

function envelopeOfText(): ReturnType<typeof envelopeOf> {
  return JSON.parse(envelope);
}

test('an envelope with two signatures needs a key for each, and records them sorted', () => {
  const both = dsseOf([signer, other]);
  const recorded = bodyOf(both).spec.signatures.map(({ signature }: { signature: string }) => signature);
  expect(recorded).toHaveLength(2);
  expect(recorded).toEqual([...recorded].sort());
  const { proposedContent } = both['spec'] as { proposedContent: { envelope: string; verifiers: string[] } };
  const [first, second] = proposedContent.verifiers as [string, string];
  const having = (verifiers: string[]) => ({ ...both, spec: { proposedContent: { ...proposedContent, verifiers } } });
  expect(codeOf(having([first]))).toBe('authority.entry_signature_invalid');
  expect(codeOf(having([first, first]))).toBe('authority.entry_signature_invalid');
  expect(codeOf(having([second, first]))).toBeUndefined();
});

test.each([
  ['P-256', undefined, undefined],
  ['P-384', undefined, undefined],
  ['rsa', 2048, undefined],
  ['rsa', 2047, 'authority.entry_signature_invalid'],
  ['secp256k1', undefined, 'authority.entry_signature_invalid'],
] as const)('a digest signed by a key of kind %s and size %s: %s', (kind, bits, code) => {
  expect(codeOf(hashedRekordOf(makeSigner(kind, bits), 'artifact'))).toBe(code);
});

test('Ed25519 and RSA keys sign envelopes too', () => {
  for (const kind of ['ed25519', 'rsa'] as const) expect(codeOf(dsseOf([makeSigner(kind)]))).toBeUndefined();
});

/** RSA with an exponent of 32 bits, of which OpenSSL takes 3064. */
function longExponent(): Signer {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 2 ** 31 + 1 });
  return { ...keys, pem: keys.publicKey.export({ type: 'spki', format: 'pem' }) as string };
}

test.each([
  ['RSA with a long exponent', longExponent()],
  ['RSA of 2047 bits', makeSigner('rsa', 2047)],
  ['secp256k1', makeSigner('secp256k1')],
])('%s signs no entry of any kind, though its signature holds', (_, unusual) => {
  for (const entry of [hashedRekordOf(unusual, 'artifact'), dsseOf([unusual]), intotoV2([unusual])]) {
    expect(codeOf(entry)).toBe('authority.entry_signature_invalid');
  }
});

test('RSA keys of an entry are at most 8192 bits', () => {
  const of = (modulusLength: number) =>
    ({ asymmetricKeyType: 'rsa', asymmetricKeyDetails: { modulusLength, publicExponent: 65537n } }) as KeyObject;
  expect([of(8192), of(8193)].map(isAcceptedKey)).toEqual([true, false]);
});

/** An artifact signed under a certificate with its issuer's, whom anybody can be. */
function chainUnder(issuer: Signer): JsonObject {
  const name = derSequence(derSet(derSequence(derOid('2.5.4.3'), derUtf8('ca'))));
  const top = madeUpCertificate('urn:ca', issuer, { subject: name, issuer: name, isCa: true });
  const leaf = madeUpCertificate('urn:leaf', signer, { by: issuer, issuer: name });
  const pem = [leaf, top].map((der) => formatPem('CERTIFICATE', der)).join('');
  return hashedRekordOf(signer, 'artifact', pem);
}

test('no certificate is verified with a key of its issuer that is not taken', () => {
  expect(codeOf(chainUnder(makeSigner('P-521')))).toBeUndefined();
  expect(codeOf(chainUnder(makeSigner('secp256k1')))).toBe('authority.entry_invalid');
});

test('what was logged when such keys were taken is read', () => {
  const taken = readProposedEntry(chainUnder(other)).body;
  const { spec } = chainUnder(makeSigner('secp256k1')) as { spec: { signature: JsonObject } };
  const recorded = JSON.parse(Buffer.from(taken).toString());
  recorded.spec.signature = spec.signature;
  const [logged] = recordedSigners(Buffer.from(JSON.stringify(recorded)));
  expect(logged?.subjects).toEqual(['urn:leaf']);
  expect(logged?.chain).toHaveLength(2);
});

test('members that the log computes are not proposed, but may stand there empty', () => {
  const spec = ENTRIES['dsse']!['spec'] as JsonObject;
  const having = (members: JsonObject) => codeOf({ ...ENTRIES['dsse']!, spec: { ...spec, ...members } });
  expect(having({ signatures: null, envelopeHash: null, payloadHash: null })).toBeUndefined();
  expect(having({ signatures: [] })).toBeUndefined();
  expect(having({ signatures: [{}] })).toBe('authority.entry_invalid');
  expect(having({ envelopeHash: {} })).toBe('authority.entry_invalid');
  expect(having({ payloadHash: { algorithm: 'sha256', value: '0' } })).toBe('authority.entry_invalid');
});

test('both versions of intoto record the payload’s hash', () => {
  const payloadHash = { algorithm: 'sha256', value: sha256Hex(Buffer.from(envelopeOfText().payload, 'base64')) };
  expect(bodyOf(intotoV1).spec).toEqual({
    content: { hash: { algorithm: 'sha256', value: sha256Hex(envelope) }, payloadHash },
    publicKey: base64(signer.pem),
  });
  const v2 = bodyOf(intotoV2([signer], 'k1')).spec.content;
  expect(v2.payloadHash).toEqual(payloadHash);
  expect(v2.hash.value).toBe('f'.repeat(64));
  expect(v2.envelope.payload).toBeUndefined();
  expect(v2.envelope.signatures[0].keyid).toBe('k1');
  expect(bodyOf(intotoV2()).spec.content.envelope.signatures[0]).not.toHaveProperty('keyid');
});

test.each(Object.keys(ENTRIES))('a %s entry with another key is refused', (name) => {
  const text = JSON.stringify(ENTRIES[name]).replaceAll(base64(signer.pem), base64(other.pem));
  expect(codeOf(JSON.parse(text))).toBe('authority.entry_signature_invalid');
});

test('a signature over another artifact is refused', () => {
  const entry = hashedRekordOf(signer, 'artifact') as { spec: { data: Record<string, JsonValue> } };
  entry.spec.data['hash'] = { algorithm: 'sha256', value: sha256Hex('another') };
  expect(codeOf(entry as never)).toBe('authority.entry_signature_invalid');
});

test('another payload or payload type breaks an envelope', () => {
  const raw = envelopeOfText();
  expect(codeOf(dsseOf([signer], JSON.stringify({ ...raw, payload: base64('{}') })))).toBe(
    'authority.entry_signature_invalid',
  );
  expect(codeOf(dsseOf([signer], JSON.stringify({ ...raw, payloadType: 'text/plain' })))).toBe(
    'authority.entry_signature_invalid',
  );
});

test.each(['rekord', 'rpm', 'tuf', 'alpine', 'helm', 'cose', 'jar', 'rfc3161', 'toString', '__proto__'])(
  'the kind %s is not taken',
  (kind) => {
    expect(codeOf({ apiVersion: '0.0.1', kind, spec: {} })).toBe('authority.entry_kind_unsupported');
  },
);

test('a version that does not exist is not taken', () => {
  for (const apiVersion of ['0.0.2', '1.0.0', '']) {
    expect(codeOf({ ...ENTRIES['hashedrekord']!, apiVersion })).toBe('authority.entry_kind_unsupported');
  }
});

/** Every path to a member of the value. */
function pathsOf(value: JsonValue, at: Array<string | number> = []): Array<Array<string | number>> {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const path = [...at, Array.isArray(value) ? Number(name) : name];
    return [path, ...pathsOf(child, path)];
  });
}

/** A copy with one member replaced, or left out. */
function changed(value: JsonObject, path: ReadonlyArray<string | number>, to: JsonValue | undefined): JsonObject {
  const copy = structuredClone(value) as Record<string | number, unknown>;
  let parent = copy;
  for (const name of path.slice(0, -1)) parent = parent[name] as typeof parent;
  const last = path.at(-1)!;
  if (to === undefined && Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (to === undefined) delete parent[last];
  else parent[last] = to;
  return copy as JsonObject;
}

test.each(Object.keys(ENTRIES))(
  'every member of a %s entry may be absent, null or of another type: refused, never a crash',
  (name) => {
    const entry = ENTRIES[name]!;
    for (const path of pathsOf(entry)) {
      for (const value of [undefined, null, '', 0, true, [], {}, [null], [[]], { a: null }, 'x', 'AA==']) {
        const code = codeOf(changed(entry, path, value));
        expect(code, `${path.join('.')} = ${JSON.stringify(value)}`).toMatch(/^authority\.entry_/);
      }
    }
  },
);

test('every member of an envelope may be absent, null or of another type', () => {
  const raw = envelopeOfText() as unknown as JsonObject;
  for (const path of pathsOf(raw)) {
    for (const value of [undefined, null, '', 0, true, [], {}, [null], 'x', 'AA==']) {
      const isKeyId = path.at(-1) === 'keyid' && (value === undefined || typeof value === 'string');
      const code = codeOf(dsseOf([signer], JSON.stringify(changed(raw, path, value))));
      if (isKeyId) expect(code).toBeUndefined();
      else expect(code, `${path.join('.')} = ${JSON.stringify(value)}`).toMatch(/^authority\.entry_/);
    }
  }
});

test.each([undefined, null, 7, 'x', [], {}, { kind: 'dsse' }, { kind: null, apiVersion: null, spec: null }])(
  '%j is no entry',
  (value) => {
    expect(codeOf(value as never)).toBe('authority.entry_invalid');
  },
);

test('an envelope with more signatures or keys than are ever needed is refused before any is tried', () => {
  const raw = envelopeOfText();
  const many = { ...raw, signatures: Array.from({ length: MAX_SIGNATURES + 1 }, () => raw.signatures[0]!) };
  expect(codeOf(dsseOf([signer], JSON.stringify(many)))).toBe('authority.entry_invalid');
  const spec = ENTRIES['dsse']!['spec'] as { proposedContent: { verifiers: string[] } };
  const verifiers = Array.from({ length: MAX_SIGNATURES + 1 }, () => spec.proposedContent.verifiers[0]!);
  expect(codeOf({ ...ENTRIES['dsse']!, spec: { proposedContent: { ...spec.proposedContent, verifiers } } })).toBe(
    'authority.entry_invalid',
  );
});

test('signatures and keys are at most so many that trying them all keeps nobody waiting', () => {
  expect(MAX_SIGNATURES).toBeLessThanOrEqual(4);
  expect(codeOf(dsseOf(Array.from({ length: MAX_SIGNATURES }, () => makeSigner())))).toBeUndefined();
});

test('an envelope that two readers could understand differently is refused', () => {
  const twice = envelope.replace('{', '{"payload":"e30=",');
  expect(codeOf(dsseOf([signer], twice))).toBe('authority.entry_invalid');
});

test('a payload that is no statement is logged and found by its hash alone', () => {
  for (const payload of [
    [],
    null,
    'x',
    { subject: 7 },
    { subject: [null, { digest: 7 }, { digest: { sha256: 7 } }] },
  ]) {
    const { keys } = readProposedEntry(dsseOf([signer], JSON.stringify(envelopeOf([signer], payload))));
    expect(keys).toHaveLength(3);
  }
});
