import {
  config,
  createCleartextMessage,
  createMessage,
  enums,
  generateKey,
  type KeyID,
  PacketList,
  type PrivateKey,
  readKey,
  readPrivateKey,
  reformatKey,
  revokeKey,
  Signature,
  SignaturePacket,
  sign,
} from 'openpgp';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeKey } from '../key/describe-key.ts';
import { signDetached } from './sign-detached.ts';
import { verifyDetached } from './verify-detached.ts';

const AT = new Date('2026-11-21T12:00:00Z');
const BORN = new Date('2026-01-01T00:00:00Z');
const DOCUMENT: Uint8Array = new TextEncoder().encode('{"statements": []}\r\n\u00e9\n');
const PASSPHRASE = 'correct horse';

type Pair = { readonly publicKey: string; readonly privateKey: string };
const newKey = async (name: string, more: object = {}): Promise<Pair> =>
  generateKey({ userIDs: [{ name, email: `${name}@example.com` }], date: BORN, format: 'armored', ...more });

let dana: Pair;
let other: Pair;
let short: Pair;
beforeAll(async () => {
  [dana, other, short] = await Promise.all([
    newKey('dana'),
    newKey('other'),
    newKey('short', { keyExpirationTime: 30 * 86_400 }),
  ]);
});

const signed = (key: Pair, at = AT) => signDetached(DOCUMENT, { privateKey: key.privateKey, at });
const verify = (
  signature: string | Uint8Array,
  keys: readonly (string | Uint8Array)[] = [dana.publicKey],
  document = DOCUMENT,
  at = AT,
) => verifyDetached(document, signature, { publicKeys: keys, at });
const refusal = (code: string) => expect.objectContaining({ name: 'OpenPgpError', code });
/** A signature packet of any kind over the document, as nobody honest makes it. */
const packetOf = async (key: Pair, change: (packet: SignaturePacket) => void, data: object | Uint8Array = {}) => {
  const unlocked = await readPrivateKey({ armoredKey: key.privateKey });
  const packet = new SignaturePacket();
  packet.version = 4;
  packet.publicKeyAlgorithm = unlocked.keyPacket.algorithm as never;
  packet.hashAlgorithm = enums.hash.sha512;
  packet.issuerKeyID = unlocked.getKeyID();
  packet.signatureType = enums.signature.binary;
  change(packet);
  await (packet.sign as (...args: unknown[]) => Promise<void>).call(packet, unlocked.keyPacket, data, AT, true, {
    ...config,
    nonDeterministicSignaturesViaNotation: false,
  });
  const packets = new PacketList<SignaturePacket>();
  packets.push(packet);
  return new Signature(packets).armor();
};
const literal = (bytes: Uint8Array) => createMessage({ binary: bytes }).then((message) => message.packets[0] as object);

describe('a signature', () => {
  test('holds for the very bytes of its document', async () => {
    const signature = await signed(dana);
    expect(signature).toMatch(/^-----BEGIN PGP SIGNATURE-----\n\n[A-Za-z0-9+/=\n]+-----END PGP SIGNATURE-----\n$/);
    const { fingerprint } = await describeKey(dana.publicKey, AT);
    expect(await verify(signature)).toEqual({
      fingerprint,
      userIds: ['dana <dana@example.com>'],
      signedAt: '2026-11-21T12:00:00Z',
      hash: 'sha512',
      signatures: [expect.objectContaining({ fingerprint })],
      rejected: [],
    });
    expect(fingerprint).toMatch(/^[0-9A-F]{40}$/);
  });

  test.each<[string, () => Uint8Array]>([
    ['one bit', () => DOCUMENT.map((byte, index) => (index === 3 ? byte ^ 1 : byte))],
    ['its line ends', () => new TextEncoder().encode('{"statements": []}\n\u00e9\n')],
    ['one byte more', () => new Uint8Array([...DOCUMENT, 10])],
    ['nothing left', () => new Uint8Array()],
  ])('does not hold for a document with %s changed', async (_what, change) => {
    await expect(verify(await signed(dana), [dana.publicKey], change())).rejects.toEqual(
      refusal('openpgp.signature_mismatch'),
    );
  });

  test('by another key is refused, and says by whose', async () => {
    const error = await verify(await signed(other)).catch((thrown) => thrown);
    expect(error).toEqual(refusal('openpgp.other_key'));
    const { fingerprint } = await describeKey(other.publicKey, AT);
    expect(error.facts.found).toBe(fingerprint.slice(-16));
    expect(error.facts.expected).toBe((await describeKey(dana.publicKey, AT)).fingerprint);
  });

  test('is believed of nobody where no key is given', async () => {
    await expect(verify(await signed(dana), [])).rejects.toEqual(refusal('openpgp.other_key'));
  });

  test.each([
    ['armored', (key: Pair) => key.publicKey],
    ['of a private key', (key: Pair) => key.privateKey],
  ])('verifies with a key %s', async (_what, text) => {
    expect((await verify(await signed(dana), [text(dana)])).userIds).toEqual(['dana <dana@example.com>']);
    expect(await verify(await signed(dana), [new TextEncoder().encode(text(dana))])).toBeDefined();
  });

  test('verifies with a binary keyring of several', async () => {
    const keys = await Promise.all([other, dana].map((key) => readKey({ armoredKey: key.publicKey })));
    const keyring = Buffer.concat(keys.map((key) => key.write()));
    expect((await verify(await signed(dana), [keyring])).userIds).toEqual(['dana <dana@example.com>']);
  });

  test('is read in binary too', async () => {
    const [unlocked, message] = [
      await readPrivateKey({ armoredKey: dana.privateKey }),
      await createMessage({ binary: DOCUMENT }),
    ];
    const binary = (await sign({
      message,
      signingKeys: unlocked,
      detached: true,
      format: 'binary',
      date: AT,
    })) as Uint8Array;
    expect(await verify(binary)).toBeDefined();
  });

  test('made half a minute ahead of this clock is believed, and one made later is not', async () => {
    expect(await verify(await signed(dana, new Date(AT.getTime() + 20_000)))).toBeDefined();
    const ahead = await signed(dana, new Date(AT.getTime() + 60_000));
    await expect(verify(ahead)).rejects.toEqual(refusal('openpgp.signature_in_future'));
  });

  test('that was made for a limited time holds no longer', async () => {
    const limited = await packetOf(
      dana,
      (packet) => {
        packet.signatureExpirationTime = 60;
        packet.signatureNeverExpires = false;
      },
      await literal(DOCUMENT),
    );
    expect(await verify(limited)).toBeDefined();
    await expect(verify(limited, [dana.publicKey], DOCUMENT, new Date(AT.getTime() + 120_000))).rejects.toEqual(
      refusal('openpgp.signature_expired'),
    );
  });

  test('over nothing, which fits every document, is refused', async () => {
    const standalone = await packetOf(dana, (packet) => {
      packet.signatureType = enums.signature.standalone;
    });
    await expect(verify(standalone)).rejects.toEqual(refusal('openpgp.signature_kind'));
  });

  test('over the text, which fits other line ends, is refused', async () => {
    const text = await packetOf(
      dana,
      (packet) => {
        packet.signatureType = enums.signature.text;
      },
      await literal(DOCUMENT),
    );
    await expect(verify(text)).rejects.toEqual(refusal('openpgp.signature_kind'));
  });

  test('that names no key is held against none of a whole keyring', async () => {
    // The library fills in both when it signs.
    const anonymous = (packet: SignaturePacket) => {
      for (const [name, value] of [
        ['issuerKeyID', (packet.issuerKeyID.constructor as typeof KeyID).fromID('0000000000000000')],
        ['issuerFingerprint', null],
      ] as const) {
        Object.defineProperty(packet, name, { get: () => value, set: () => {} });
      }
    };
    const signature = await packetOf(dana, anonymous, await literal(DOCUMENT));
    await expect(verify(signature, [dana.publicKey, other.publicKey])).rejects.toThrow(refusal('openpgp.other_key'));
  });

  test('that rests on a hash that can be forged is refused', async () => {
    // The library itself makes none with other kinds of keys.
    const old = await newKey('old', { type: 'rsa', rsaBits: 2048 });
    for (const hash of ['sha1', 'md5', 'ripemd'] as const) {
      const weak = await packetOf(
        old,
        (packet) => {
          packet.hashAlgorithm = enums.hash[hash];
        },
        await literal(DOCUMENT),
      );
      await expect(verify(weak, [old.publicKey]), hash).rejects.toEqual(refusal('openpgp.weak_hash'));
    }
  });
});

describe('several signatures', () => {
  test('are all reported, in one block or in several', async () => {
    const [one, two] = [await signed(dana), await signed(other)];
    const keys = [dana.publicKey, other.publicKey];
    const { userIds, signatures, rejected } = await verify(`${one}\n${two}`, keys);
    expect(userIds).toEqual(['dana <dana@example.com>']);
    expect(signatures.map((each) => each.userIds[0])).toEqual(['dana <dana@example.com>', 'other <other@example.com>']);
    expect(rejected).toEqual([]);
  });

  test('need one by a key that is given, and the others are named', async () => {
    const { signatures, rejected } = await verify(`${await signed(other)}${await signed(dana)}`);
    expect(signatures).toHaveLength(1);
    expect(rejected).toEqual([expect.objectContaining({ code: 'openpgp.other_key' })]);
  });

  test('are refused together where one by a given key does not hold', async () => {
    const forOther = await signDetached(new Uint8Array([1]), { privateKey: other.privateKey, at: AT });
    await expect(verify(`${await signed(dana)}${forOther}`, [dana.publicKey, other.publicKey])).rejects.toEqual(
      refusal('openpgp.signature_mismatch'),
    );
  });

  test('are not read without end', async () => {
    const one = await signed(dana);
    await expect(verify(one.repeat(33))).rejects.toEqual(refusal('openpgp.signature_unreadable'));
  });
});

describe('a key', () => {
  const later = new Date('2026-02-15T00:00:00Z');
  const before = new Date('2026-01-10T00:00:00Z');

  test('that has expired signs nothing, and what it signed before counts no more', async () => {
    await expect(signed(short, later)).rejects.toEqual(refusal('openpgp.key_expired'));
    const signature = await signed(short, before);
    expect(await verify(signature, [short.publicKey], DOCUMENT, before)).toBeDefined();
    await expect(verify(signature, [short.publicKey], DOCUMENT, later)).rejects.toEqual(refusal('openpgp.key_expired'));
  });

  test('that was not there yet when it is said to have signed is refused', async () => {
    const young = await newKey('young', { date: AT });
    const old = await signed(dana, before);
    expect(old).toBeDefined();
    await expect(signed(young, before)).rejects.toEqual(refusal('openpgp.key_unusable'));
  });

  test.each([
    ['as replaced', enums.reasonForRevocation.keySuperseded],
    ['as stolen', enums.reasonForRevocation.keyCompromised],
  ])('that was revoked %s is refused, whenever it signed', async (_why, flag) => {
    const signature = await signed(dana, before);
    const key = await readPrivateKey({ armoredKey: dana.privateKey });
    const { publicKey, privateKey } = await revokeKey({
      key,
      reasonForRevocation: { flag },
      date: later,
      format: 'armored',
    });
    await expect(verify(signature, [publicKey])).rejects.toEqual(refusal('openpgp.key_revoked'));
    await expect(signDetached(DOCUMENT, { privateKey, at: AT })).rejects.toEqual(refusal('openpgp.key_revoked'));
  });

  test('that signs by a subkey is known by its own fingerprint', async () => {
    const key = await newKey('subkey', { subkeys: [{ sign: true }] });
    const { fingerprint, signingFingerprint } = await verify(await signed(key), [key.publicKey]);
    expect(fingerprint).toBe((await describeKey(key.publicKey, AT)).fingerprint);
    expect(signingFingerprint).toMatch(/^[0-9A-F]{40}$/);
    expect(signingFingerprint).not.toBe(fingerprint);
  });

  test('has the names that its owner certified, and none that somebody added', async () => {
    const [key, stranger] = await Promise.all([dana, other].map((one) => readKey({ armoredKey: one.publicKey })));
    key!.users.push(...stranger!.users);
    expect((await verify(await signed(dana), [key!.armor()])).userIds).toEqual(['dana <dana@example.com>']);
  });

  test('has its main name first', async () => {
    const key = (await readPrivateKey({ armoredKey: dana.privateKey })) as PrivateKey;
    const userIDs = [{ name: 'First' }, { name: 'Second' }];
    const { publicKey, privateKey } = await reformatKey({ privateKey: key, userIDs, date: BORN, format: 'armored' });
    expect((await verify(await signed({ publicKey, privateKey }), [publicKey])).userIds).toEqual(['First', 'Second']);
  });

  describe('with a passphrase', () => {
    let guarded: Pair;
    beforeAll(async () => {
      guarded = await newKey('guarded', { passphrase: PASSPHRASE });
    });
    const open = (passphrase?: string) =>
      signDetached(DOCUMENT, { privateKey: guarded.privateKey, passphrase, at: AT });

    test('signs once it is opened', async () => {
      expect(await verify(await open(PASSPHRASE), [guarded.publicKey])).toBeDefined();
    });

    test('is not opened by none or another, and neither is repeated', async () => {
      await expect(open()).rejects.toEqual(refusal('openpgp.passphrase_missing'));
      const error = await open('another secret').catch((thrown) => thrown);
      expect(error).toEqual(refusal('openpgp.passphrase_wrong'));
      expect(JSON.stringify([error.message, error.facts, error.cause ?? null])).not.toContain('another secret');
    });
  });

  test.each([
    ['a public key', () => dana.publicKey, 'openpgp.key_not_private'],
    ['no key', () => 'hello', 'openpgp.key_unreadable'],
    ['an empty file', () => '', 'openpgp.key_unreadable'],
    ['two keys', () => `${dana.privateKey}\n${other.privateKey}`, undefined],
  ])('to sign with cannot be %s', async (_what, privateKey, code) => {
    if (code === undefined) {
      const both = await Promise.all([dana, other].map((one) => readPrivateKey({ armoredKey: one.privateKey })));
      const keyring = Buffer.concat(both.map((one) => one.write()));
      await expect(signDetached(DOCUMENT, { privateKey: keyring, at: AT })).rejects.toEqual(
        refusal('openpgp.key_unreadable'),
      );
    } else {
      await expect(signDetached(DOCUMENT, { privateKey: privateKey(), at: AT })).rejects.toEqual(refusal(code));
    }
  });

  test.each(['', 'hello', '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nxxxx\n-----END PGP PUBLIC KEY BLOCK-----\n'])(
    'to verify with cannot be %j',
    async (text) => {
      await expect(verify(await signed(dana), [text])).rejects.toEqual(refusal('openpgp.key_unreadable'));
    },
  );
});

describe('a file that should be a detached signature', () => {
  test('cannot be a signed message, which has a text of its own', async () => {
    const key = await readPrivateKey({ armoredKey: dana.privateKey });
    const cleartext = await sign({ message: await createCleartextMessage({ text: 'x' }), signingKeys: key, date: AT });
    const inline = (await sign({
      message: await createMessage({ binary: DOCUMENT }),
      signingKeys: key,
      date: AT,
    })) as string;
    await expect(verify(cleartext)).rejects.toEqual(refusal('openpgp.not_detached'));
    await expect(verify(inline)).rejects.toEqual(refusal('openpgp.not_detached'));
    await expect(verify(dana.publicKey)).rejects.toEqual(refusal('openpgp.not_detached'));
  });

  test.each<[string, string | Uint8Array]>([
    ['empty', ''],
    ['text', 'hello'],
    ['binary without sense', new Uint8Array([0x88, 0xff, 0x01])],
    ['a block without an end', '-----BEGIN PGP SIGNATURE-----\n\nabcd\n'],
    ['a block with nothing in it', '-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n'],
    ['longer than any', `-----BEGIN PGP SIGNATURE-----\n\n${'A'.repeat(2 ** 20)}\n-----END PGP SIGNATURE-----\n`],
  ])('cannot be %s', async (_what, file) => {
    await expect(verify(file)).rejects.toEqual(refusal('openpgp.signature_unreadable'));
  });

  test('cannot have text around the signature, which nobody signed', async () => {
    const signature = await signed(dana);
    await expect(verify(`approved by everybody\n${signature}`)).rejects.toEqual(
      refusal('openpgp.signature_unreadable'),
    );
    await expect(verify(`${signature}approved by everybody\n`)).rejects.toEqual(
      refusal('openpgp.signature_unreadable'),
    );
    expect(await verify(`\n\n${signature}\n\n`)).toBeDefined();
    expect(await verify(signature.replaceAll('\n', '\r\n'))).toBeDefined();
  });
});

test.each([
  ['NIST P-256', { type: 'ecc', curve: 'nistP256' }],
  ['NIST P-384', { type: 'ecc', curve: 'nistP384' }],
  ['NIST P-521', { type: 'ecc', curve: 'nistP521' }],
  ['Ed25519, as RFC 9580 writes it', { type: 'curve25519' }],
  ['Ed448', { type: 'curve448' }],
  ['Ed25519 in a key of version 6', { type: 'curve25519', config: { v6Keys: true } }],
])('%s signs and verifies', async (_name, more) => {
  const key = await newKey('eve', more);
  expect(await verify(await signed(key), [key.publicKey])).toMatchObject({ userIds: [expect.stringContaining('eve')] });
});
