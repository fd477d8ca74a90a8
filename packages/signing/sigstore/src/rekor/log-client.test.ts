import type { KeyObject } from 'node:crypto';
import { toPem } from '@colophon/testkit/local-sigstore/certificate-writer';
import { ARTIFACT_SHA256, type DraftOptions, draftBlob } from '@colophon/testkit/local-sigstore/draft-bundle';
import { ISSUER, LocalSigstore, newKeys, REKOR_URL, uriName } from '@colophon/testkit/local-sigstore/local-sigstore';
import { crypto } from '@sigstore/core';
import { describe, expect, it, vi } from 'vitest';
import { LONGEST_EXPONENT, rsaKeyOf } from '../../test/rsa-key.ts';
import { loadTrustedRoots } from '../trusted-root/load-trusted-root.ts';
import { LogClient } from './log-client.ts';
import { LogError } from './log-error.ts';

const AGENT = { subject: 'agent:code-writer', issuer: 'http://localhost:7080' };
const KEY = { key_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), trusted: false };

function setUp() {
  const local = new LocalSigstore();
  draftBlob(local, Buffer.from('first'));
  draftBlob(local);
  draftBlob(local, Buffer.from('third'));
  const client = new LogClient({ rekorUrl: REKOR_URL, trust: local.trust, fetch: local.fetch, retries: 0 });
  return { local, client };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are taken apart in every way
type Answer = any;

/** A client of a log that answers with what `change` makes of the truth. */
function lying(change: (entry: Answer, answer: Answer, local: LocalSigstore) => Answer) {
  const { local, client } = setUp();
  const usual = local.answer.bind(local);
  local.answer = (method, url, body) => {
    if (url.pathname === '/api/v1/index/retrieve') return usual(method, url, body);
    const answer: Answer = structuredClone(local.log.entryAt(1));
    return Response.json(change(Object.values(answer)[0], answer, local) ?? answer);
  };
  return client;
}

const codeOf = (act: Promise<unknown>) =>
  act.then(
    () => 'found',
    (error) => (error instanceof LogError ? error.code : error),
  );

describe('the log', () => {
  it('is searched by digest, with and without prefix', async () => {
    const { local, client } = setUp();
    expect(await client.searchByDigest(ARTIFACT_SHA256)).toEqual({ uuids: [local.log.uuidAt(1)], more: false });
    expect(await client.searchByDigest(`sha256:${ARTIFACT_SHA256.toUpperCase()}`)).toEqual({
      uuids: [local.log.uuidAt(1)],
      more: false,
    });
    expect(await client.searchByDigest('0'.repeat(64))).toEqual({ uuids: [], more: false });
    await expect(client.searchByDigest('abc')).rejects.toThrow(TypeError);
    await expect(client.searchByDigest(`sha384:${'0'.repeat(96)}`)).rejects.toThrow(TypeError);
  });

  it('gives an entry by index and by id, verified', async () => {
    const { local, client } = setUp();
    const entry = await client.entryByIndex(1);
    expect(entry).toEqual({
      uuid: local.log.uuidAt(1),
      log_index: 1,
      log_id: local.log.logId.toString('hex'),
      integrated_at: local.now.toISOString(),
      kind: 'hashedrekord',
      version: '0.0.1',
      tree_size: 3,
      signers: [{ subject: 'agent:code-writer', issuer: 'http://localhost:7080', trusted: true }],
      body: expect.objectContaining({ kind: 'hashedrekord' }),
    });
    expect(await client.entryByUuid(local.log.uuidAt(1))).toEqual(entry);
    expect(await client.entryByUuid(`0123456789abcdef${local.log.uuidAt(1)}`)).toEqual(entry);
  });

  it.each<[title: string, signers: object[], options: (stranger: LocalSigstore) => DraftOptions]>([
    [
      'of an authority that is not pinned',
      [{ ...AGENT, trusted: false }],
      ({ intermediate }) => ({ issuer: { keys: intermediate, name: 'Intermediate' } }),
    ],
    ['without a certificate timestamp', [{ ...AGENT, trusted: false }], () => ({ sctBy: 'nobody' })],
    ['with a certificate timestamp of a stranger', [{ ...AGENT, trusted: false }], () => ({ sctBy: 'stranger' })],
    [
      'that had expired',
      [{ ...AGENT, trusted: false }],
      () => ({ notBefore: new Date('2026-11-20T10:00:00Z'), notAfter: new Date('2026-11-20T10:10:00Z') }),
    ],
    ['for nothing that is signed', [{ ...AGENT, trusted: false }], () => ({ usages: [] })],
    ['that names two', [KEY], () => ({ sans: [uriName('agent:a'), uriName('agent:b')] })],
    ['without one, but with a key', [KEY], () => ({ keyed: true })],
    ['that nobody can read', [], () => ({ logged: { verifier: 'nonsense' } })],
  ])('tells the signer by a certificate %s', async (_title, signers, options) => {
    const { local, client } = setUp();
    draftBlob(local, Buffer.from('other'), options(new LocalSigstore()));
    expect((await client.entryByIndex(3)).signers).toEqual(signers);
  });

  it('verifies nothing by the key of a certificate that names itself as its issuer', async () => {
    const { local, client } = setUp();
    const keys = { ...newKeys(), publicKey: rsaKeyOf(3072, LONGEST_EXPONENT) };
    draftBlob(local, Buffer.from('other'), { keys, issuer: { keys: newKeys(), name: '' } });
    const verify = vi.spyOn(crypto, 'verify');
    expect((await client.entryByIndex(3)).signers).toEqual([{ ...AGENT, trusted: false }]);
    expect(await client.certificatesByIndex(3, 3)).toMatchObject([{ issued: false }]);
    const kinds = verify.mock.calls.map(([, key]) => (key as KeyObject).asymmetricKeyType);
    verify.mockRestore();
    expect(kinds).not.toContain('rsa');
  });

  it('shows an entry whose certificate the library cannot read', async () => {
    const { local, client } = setUp();
    const der = local.issue(newKeys().publicKey);
    der[der.indexOf(Buffer.from('0603550403', 'hex')) - 1] = 0x7f;
    draftBlob(local, Buffer.from('other'), { logged: { verifier: toPem(der) } });
    expect((await client.entryByIndex(3)).signers).toEqual([{ ...AGENT, trusted: false }]);
    expect(await client.certificatesByIndex(3, 3)).toMatchObject([{ issued: false }]);
  });

  it('lends its good name to no certificate of another root', async () => {
    const [own, other] = [new LocalSigstore(), new LocalSigstore()];
    const certificate = toPem(own.issue(newKeys().publicKey));
    draftBlob(other, Buffer.from('x'), { logged: { verifier: certificate } });
    const trust = loadTrustedRoots(
      [own, other].map((one) => ({ json: JSON.stringify(one.trustedRootJson()), issuers: [ISSUER] })),
    );
    const client = new LogClient({ rekorUrl: REKOR_URL, trust, fetch: other.fetch, retries: 0 });
    expect((await client.entryByIndex(0)).signers).toEqual([{ ...AGENT, trusted: false }]);
    // Who looks for certificates that should not be there looks at those too.
    expect(await client.certificatesByIndex(0, 0)).toMatchObject([{ issued: true }]);
  });

  it('names the root of a signer, and lends its good name to no certificate of an issuer that the root is not for', async () => {
    const local = new LocalSigstore();
    draftBlob(local, Buffer.from('x'));
    const signersWith = async (...issuers: string[]) => {
      const root = { name: 'own', json: JSON.stringify(local.trustedRootJson()), issuers };
      const other = { name: 'other', json: JSON.stringify(new LocalSigstore().trustedRootJson()) };
      const trust = loadTrustedRoots([root, other]);
      return (await new LogClient({ rekorUrl: REKOR_URL, trust, fetch: local.fetch, retries: 0 }).entryByIndex(0))
        .signers;
    };
    expect(await signersWith(ISSUER)).toEqual([{ ...AGENT, trusted: true, root: 'own' }]);
    expect(await signersWith('https://partner.example')).toEqual([{ ...AGENT, trusted: false }]);
  });

  it('lends it to no certificate before or after its own time', async () => {
    const local = new LocalSigstore();
    draftBlob(local, Buffer.from('x'));
    const signersWhere = async (validFor: object) => {
      const root = local.trustedRootJson();
      Object.assign(root.tlogs[0]!.publicKey, { validFor: { ...root.tlogs[0]!.publicKey.validFor, ...validFor } });
      const trust = loadTrustedRoots([{ json: JSON.stringify(root) }]);
      const client = new LogClient({ rekorUrl: REKOR_URL, trust, fetch: local.fetch, retries: 0 });
      return (await client.entryByIndex(0)).signers;
    };
    const at = (ms: number) => new Date(local.now.getTime() + ms).toISOString();
    expect(await signersWhere({ end: at(0) })).toEqual([{ ...AGENT, trusted: true }]);
    expect(await signersWhere({ end: at(-1000) })).toEqual([{ ...AGENT, trusted: false }]);
    expect(await signersWhere({ start: at(1000) })).toEqual([{ ...AGENT, trusted: false }]);
  });

  it('is not asked for what is no index and no id', async () => {
    const { client } = setUp();
    await expect(client.entryByIndex(-1)).rejects.toThrow(TypeError);
    await expect(client.entryByIndex(1.5)).rejects.toThrow(TypeError);
    await expect(client.entryByUuid('../../x')).rejects.toThrow(TypeError);
  });

  it('has no entry beyond its end', async () => {
    const { client } = setUp();
    expect(await codeOf(client.entryByIndex(3))).toBe('log.not_found');
    expect(await codeOf(client.entryByUuid('a'.repeat(64)))).toBe('log.not_found');
  });

  it.each<
    [title: string, code: string, change: (entry: Answer, answer: Answer, local: LocalSigstore) => Answer | undefined]
  >([
    ['another index', 'log.entry_mismatch', (_entry, _answer, local) => local.log.entryAt(0)],
    [
      'another body',
      'log.entry_mismatch',
      (entry) => {
        entry.body = Buffer.from('{"kind":"x","apiVersion":"1"}').toString('base64');
      },
    ],
    [
      'a body in other base64 than bundles have',
      'log.answer_invalid',
      (entry) => {
        entry.body = `${entry.body}====`;
      },
    ],
    [
      'a promise in other base64 than bundles have',
      'log.answer_invalid',
      (entry) => {
        entry.verification.signedEntryTimestamp += '====';
      },
    ],
    [
      'another time',
      'log.promise_invalid',
      (entry) => {
        entry.integratedTime++;
      },
    ],
    [
      'no promise',
      'log.answer_invalid',
      (entry) => {
        delete entry.verification.signedEntryTimestamp;
      },
    ],
    [
      'no proof',
      'log.answer_invalid',
      (entry) => {
        delete entry.verification.inclusionProof;
      },
    ],
    [
      'no verification',
      'log.answer_invalid',
      (entry) => {
        delete entry.verification;
      },
    ],
    [
      'another proof',
      'log.proof_invalid',
      (entry) => {
        entry.verification.inclusionProof.hashes.pop();
      },
    ],
    [
      'another checkpoint',
      'log.proof_invalid',
      (entry, _answer, local) => {
        entry.verification.inclusionProof.checkpoint = local.log.checkpoint(2);
      },
    ],
    [
      'a stranger’s checkpoint',
      'log.proof_invalid',
      (entry, _answer, local) => {
        entry.verification.inclusionProof.checkpoint = local.log.checkpoint(3, newKeys().privateKey);
      },
    ],
    [
      'another log',
      'log.untrusted',
      (entry) => {
        entry.logID = 'ab'.repeat(32);
      },
    ],
    ['two entries', 'log.answer_invalid', (_entry, answer, local) => ({ ...answer, ...local.log.entryAt(0) })],
    ['no entry', 'log.answer_invalid', () => ({})],
    ['a list', 'log.answer_invalid', () => []],
    ['an id that is none', 'log.answer_invalid', (entry) => ({ x: entry })],
    [
      'a body that is no JSON',
      'log.answer_invalid',
      (entry) => {
        entry.body = 'AAAA';
      },
    ],
    [
      'an index that is none',
      'log.answer_invalid',
      (entry) => {
        entry.logIndex = -1;
      },
    ],
    [
      'a time that is none',
      'log.answer_invalid',
      (entry) => {
        entry.integratedTime = 'x';
      },
    ],
    [
      'a log id that is none',
      'log.answer_invalid',
      (entry) => {
        entry.logID = 'XY';
      },
    ],
    [
      'a root that is none',
      'log.answer_invalid',
      (entry) => {
        entry.verification.inclusionProof.rootHash = 'XY';
      },
    ],
    [
      'hashes that are none',
      'log.answer_invalid',
      (entry) => {
        entry.verification.inclusionProof.hashes = ['XY'];
      },
    ],
  ])('is not believed when it answers with %s: %s', async (_title, code, change) => {
    expect(await codeOf(lying(change).entryByIndex(1))).toBe(code);
  });

  it('is not believed when it answers with another entry than the id that was asked for', async () => {
    expect(await codeOf(lying(() => undefined).entryByUuid('a'.repeat(64)))).toBe('log.entry_mismatch');
  });

  it.each([
    [500, 'log.unavailable'],
    [429, 'log.unavailable'],
    [400, 'log.refused'],
    [302, 'log.refused'],
    [404, 'log.not_found'],
  ])('that answers %i is %s', async (status, code) => {
    const { local, client } = setUp();
    local.answer = () => new Response('x', { status });
    expect(await codeOf(client.entryByIndex(1))).toBe(code);
    expect(await codeOf(client.searchByDigest(ARTIFACT_SHA256))).toBe(code);
  });

  it('that answers with something else, or not at all', async () => {
    const { local, client } = setUp();
    local.answer = () => new Response('x');
    expect(await codeOf(client.entryByIndex(1))).toBe('log.answer_invalid');
    local.answer = () => Response.json(['x']);
    expect(await codeOf(client.searchByDigest(ARTIFACT_SHA256))).toBe('log.answer_invalid');
    local.answer = () => {
      throw new Error('down');
    };
    expect(await codeOf(client.entryByIndex(1))).toBe('log.unavailable');
  });
});
