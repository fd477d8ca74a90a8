import { createHash, createPublicKey, verify, X509Certificate } from 'node:crypto';
import { parsePem } from '@colophon/encoding';
import { hashLeaf, verifyConsistency, verifyInclusion } from '@colophon/merkle';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningAuthority, runAuthority } from '../../test/running-authority.ts';
import { base64, makeSigner } from '../../test/signer.ts';
import { fixedClock } from '../../test/token-issuer.ts';
import { CertificateLog } from '../ct-log/certificate-log.ts';

let running: RunningAuthority;
/** Another authority, whose root is accepted here. */
let other: RunningAuthority;
let stranger: RunningAuthority;
beforeAll(async () => {
  [other, stranger] = [await runAuthority(), await runAuthority()];
  running = await runAuthority({ ctExtraRoots: [other.authority.ca.certificates.root.der] });
});
afterAll(() => Promise.all([running, other, stranger].map((each) => each.remove())));

const signer = makeSigner();
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

/** A precertificate and its chain, as another authority logged it. */
async function precertChain(from: RunningAuthority): Promise<string[]> {
  await from.certify(signer);
  const last = (await from.get('/ct/v1/get-sth')).json().tree_size - 1;
  const extra = Buffer.from(
    (await from.get(`/ct/v1/get-entries?start=${last}&end=${last}`)).json().entries[0].extra_data,
    'base64',
  );
  const precert = extra.subarray(3, 3 + extra.readUIntBE(0, 3));
  return [base64(precert), ...from.authority.trust.caCertificates.map((pem) => base64(parsePem(pem)![0]!.der))];
}

const finalChain = async (from: RunningAuthority) =>
  (await from.certify(signer)).map((pem) => base64(parsePem(pem)![0]!.der));

test('a precertificate of another CA with an accepted root gets a timestamp, and the same one when it comes again', async () => {
  const chain = await precertChain(other);
  const first = await running.post('/ct/v1/add-pre-chain', { chain });
  expect(first.statusCode).toBe(200);
  expect(first.json()).toMatchObject({ sct_version: 0, extensions: '', timestamp: fixedClock.now().getTime() });
  expect(bytes(first.json().id)).toEqual(
    new Uint8Array(createHash('sha256').update(running.authority.trust.ctPublicKey).digest()),
  );
  const { tree_size } = (await running.get('/ct/v1/get-sth')).json();
  expect((await running.post('/ct/v1/add-pre-chain', { chain })).json()).toEqual(first.json());
  expect((await running.get('/ct/v1/get-sth')).json().tree_size).toBe(tree_size);
});

test('a chain may leave its root out, and a final certificate goes to add-chain', async () => {
  const [leaf, intermediate] = (await finalChain(other)) as [string, string];
  const answer = await running.post('/ct/v1/add-chain', { chain: [leaf, intermediate] });
  expect(answer.statusCode).toBe(200);
  const size = (await running.get('/ct/v1/get-sth')).json().tree_size;
  const { leaf_input, audit_path } = (
    await running.get(`/ct/v1/get-entry-and-proof?leaf_index=${size - 1}&tree_size=${size}`)
  ).json();
  const input = Buffer.from(leaf_input, 'base64');
  expect(input.readUInt16BE(10)).toBe(0);
  expect(input.subarray(15, -2).equals(Buffer.from(leaf, 'base64'))).toBe(true);
  const root = bytes((await running.get('/ct/v1/get-sth')).json().sha256_root_hash);
  const claim = {
    index: size - 1,
    size,
    leafHash: hashLeaf(new Uint8Array(input)),
    proof: audit_path.map(bytes),
    root,
  };
  expect(verifyInclusion(claim)).toBe(true);
  const hash = encodeURIComponent(base64(claim.leafHash));
  const byHash = (await running.get(`/ct/v1/get-proof-by-hash?hash=${hash}&tree_size=${size}`)).json();
  expect(byHash).toEqual({ leaf_index: size - 1, audit_path });
  // What the timestamp signs is the leaf, as RFC 6962 §3.2 happens to have it.
  const key = createPublicKey({ key: Buffer.from(running.authority.trust.ctPublicKey), format: 'der', type: 'spki' });
  expect(verify('sha256', input, key, Buffer.from(answer.json().signature, 'base64').subarray(4))).toBe(true);
});

test('the tree head is signed over time, size and root', async () => {
  const { tree_size, timestamp, sha256_root_hash, tree_head_signature } = (await running.get('/ct/v1/get-sth')).json();
  const signed = Buffer.alloc(18);
  signed.writeUInt16BE(1);
  signed.writeBigUInt64BE(BigInt(timestamp), 2);
  signed.writeBigUInt64BE(BigInt(tree_size), 10);
  const key = createPublicKey({ key: Buffer.from(running.authority.trust.ctPublicKey), format: 'der', type: 'spki' });
  const signature = Buffer.from(tree_head_signature, 'base64');
  expect(signature.subarray(0, 2).toString('hex')).toBe('0403');
  expect(verify('sha256', Buffer.concat([signed, bytes(sha256_root_hash)]), key, signature.subarray(4))).toBe(true);
});

test('every two tree heads are consistent', async () => {
  const head = async () => (await running.get('/ct/v1/get-sth')).json();
  const heads = [await head()];
  for (let i = 0; i < 4; i += 1) {
    await running.certify(signer);
    heads.push(await head());
  }
  for (const [i, a] of heads.entries()) {
    for (const b of heads.slice(i)) {
      const { consistency } = (
        await running.get(`/ct/v1/get-sth-consistency?first=${a.tree_size}&second=${b.tree_size}`)
      ).json();
      const claim = {
        first: a.tree_size,
        second: b.tree_size,
        firstRoot: bytes(a.sha256_root_hash),
        secondRoot: bytes(b.sha256_root_hash),
      };
      expect(verifyConsistency({ ...claim, proof: consistency.map(bytes) })).toBe(true);
    }
  }
});

test('an old tree head is signed anew where nothing was added', async () => {
  let now = 1_000_000;
  const key = { spki: new Uint8Array(91), signDer: () => Uint8Array.of(1) };
  const log = new CertificateLog({ db: stranger.db, key: key as never, clock: { now: () => new Date(now) } });
  const first = await log.treeHead();
  now += 3_599_999;
  expect((await log.treeHead()).timestamp).toBe(first.timestamp);
  now += 1;
  expect((await log.treeHead()).timestamp).toBe(now);
});

test('the roots are ours and those that were configured', async () => {
  const { certificates } = (await running.get('/ct/v1/get-roots')).json();
  expect(certificates).toEqual([running, other].map(({ authority }) => base64(authority.ca.certificates.root.der)));
  expect(certificates.every((der: string) => new X509Certificate(bytes(der)).ca)).toBe(true);
});

test('chains that do not hold are refused', async () => {
  const precert = await precertChain(other);
  const final = await finalChain(other);
  const foreign = await precertChain(stranger);
  const cases: Array<[string, string, unknown, string]> = [
    ['an unknown root', 'add-pre-chain', foreign, 'authority.chain_untrusted'],
    ['a self-made top', 'add-pre-chain', foreign.slice(0, 1), 'authority.chain_untrusted'],
    // From the root down: nothing is verified with a key for which no accepted root vouches.
    ['a foreign leaf under an unknown root', 'add-pre-chain', [precert[0], foreign[1]], 'authority.chain_untrusted'],
    ['a missing intermediate', 'add-pre-chain', [precert[0], precert[2]], 'authority.chain_invalid'],
    [
      'a foreign leaf under an accepted chain',
      'add-pre-chain',
      [foreign[0], ...precert.slice(1)],
      'authority.chain_invalid',
    ],
    ['the wrong order', 'add-pre-chain', [precert[0], precert[2], precert[1]], 'authority.chain_invalid'],
    ['a leaf that issues', 'add-chain', [final[0], final[0], ...final.slice(1)], 'authority.chain_invalid'],
    ['a final certificate', 'add-pre-chain', final, 'authority.poison_missing'],
    ['a precertificate', 'add-chain', precert, 'authority.poison_unexpected'],
    ['a chain that is too long', 'add-pre-chain', Array(11).fill(precert[0]), 'authority.chain_invalid'],
    ['nothing', 'add-pre-chain', [], 'authority.chain_invalid'],
    ['no list', 'add-pre-chain', precert[0], 'authority.chain_invalid'],
    ['null', 'add-pre-chain', [null], 'authority.chain_invalid'],
    ['no base64', 'add-pre-chain', ['!'], 'authority.chain_invalid'],
    ['no certificate', 'add-pre-chain', [base64('hello')], 'authority.chain_invalid'],
    ['a damaged signature', 'add-pre-chain', [damaged(precert[0]!), ...precert.slice(1)], 'authority.chain_invalid'],
  ];
  const before = (await running.get('/ct/v1/get-sth')).json();
  for (const [what, path, chain, code] of cases) {
    const answer = await running.post(`/ct/v1/${path}`, { chain });
    expect([answer.statusCode, answer.body], what).toEqual([400, expect.stringContaining(`[${code}]`)]);
    expect(answer.headers['content-type']).toContain('text/plain');
  }
  expect((await running.get('/ct/v1/get-sth')).json()).toEqual(before);
});

function damaged(certificate: string): string {
  const der = Buffer.from(certificate, 'base64');
  der[der.length - 1]! ^= 1;
  return der.toString('base64');
}

test.each([
  ['get-entries?start=0&end=100000', 200],
  ['get-entries?start=5&end=4', 400],
  ['get-entries?start=100000&end=100001', 400],
  ['get-entries?start=-1&end=0', 400],
  ['get-entries?start=a&end=b', 400],
  ['get-entries', 400],
  ['get-sth-consistency?first=2&second=1', 400],
  ['get-sth-consistency?first=0&second=100000', 400],
  ['get-proof-by-hash?hash=AA==&tree_size=1', 400],
  [`get-proof-by-hash?hash=${encodeURIComponent(base64(new Uint8Array(32)))}&tree_size=1`, 404],
  ['get-entry-and-proof?leaf_index=5&tree_size=5', 400],
  ['get-entry-and-proof?leaf_index=0&tree_size=0', 400],
])('GET %s answers %i', async (path, status) => {
  await running.certify(signer);
  expect((await running.get(`/ct/v1/${path}`)).statusCode).toBe(status);
});

test('the log may be mounted under a prefix', async () => {
  const { default: Fastify } = await import('fastify');
  const app = Fastify();
  running.authority.register(app, { ctPrefix: '/logs' });
  expect((await app.inject('/logs/ct/v1/get-roots')).statusCode).toBe(200);
  await app.close();
});
