import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { openKeyFile, SigningKey } from '@colophon/keys';
import { parseClaimSources } from '@colophon/records';
import { makeIssuerKey, mintToken, SIX_FIELDS, startModelProvider } from '@colophon/testkit';
import { Witness } from '@colophon/witness';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Configuration, githubCaller, jobClaims, type RunningIssuer, runIssuer } from './running-issuer.ts';
import { json, runServer } from './running-server.ts';

const PROMPT = 'Fix the bug in the parser.';
const RUN = { ...SIX_FIELDS, prompt_hash: `sha256:${createHash('sha256').update(PROMPT).digest('hex')}` };
const random = { bytes: (length: number) => randomBytes(length), uuid: () => randomUUID() };

type Key = { readonly signer: SigningKey; readonly pem: string };
function newKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { signer: new SigningKey(privateKey), pem: String(publicKey.export({ type: 'spki', format: 'pem' })) };
}

/** A receipt of a run in which the model of {@link RUN} answered the prompt; with the address of the model's server. */
async function observe(
  key: SigningKey,
  opening: { readonly issuer: string; readonly caller?: string },
  place: 'isolated' | 'same-host' = 'isolated',
) {
  const provider = await startModelProvider(onTestFinished, [{ model: RUN.model_id }]);
  const upstream = { slot: 'anthropic', name: 'anthropic', base: new URL(provider.url) };
  const witness = new Witness({ key, place, upstreams: [upstream], random });
  const proxy = witness.createProxyServer();
  await new Promise<void>((resolve) => proxy.listen({ host: '127.0.0.1', port: 0 }, resolve));
  onTestFinished(() => void proxy.close());
  const opened = witness.open({
    agentName: RUN.agent_name,
    agentVersion: RUN.agent_version,
    promptHash: RUN.prompt_hash,
    policyPackHash: RUN.policy_pack_hash,
    ...opening,
  });
  const { port } = proxy.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/${opened.token}/anthropic/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({ model: RUN.model_id, messages: [{ role: 'user', content: PROMPT }] }),
    headers: { connection: 'close' },
  });
  await answer.text();
  await witness.end(opened, { reason: 'exited', exitCode: 0 });
  return { receipt: await witness.receipt(opened.run), address: provider.url };
}

const entryOf = (name: string, address: string, changes: Configuration = {}): Configuration => ({
  name,
  key: `file:${name}.pub`,
  place: 'isolated',
  callers: ['builder'],
  upstreams: { anthropic: address },
  ...changes,
});

const shownBy = (issuer: RunningIssuer, bearer: string) => async (receipt: object | undefined) => {
  const { status, code, claims } = await issuer.ask({ bearer, body: { ...RUN, ...(receipt && { receipt }) } });
  return status === 200 ? `${parseClaimSources(String(claims!['claim_sources'])).model_id}` : `${status} ${code}`;
};

/** Writes, and waits until the change is in force. */
async function change(issuer: RunningIssuer, changes: Configuration): Promise<void> {
  const seen = issuer.lines().length;
  issuer.write({ ...issuer.configuration, ...changes });
  const taken = () =>
    issuer
      .lines()
      .slice(seen)
      .some(({ msg }) => msg === 'the configuration was changed');
  await expect.poll(taken).toBe(true);
}

async function running(keys: Readonly<Record<string, string>>, configure: (url: string) => Configuration) {
  const issuer = await runIssuer(onTestFinished, configure, (folder) => {
    for (const [name, pem] of Object.entries(keys)) writeFileSync(join(folder, `${name}.pub`), pem);
  });
  return { issuer, show: shownBy(issuer, await issuer.createKey('builder')) };
}

describe('a server with witnesses', () => {
  it('takes a receipt of one for its caller, and the ledger names it', async () => {
    const { signer, pem } = newKey();
    const { issuer, show } = await running({ ci: pem }, () => ({ witnesses: [entryOf('ci', 'http://later')] }));
    const { receipt, address } = await observe(signer, { issuer: issuer.url, caller: 'builder' });
    expect(await show(receipt)).toBe('403 caller.receipt_upstream_unknown');
    await change(issuer, {
      witnesses: [entryOf('ci', address)],
      claims: { sources: { model_id: ['witness-isolated'] } },
    });
    expect(await show(receipt)).toBe('witness-isolated');
    expect(await show(undefined)).toBe('400 issuance.source_not_accepted');
    const rows = issuer.tokens().map(({ authorization }) => JSON.parse(authorization!));
    expect(rows).toMatchObject([{ caller: 'builder', receipt: { witness: 'ci', key_id: signer.kid } }]);
  });

  it('follows the file: what it says of a witness counts from the next request on', async () => {
    const [first, second] = [newKey(), newKey()];
    const { issuer, show } = await running({ ci: first.pem, cd: second.pem }, () => ({}));
    const one = await observe(first.signer, { issuer: issuer.url, caller: 'builder' });
    const other = await observe(second.signer, { issuer: issuer.url, caller: 'builder' });
    const unknown = '403 caller.receipt_witness_unknown';
    expect([await show(one.receipt), await show(other.receipt)]).toEqual([unknown, unknown]);
    await change(issuer, { witnesses: [entryOf('ci', one.address)] });
    expect([await show(one.receipt), await show(other.receipt)]).toEqual(['witness-isolated', unknown]);
    await change(issuer, {
      witnesses: [entryOf('ci', one.address, { place: 'same-host' }), entryOf('cd', other.address)],
    });
    expect([await show(one.receipt), await show(other.receipt)]).toEqual(['witness-same-host', 'witness-isolated']);
    await change(issuer, { witnesses: [entryOf('cd', other.address)] });
    expect([await show(one.receipt), await show(other.receipt)]).toEqual([unknown, 'witness-isolated']);
  });

  it.each<[string, string, string, readonly [Configuration | undefined, Configuration | undefined]]>([
    ['lists it', '403 caller.receipt_witness_unknown', 'witness-isolated', [undefined, {}]],
    ['lists it no more', 'witness-isolated', '403 caller.receipt_witness_unknown', [{}, undefined]],
    ['believes it less', 'witness-isolated', 'witness-same-host', [{}, { place: 'same-host' }]],
    ['believes it more', 'witness-same-host', 'witness-isolated', [{ place: 'same-host' }, {}]],
  ])('a file that %s does not reach a request that began before it', async (_what, began, next, [before, after]) => {
    const { signer, pem } = newKey();
    const jobKey = makeIssuerKey();
    const held: Array<() => void> = [];
    const forge = createServer((_request, response) => {
      held.push(() => response.end(JSON.stringify({ keys: [jobKey.jwk] })));
    });
    await new Promise<void>((resolve) => forge.listen({ host: '127.0.0.1', port: 0 }, resolve));
    onTestFinished(() => void forge.close());
    const forgeUrl = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
    const listed = (changes: Configuration | undefined, address: string) =>
      changes === undefined ? [] : [entryOf('ci', address, { callers: ['actions'], ...changes })];
    const { issuer } = await running({ ci: pem }, (url) => ({
      callers: [
        { name: 'builder', apiKey: true, may: { agents: [] } },
        githubCaller(forgeUrl, url, { oidc: { keys: { url: `${forgeUrl}/jwks` } } }),
      ],
    }));
    const one = await observe(signer, { issuer: issuer.url, caller: 'actions' });
    if (before !== undefined) await change(issuer, { witnesses: listed(before, one.address) });
    const show = () => shownBy(issuer, mintToken(jobKey, jobClaims(issuer.url, { iss: forgeUrl })))(one.receipt);
    const asked = show();
    await expect.poll(() => held.length).toBe(1);
    await change(issuer, { witnesses: listed(after, one.address) });
    held[0]!();
    expect(await asked).toBe(began);
    expect(await show()).toBe(next);
  });

  it('follows the key files: a key that was exchanged counts no more', async () => {
    const [first, second] = [newKey(), newKey()];
    const { issuer, show } = await running({ ci: first.pem }, () => ({}));
    const one = await observe(first.signer, { issuer: issuer.url, caller: 'builder' });
    const keyFile = join(dirname(issuer.file), 'ci.pub');
    await change(issuer, { witnesses: [entryOf('ci', one.address)] });
    expect(await show(one.receipt)).toBe('witness-isolated');
    writeFileSync(keyFile, second.pem);
    expect(await show(one.receipt)).toBe('403 caller.receipt_witness_unknown');
    writeFileSync(keyFile, 'no key');
    expect(await show(one.receipt)).toBe('403 caller.receipt_witness_unknown');
    writeFileSync(keyFile, first.pem);
    expect(await show(one.receipt)).toBe('witness-isolated');
  });

  it('counts a new key with the entry that lies beside it, and not with the one that is still in force', async () => {
    const [first, second] = [newKey(), newKey()];
    const { issuer, show } = await running({ ci: first.pem, cd: first.pem }, () => ({}));
    const one = await observe(first.signer, { issuer: issuer.url, caller: 'builder' });
    const other = await observe(second.signer, { issuer: issuer.url, caller: 'builder' });
    await change(issuer, {
      witnesses: [entryOf('ci', one.address, { upstreams: { anthropic: one.address, other: other.address } })],
    });
    expect(await show(one.receipt)).toBe('witness-isolated');
    // A file that is refused keeps the one before in force for as long as the test needs.
    const seen = issuer.lines().length;
    issuer.write('witnesses: [');
    await expect.poll(() => issuer.lines().length).toBeGreaterThan(seen);
    expect(await show(one.receipt)).toBe('witness-isolated');
    const keyFile = join(dirname(issuer.file), 'ci.pub');
    writeFileSync(keyFile, second.pem);
    const unknown = '403 caller.receipt_witness_unknown';
    expect([await show(one.receipt), await show(other.receipt)]).toEqual([unknown, unknown]);
    await change(issuer, { witnesses: [entryOf('ci', other.address, { place: 'same-host' })] });
    expect([await show(one.receipt), await show(other.receipt)]).toEqual([unknown, 'witness-same-host']);
  });

  it.each([
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path])],
    ['a device', (path: string) => symlinkSync('/dev/zero', path)],
    ['a folder', (path: string) => mkdirSync(path)],
    [
      'a huge file',
      (path: string) => {
        writeFileSync(path, '');
        truncateSync(path, 2 ** 33);
      },
    ],
  ])('goes on with what it had read where a key file has become %s', async (_what, become) => {
    const { signer, pem } = newKey();
    const { issuer, show } = await running({ ci: pem }, () => ({}));
    const { receipt, address } = await observe(signer, { issuer: issuer.url, caller: 'builder' });
    await change(issuer, { witnesses: [entryOf('ci', address)] });
    expect(await show(receipt)).toBe('witness-isolated');
    const keyFile = join(dirname(issuer.file), 'ci.pub');
    rmSync(keyFile);
    become(keyFile);
    expect(await show(receipt)).toBe('witness-isolated');
    // With another state of the configuration it has no key.
    await change(issuer, { witnesses: [entryOf('ci', address, { place: 'same-host' })] });
    expect(await show(receipt)).toBe('403 caller.receipt_witness_unknown');
    expect(issuer.lines().filter(({ code }) => code === 'server.witness_unusable')).toHaveLength(1);
  });

  it('takes no receipt of anybody once a key cannot be read, says so once, and goes on without', async () => {
    const [first, second] = [newKey(), newKey()];
    const { issuer, show } = await running({ ci: first.pem }, () => ({ witnesses: [entryOf('ci', 'http://later')] }));
    const { receipt, address } = await observe(first.signer, { issuer: issuer.url, caller: 'builder' });
    const both = { witnesses: [entryOf('ci', address), entryOf('cd', address)] };
    await change(issuer, both);
    expect(await show(receipt)).toBe('403 caller.receipt_witness_unknown');
    expect(await show(receipt)).toBe('403 caller.receipt_witness_unknown');
    expect(await show(undefined)).toBe('declared');
    expect(issuer.lines().filter(({ code }) => code === 'server.witness_unusable')).toHaveLength(1);
    writeFileSync(join(dirname(issuer.file), 'cd.pub'), second.pem);
    // A key is read with the configuration that names it.
    await change(issuer, { ...both, models: [{ id: 'x', provider: 'y' }] });
    expect(await show(receipt)).toBe('witness-isolated');
    // What was read stays, whatever becomes of the file.
    rmSync(join(dirname(issuer.file), 'ci.pub'));
    expect(await show(receipt)).toBe('witness-isolated');
  });

  it.each<[string, (pem: string) => Readonly<Record<string, string>>]>([
    ['is missing', (pem) => ({ ci: pem })],
    ['is the one of another witness', (pem) => ({ ci: pem, cd: pem })],
    [
      'is a private one',
      (pem) => ({
        ci: pem,
        cd: String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
      }),
    ],
    [
      'is on another curve',
      (pem) => ({
        ci: pem,
        cd: String(
          generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ type: 'spki', format: 'pem' }),
        ),
      }),
    ],
  ])('does not start where a key %s', async (_what, keys) => {
    const witnesses = ['ci', 'cd'].map((name) => entryOf(name, 'http://a.example'));
    await expect(running(keys(newKey().pem), () => ({ witnesses }))).rejects.toMatchObject({
      code: 'server.witness_unusable',
    });
  });
});

it('a server of one user takes the receipts of their own witness, as same-host, and keeps them as evidence', async () => {
  const server = await runServer(onTestFinished);
  const own = openKeyFile(join(dirname(server.reviewerSecretFile), 'witness.pem'), 'ES256');
  const keep = (receipt: object) =>
    fetch(`${server.url}/receipts`, {
      method: 'POST',
      body: JSON.stringify(receipt),
      headers: { 'content-type': 'application/json' },
    });
  const { receipt } = await observe(own, { issuer: server.url });
  const token = await (await server.mint({ ...RUN, receipt })).text();
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  expect(parseClaimSources(claims.claim_sources)).toMatchObject({
    model_id: 'witness-same-host',
    model_provider: 'witness-same-host',
    prompt_hash: 'witness-same-host',
  });
  const stored = await keep(receipt);
  expect(stored.status).toBe(201);
  const { id } = await json(stored);
  expect(await json(fetch(`${server.url}/receipts/${id}`))).toEqual(receipt);

  const stranger = await observe(newKey().signer, { issuer: server.url });
  const refused = await server.mint({ ...RUN, receipt: stranger.receipt });
  expect([refused.status, await json(refused)]).toMatchObject([403, { code: 'caller.receipt_witness_unknown' }]);
  const unkept = await keep(stranger.receipt);
  expect([unkept.status, await json(unkept)]).toMatchObject([422, { code: 'evidence.receipt_refused' }]);
});
