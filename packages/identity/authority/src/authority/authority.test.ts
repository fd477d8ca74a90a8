import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashLeaf, verifyInclusion } from '@colophon/merkle';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { certificateRequest as requestOf } from '../../test/certificate-request.ts';
import { type RunningAuthority, runAuthority } from '../../test/running-authority.ts';
import { dsseOf, hashedRekordOf, makeSigner, proofOver } from '../../test/signer.ts';
import { agentClaims, ISSUER, makeIssuerKey, mintToken } from '../../test/token-issuer.ts';
import { verifyLogs } from '../log-verification/log-verification.ts';

const key = makeIssuerKey();
const signer = makeSigner();
const certificateRequest = (token: string, by = signer, proof?: Uint8Array) => requestOf(token, by, proof);

let running: RunningAuthority;
beforeEach(async () => {
  running = await runAuthority({}, key);
});
afterEach(() => running.remove());

test('a token is exchanged once where that is asked for, also by a thousand at once and after a restart', async () => {
  running = await running.restart({ singleUseTokens: true });
  const token = mintToken(key);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => running.post('/api/v2/signingCert', certificateRequest(token))),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  const refused = answers.find(({ statusCode }) => statusCode !== 200)!;
  expect(refused.json().details[0].reason).toBe('authority.token_reused');
  running = await running.restart({ singleUseTokens: true });
  expect((await running.post('/api/v2/signingCert', certificateRequest(token))).statusCode).toBe(400);
  expect((await running.get('/ct/v1/get-sth')).json().tree_size).toBe(1);
});

test('without that a token buys as many certificates as its time allows, as at Fulcio', async () => {
  const token = mintToken(key);
  for (let i = 0; i < 2; i += 1)
    expect((await running.post('/api/v2/signingCert', certificateRequest(token))).statusCode).toBe(200);
});

test('a restart continues the same logs with the same keys and certificates', async () => {
  await running.post('/api/v2/signingCert', certificateRequest(mintToken(key)));
  await running.authority.addLogEntry(hashedRekordOf(signer, 'artifact'));
  const before = {
    trust: running.authority.trust,
    log: (await running.get('/api/v1/log')).json(),
    sth: (await running.get('/ct/v1/get-sth')).json(),
  };
  running = await running.restart();
  expect(running.authority.trust).toEqual(before.trust);
  expect((await running.get('/api/v1/log')).json()).toEqual(before.log);
  expect((await running.get('/ct/v1/get-sth')).json()).toEqual(before.sth);
  const { logIndex, verification } = await running.authority.addLogEntry(hashedRekordOf(signer, 'another'));
  expect([logIndex, verification.inclusionProof.treeSize]).toEqual([1, 2]);
  expect(verifyLogs(running.db, running.authority.trust).flatMap(({ problems }) => problems)).toEqual([]);
});

test('what is added in one turn is under one signed head, and each answer proves its own entry in it', async () => {
  const { authority, db } = running;
  const proof = { publicKey: Buffer.from(signer.pem), proofOfPossession: proofOver(signer, 'agent:code-writer') };
  const [entries] = await Promise.all([
    Promise.all(Array.from({ length: 5 }, (_, i) => authority.addLogEntry(hashedRekordOf(signer, `artifact ${i}`)))),
    ...Array.from({ length: 3 }, () => authority.issueCertificate(mintToken(key), proof)),
  ]);
  expect(new Set(entries.map(({ verification }) => verification.inclusionProof.checkpoint)).size).toBe(1);
  for (const { logIndex, body, verification } of entries) {
    const { treeSize, rootHash, hashes } = verification.inclusionProof;
    const claim = {
      index: logIndex,
      size: treeSize,
      root: Buffer.from(rootHash, 'hex'),
      leafHash: hashLeaf(Buffer.from(body, 'base64')),
      proof: hashes.map((hash) => Buffer.from(hash, 'hex')),
    };
    expect([treeSize, verifyInclusion(claim)]).toEqual([5, true]);
  }
  expect(verifyLogs(db, authority.trust)).toMatchObject([
    { entry_count: 5, head_count: 1, problems: [] },
    { entry_count: 3, problems: [] },
  ]);
});

test('an entry that is there already spoils nothing for the others of its turn', async () => {
  const { authority } = running;
  const [one, two] = [hashedRekordOf(signer, 'one'), hashedRekordOf(signer, 'two')];
  const outcomes = await Promise.allSettled([one, one, two].map((proposed) => authority.addLogEntry(proposed)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'authority.entry_exists' } });
  expect(authority.transparencyLog.size()).toBe(2);
});

test('keys are readable by their owner alone', () => {
  for (const name of ['ca-root', 'ca-intermediate', 'certificate-log', 'transparency-log']) {
    expect(statSync(join(running.dataDir, 'keys', `${name}.pem`)).mode & 0o777, name).toBe(0o600);
  }
});

test('a certificate that is not for the key beside it is refused at the start', async () => {
  const file = join(running.dataDir, 'ca', 'root.crt');
  const root = readFileSync(file, 'utf8');
  for (const other of [readFileSync(join(running.dataDir, 'ca', 'intermediate.crt'), 'utf8'), 'x']) {
    writeFileSync(file, other);
    await expect(runAuthority({}, key, running.dataDir)).rejects.toMatchObject({
      code: 'authority.ca_certificate_mismatch',
    });
  }
  writeFileSync(file, root);
  running = await running.restart();
});

test('a database that can be written no more is 503 in every API’s shape, and certificates are not given out', async () => {
  running.db.sqlite.exec('PRAGMA query_only = ON');
  const fulcio = await running.post('/api/v2/signingCert', certificateRequest(mintToken(key)));
  expect([fulcio.statusCode, fulcio.json().code]).toEqual([503, 14]);
  const rekor = await running.post('/api/v1/log/entries', dsseOf([signer]));
  expect([rekor.statusCode, rekor.json().code]).toEqual([503, 503]);
  running.db.sqlite.exec('PRAGMA query_only = OFF');
  expect((await running.post('/api/v2/signingCert', certificateRequest(mintToken(key)))).statusCode).toBe(200);
});

test('another trusted issuer buys no certificate under a name of ours', async () => {
  const other = 'https://ci.example';
  running = await running.restart({ trustedIssuers: [ISSUER, other], keySource: { findKey: () => key.jwk } });
  const codeOf = async (claims: Record<string, unknown>) => {
    const token = mintToken(key, { ...agentClaims({ agent_name: undefined, human_reviewer: undefined }), ...claims });
    const proof = proofOver(signer, String(claims['sub']));
    const answer = await running.post('/api/v2/signingCert', certificateRequest(token, signer, proof));
    return answer.statusCode === 200 ? 200 : answer.json().details[0].reason;
  };
  for (const sub of [
    'agent:code-writer',
    'reviewer:alice@example.com',
    'reviews:localhost',
    'evidence:localhost:7080',
  ]) {
    expect(await codeOf({ iss: other, sub }), sub).toBe('authority.token_subject_reserved');
    expect(await codeOf({ iss: ISSUER, sub }), sub).toBe(200);
  }
  expect(await codeOf({ iss: ISSUER, sub: 'evidence:ci.example' })).toBe('authority.token_subject_invalid');
  expect(await codeOf({ iss: other, sub: 'https://ci.example/job' })).toBe(200);
});

test('an address that is none is the caller’s mistake', async () => {
  await expect(runAuthority({ baseUrl: 'nowhere' }, key, running.dataDir)).rejects.toThrow(TypeError);
  await expect(runAuthority({ trustedIssuers: ['nobody'] }, key, running.dataDir)).rejects.toThrow(TypeError);
});
