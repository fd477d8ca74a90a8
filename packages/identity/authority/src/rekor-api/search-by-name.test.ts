import { formatPem, parsePem } from '@colophon/encoding';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { madeUpCertificate } from '../../test/made-up-certificate.ts';
import { type RunningAuthority, runAuthority } from '../../test/running-authority.ts';
import { dsseOf, envelopeOf, hashedRekordOf, makeSigner, STATEMENT, sha256Hex } from '../../test/signer.ts';
import { readCertificate } from '../certificate/certificate.ts';

const NAME = 'agent:code-writer';

let running: RunningAuthority;
beforeEach(async () => {
  running = await runAuthority();
  onTestFinished(() => running.remove());
});

const pemOf = (der: Uint8Array) => formatPem('CERTIFICATE', der);
const find = async (query: object, page = '') =>
  (await running.post(`/api/v1/index/retrieve${page}`, query)).json() as string[];
async function log(entry: object): Promise<string> {
  const created = await running.post('/api/v1/log/entries', entry);
  expect(created.statusCode).toBe(201);
  return Object.keys(created.json())[0]!;
}

test('an entry of a self-made certificate is found by its digest and not by the name that it gives itself', async () => {
  const [agent, stranger] = [makeSigner(), makeSigner()];
  const [certificate] = await running.certify(agent);
  const good = await log(hashedRekordOf(agent, 'artifact', certificate));
  const junk = await log(hashedRekordOf(stranger, 'artifact', pemOf(madeUpCertificate(NAME, stranger))));
  const mail = await log(
    hashedRekordOf(stranger, 'b', pemOf(madeUpCertificate('reviewer:alice@example.com', stranger))),
  );
  expect(await find({ hash: sha256Hex('artifact') })).toEqual([good, junk]);
  expect(await find({ hash: sha256Hex('b') })).toEqual([mail]);
  expect(await find({ subject: NAME })).toEqual([good]);
  expect(await find({ email: NAME })).toEqual([good]);
  expect(await find({ email: 'alice@example.com' })).toEqual([]);
  expect(await find({ subject: NAME, hash: sha256Hex('artifact'), operator: 'and' })).toEqual([good]);
});

test('a certificate that an agent issued with its own is nobody’s', async () => {
  const [agent, stranger] = [makeSigner(), makeSigner()];
  const [certificate = ''] = await running.certify(agent);
  const issuer = readCertificate(parsePem(certificate)![0]!.der).subject;
  const forged = pemOf(madeUpCertificate(NAME, stranger, { by: agent, issuer }));
  const answer = await running.post('/api/v1/log/entries', hashedRekordOf(stranger, 'a', forged + certificate));
  expect([201, 400]).toContain(answer.statusCode);
  expect(await find({ subject: NAME })).toEqual([]);
});

test('a chain under a name that the authority has, with another key, is nobody’s', async () => {
  const [stranger, holder] = [makeSigner(), makeSigner()];
  const { subject } = running.authority.ca.certificates.intermediate;
  const forged = pemOf(madeUpCertificate(NAME, holder, { by: stranger, issuer: subject }));
  const fakeCa = pemOf(madeUpCertificate('x:y', stranger, { issuer: subject, subject, isCa: true }));
  await log(hashedRekordOf(holder, 'a', forged));
  await log(hashedRekordOf(holder, 'b', forged + fakeCa));
  expect(await find({ subject: NAME })).toEqual([]);
});

test('a digest that a statement calls after an agent is no name', async () => {
  const anybody = makeSigner();
  const statement = { ...STATEMENT, subject: [{ name: 'x', digest: { agent: 'code-writer', 'name:agent': NAME } }] };
  await log(dsseOf([anybody], JSON.stringify(envelopeOf([anybody], statement))));
  expect(await find({ subject: NAME })).toEqual([]);
});

test('a certificate under a configured root of others is found by its name, with the chain that it came with', async () => {
  const [root, holder] = [makeSigner(), makeSigner()];
  const { subject } = running.authority.ca.certificates.root;
  const rootDer = madeUpCertificate('x:root', root, { issuer: subject, subject, isCa: true });
  const leaf = pemOf(madeUpCertificate(NAME, holder, { by: root, issuer: subject }));
  const uuid = await log(hashedRekordOf(holder, 'a', leaf));
  const whole = await log(hashedRekordOf(holder, 'b', leaf + pemOf(rootDer)));
  expect(await find({ subject: NAME })).toEqual([]);
  // The root is configured later: what was logged before is found too.
  running = await running.restart({ ctExtraRoots: [rootDer] });
  expect(await find({ subject: NAME })).toEqual([uuid, whole]);
  running = await running.restart({ ctExtraRoots: [] });
  expect(await find({ subject: NAME })).toEqual([]);
});

test('in a data folder whose index has every name that was made up, names are looked at again', async () => {
  const [agent, stranger] = [makeSigner(), makeSigner()];
  const [certificate] = await running.certify(agent);
  const good = await log(hashedRekordOf(agent, 'artifact', certificate));
  await log(hashedRekordOf(stranger, 'artifact', pemOf(madeUpCertificate(NAME, stranger))));
  // As it would be for other authorities.
  running.db.sqlite.exec(`
    DELETE FROM log_name_index;
    DELETE FROM log_entry_key WHERE key LIKE 'NAME:%';
    INSERT INTO log_entry_key VALUES ('${NAME}', 0), ('${NAME}', 1);
  `);
  running = await running.restart();
  expect(await find({ subject: NAME })).toEqual([good]);
});

test.each(['dsse', 'intoto'])('a signer of a %s entry is found by the certified name', async (kind) => {
  const agent = makeSigner();
  const [certificate = ''] = await running.certify(agent);
  const envelope = JSON.stringify(envelopeOf([agent]));
  const publicKey = Buffer.from(certificate).toString('base64');
  const uuid = await log(
    kind === 'dsse'
      ? dsseOf([{ ...agent, pem: certificate }], envelope)
      : { apiVersion: '0.0.1', kind, spec: { content: { envelope }, publicKey } },
  );
  expect(await find({ subject: NAME })).toEqual([uuid]);
});

test('a search is answered in pages, each with the address of the next', async () => {
  const signer = makeSigner();
  const uuids: string[] = [];
  for (let i = 0; i < 3; i += 1) uuids.push(await log(hashedRekordOf(signer, `artifact ${i}`)));
  const row = running.db.sqlite.prepare('INSERT INTO log_entry_key VALUES (?, ?)');
  const hash = 'a'.repeat(64);
  for (let i = 0; i < 3; i += 1) row.run(`sha256:${hash}`, i);
  const page = async (query: string) => {
    const answer = await running.post(`/api/v1/index/retrieve${query}`, { hash });
    return { uuids: answer.json(), link: answer.headers['link'] };
  };
  expect(await page('')).toEqual({ uuids, link: undefined });
  expect(await page('?after=0')).toEqual({ uuids: uuids.slice(1), link: undefined });
  expect(await page('?after=2')).toEqual({ uuids: [], link: undefined });
  for (const after of ['-1', 'x', '', '1&after=2']) {
    expect((await running.post(`/api/v1/index/retrieve?after=${after}`, { hash })).statusCode).toBe(400);
  }
});
