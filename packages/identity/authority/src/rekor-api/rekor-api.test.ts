import { hashLeaf, verifyConsistency, verifyInclusion } from '@colophon/merkle';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningAuthority, runAuthority } from '../../test/running-authority.ts';
import { base64, hashedRekordOf, makeSigner } from '../../test/signer.ts';
import { agentClaims } from '../../test/token-issuer.ts';

const signer = makeSigner();

let running: RunningAuthority;
const start = async () => {
  running = await runAuthority();
};
const remove = () => running.remove();

describe('on a log without entries', () => {
  beforeAll(start);
  afterAll(remove);

  test.each([
    ['GET', '/api/v1/log/entries?logIndex=0', undefined, 404],
    ['GET', '/api/v1/log/entries?logIndex=-1', undefined, 400],
    ['GET', '/api/v1/log/entries?logIndex=1.5', undefined, 400],
    ['GET', '/api/v1/log/entries?logIndex=99999999999999999999', undefined, 400],
    ['GET', '/api/v1/log/entries?logIndex=1&logIndex=2', undefined, 400],
    ['GET', '/api/v1/log/entries', undefined, 400],
    ['GET', `/api/v1/log/entries/${'0'.repeat(80)}`, undefined, 404],
    ['GET', `/api/v1/log/entries/${'0'.repeat(64)}`, undefined, 404],
    ['GET', '/api/v1/log/entries/xyz', undefined, 400],
    ['GET', '/api/v1/log/proof?lastSize=1', undefined, 400],
    ['GET', '/api/v1/log/proof?firstSize=0&lastSize=0', undefined, 400],
    ['GET', '/api/v1/log/proof', undefined, 400],
    ['GET', '/api/v1/log/publicKey?treeID=7', undefined, 400],
    ['POST', '/api/v1/log/entries/retrieve', { logIndexes: Array(11).fill(0) }, 422],
    ['POST', '/api/v1/log/entries/retrieve', { logIndexes: ['0'] }, 400],
    ['POST', '/api/v1/log/entries/retrieve', { logIndexes: 0 }, 400],
    ['POST', '/api/v1/log/entries/retrieve', { entryUUIDs: ['x'] }, 400],
    ['POST', '/api/v1/log/entries/retrieve', { entryUUIDs: [null] }, 400],
    ['POST', '/api/v1/log/entries/retrieve', { entries: [null] }, 400],
    ['POST', '/api/v1/index/retrieve', { hash: 'x' }, 400],
    ['POST', '/api/v1/index/retrieve', { hash: `sha1:${'a'.repeat(64)}` }, 400],
    ['POST', '/api/v1/index/retrieve', { publicKey: { format: 'pgp', content: 'AA==' } }, 400],
    ['POST', '/api/v1/index/retrieve', { publicKey: { format: 'x509', content: 'AA==' } }, 400],
    ['POST', '/api/v1/index/retrieve', { email: ['x'] }, 400],
    ['POST', '/api/v1/index/retrieve', { operator: 'xor' }, 400],
    ['POST', '/api/v1/log/entries', { kind: 'rpm', apiVersion: '0.0.1', spec: {} }, 400],
  ] as const)('%s %s %j is answered with %i in Rekor’s shape', async (method, url, body, status) => {
    const answer = method === 'GET' ? await running.get(url) : await running.post(url, body);
    expect(answer.statusCode).toBe(status);
    expect(answer.json().code).toBe(status);
  });

  test('ids that are not in the log are left out of an answer, whatever their tree', async () => {
    const answer = await running.post('/api/v1/log/entries/retrieve', {
      entryUUIDs: ['0'.repeat(80), '0'.repeat(64)],
      logIndexes: [9],
    });
    expect([answer.statusCode, answer.json()]).toEqual([200, []]);
  });
});

describe('on a log of its own for each test', () => {
  beforeEach(start);
  afterEach(remove);

  test('an entry is answered with 201 and found by index, id, leaf hash, proposal, digest and key', async () => {
    const proposed = hashedRekordOf(signer, 'artifact');
    const created = await running.post('/api/v1/log/entries', proposed);
    expect(created.statusCode).toBe(201);
    const [uuid] = Object.keys(created.json()) as [string];
    expect(uuid).toMatch(/^[0-9a-f]{80}$/);
    expect(created.headers['etag']).toBe(uuid);
    expect(created.headers['location']).toBe(`/api/v1/log/entries/${uuid}`);
    const expected = { body: created.json()[uuid].body, logIndex: 0 };
    for (const url of [
      '/api/v1/log/entries?logIndex=0',
      `/api/v1/log/entries/${uuid}`,
      `/api/v1/log/entries/${uuid.slice(16).toUpperCase()}`,
    ]) {
      expect((await running.get(url)).json()[uuid], url).toMatchObject(expected);
    }
    for (const query of [{ entryUUIDs: [uuid] }, { logIndexes: [0] }, { entries: [proposed] }]) {
      expect((await running.post('/api/v1/log/entries/retrieve', query)).json()[0][uuid]).toMatchObject(expected);
    }
    const digest = (proposed['spec'] as { data: { hash: { value: string } } }).data.hash.value;
    for (const query of [
      { hash: digest },
      { hash: `sha256:${digest.toUpperCase()}` },
      { publicKey: { format: 'x509', content: base64(signer.pem) } },
    ]) {
      expect((await running.post('/api/v1/index/retrieve', query)).json()).toEqual([uuid]);
    }
  });

  test('the same entry again is a conflict that says where it is', async () => {
    const proposed = hashedRekordOf(signer, 'artifact');
    const created = await running.post('/api/v1/log/entries', proposed);
    const again = await running.post('/api/v1/log/entries', proposed);
    expect(again.statusCode).toBe(409);
    expect(again.headers['location']).toBe(created.headers['location']);
    expect(again.json().code).toBe(409);
    expect((await running.get('/api/v1/log')).json().treeSize).toBe(1);
  });

  test('the same entry many times at once is logged once', async () => {
    const proposed = hashedRekordOf(signer, 'artifact');
    const answers = await Promise.all(Array.from({ length: 20 }, () => running.post('/api/v1/log/entries', proposed)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array(19).fill(409)]);
    expect((await running.get('/api/v1/log')).json().treeSize).toBe(1);
  });

  test('an entry that is signed with a certificate is found by its name and by the reviewer’s address', async () => {
    const claims = agentClaims({
      sub: 'reviewer:Me@example.com',
      agent_name: undefined,
      human_reviewer: 'Me@example.com',
    });
    const chainPem = await running.certify(signer, claims);
    const { uuid } = await running.authority.addLogEntry(hashedRekordOf(signer, 'artifact', chainPem[0]));
    for (const query of [
      { subject: 'REVIEWER:me@example.com' },
      { email: 'me@example.com' },
      { email: 'me@example.com', subject: 'nobody' },
    ]) {
      expect((await running.post('/api/v1/index/retrieve', query)).json()).toEqual([uuid]);
    }
    const both = { email: 'me@example.com', subject: 'nobody', operator: 'and' };
    expect((await running.post('/api/v1/index/retrieve', both)).json()).toEqual([]);
    expect((await running.post('/api/v1/index/retrieve', {})).json()).toEqual([]);
  });

  test('an entry may come with the whole chain of its certificate, but not with somebody else’s', async () => {
    const chain = await running.certify(signer);
    await running.authority.addLogEntry(hashedRekordOf(signer, 'artifact', chain.join('')));
    await expect(
      running.authority.addLogEntry(hashedRekordOf(signer, 'b', [chain[0], chain[2]].join(''))),
    ).rejects.toMatchObject({
      code: 'authority.entry_invalid',
    });
  });

  test('every two tree sizes have a consistency proof, and every entry an inclusion proof in every later tree', async () => {
    const roots: Uint8Array[] = [];
    const leaves: Uint8Array[] = [];
    const count = 9;
    for (let i = 0; i < count; i += 1) {
      const entry = await running.authority.addLogEntry(hashedRekordOf(signer, `artifact ${i}`));
      const { inclusionProof } = entry.verification;
      expect(inclusionProof.treeSize).toBe(i + 1);
      roots.push(Buffer.from(inclusionProof.rootHash, 'hex'));
      leaves.push(hashLeaf(Buffer.from(entry.body, 'base64')));
    }
    for (let first = 1; first <= count; first += 1) {
      for (let second = first; second <= count; second += 1) {
        const { hashes, rootHash } = (
          await running.get(`/api/v1/log/proof?firstSize=${first}&lastSize=${second}`)
        ).json();
        const proof = hashes.map((hash: string) => new Uint8Array(Buffer.from(hash, 'hex')));
        expect(rootHash).toBe(Buffer.from(roots[second - 1]!).toString('hex'));
        expect(
          verifyConsistency({
            first,
            second,
            firstRoot: new Uint8Array(roots[first - 1]!),
            secondRoot: new Uint8Array(roots[second - 1]!),
            proof,
          }),
        ).toBe(true);
      }
    }
    const read = (await running.get('/api/v1/log/entries?logIndex=3')).json();
    const { inclusionProof } = Object.values(
      read as Record<string, { verification: { inclusionProof: { hashes: string[]; treeSize: number } } }>,
    )[0]!.verification;
    expect(inclusionProof.treeSize).toBe(count);
    const proof = inclusionProof.hashes.map((hash) => new Uint8Array(Buffer.from(hash, 'hex')));
    expect(
      verifyInclusion({ index: 3, size: count, leafHash: leaves[3]!, proof, root: new Uint8Array(roots.at(-1)!) }),
    ).toBe(true);
  });
});
