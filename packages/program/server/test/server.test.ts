import { createHash, createPublicKey, randomBytes, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { formatReviewerProof } from '@colophon/records';
import { loadSigningConfig, loadTrustedRoot, signBlob, verifyBundle } from '@colophon/sigstore';
import { cleanupAt, SIX_FIELDS, temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../src/index.ts';
import { json, quietPort, runServer, type TestServer } from './running-server.ts';

const cleanup = cleanupAt(afterAll);
let server: TestServer;

beforeAll(async () => {
  server = await runServer(cleanup);
});
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const ask = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init);

describe('one origin', () => {
  test('the issuer is localhost, with its port, on every loopback family', () => {
    const { port } = new URL(server.url);
    expect(server.url).toBe(`http://localhost:${port}`);
    expect(server.addresses).toContain(`127.0.0.1:${port}`);
  });

  test('everything that it names in its discovery document is its own', async () => {
    const discovery = await json(ask('/.well-known/openid-configuration'));
    expect(discovery.issuer).toBe(server.url);
    expect(new URL(discovery.jwks_uri).origin).toBe(server.url);
    expect(new URL(discovery.token_endpoint).origin).toBe(server.url);
    const { keys } = await json(fetch(discovery.jwks_uri));
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatchObject({ alg: 'RS256', use: 'sig' });
  });

  test.each([
    ['key set', '/.well-known/jwks.json'],
    ['Fulcio trust bundle', '/api/v2/trustBundle'],
    ['Fulcio root, version 1', '/api/v1/rootCert'],
    ['Fulcio configuration', '/api/v2/configuration'],
    ['certificate log', '/ct/v1/get-sth'],
    ['transparency log', '/api/v1/log'],
    ['log key', '/api/v1/log/publicKey'],
    ['query', '/query?q=runs'],
    ['registry', '/v2/'],
  ])('serves: %s', async (_name, path) => {
    expect((await ask(path)).status).toBe(200);
  });

  test('a signature goes all the way, verifies with the written root, and is evidence', async () => {
    const bundle = await server.sign('hello');
    const trust = loadTrustedRoot(readFileSync(server.paths.trustedRoot));
    const artifact = { sha256: sha256('hello') };
    const { signature } = verifyBundle({ bundle, artifact, trust, policy: 'gated-elsewhere' });
    expect(signature.certificate_identity).toMatchObject({ subject: 'agent:code-writer', issuer: server.url });

    const statement = await server.signReview();
    const headers = { 'content-type': 'application/json' };
    const stored = await ask('/evidence', { method: 'POST', headers, body: Buffer.from(statement) });
    expect(stored.status).toBe(201);
    const answer = await json(ask('/query?q=entries'));
    expect(answer.rows).toHaveLength(1);
  });

  test('a bundle of another installation is no evidence', async () => {
    const other = await runServer(onTestFinished);
    const body = Buffer.from(await other.signReview());
    const refused = await ask('/evidence', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ code: 'evidence.not_verified' });
  });

  test.each(['/', '/nothing', '/oauth', '/.well-known/nothing', '/api/v9/log', '/v20/', '/%00', '/oauth/token/'])(
    'there is nothing at %s, as a problem document',
    async (path) => {
      const answer = await ask(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toMatch('application/problem+json');
      expect(await answer.json()).toMatchObject({ status: 404, code: 'server.not_found' });
    },
  );

  test('the registry answers in its own form', async () => {
    const answer = await ask('/v2/nothing/manifests/latest');
    expect(answer.status).toBe(404);
    expect((await json(answer)).errors[0].code).toBe('MANIFEST_UNKNOWN');
  });
});

describe('the guard', () => {
  const PATHS = ['/.well-known/openid-configuration', '/oauth/token', '/api/v2/signingCert', '/api/v1/log/entries'];
  const MORE = ['/api/v1/log', '/ct/v1/get-sth', '/query?q=runs', '/evidence', '/runs/x', '/v2/', '/nothing'];

  test.each([...PATHS, ...MORE])('stands before %s', async (path) => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: server.url },
      { 'x-forwarded-for': '10.0.0.1' },
      { host: 'rebound.example' },
    ]) {
      for (const method of ['GET', 'POST']) {
        expect(await status(method, path, headers)).toBe(403);
      }
    }
  });

  // fetch sets Host and Origin by itself.
  function status(method: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${server.url}${path}`,
        { method, headers: { ...headers, connection: 'close' } },
        (answer) => {
          resolve(answer.statusCode);
          answer.resume();
        },
      );
      sent.once('error', reject).end();
    });
  }

  test('no header has a say in the addresses that discovery names', async () => {
    const { port } = new URL(server.url);
    const plain = await (await ask('/.well-known/openid-configuration')).text();
    const other = await new Promise<string>((resolve, reject) => {
      request(`${server.url}/.well-known/openid-configuration`, { headers: { host: `127.0.0.1:${port}` } }, (answer) =>
        resolve(text(answer)),
      )
        .once('error', reject)
        .end();
    });
    expect(other).toBe(plain);
  });
});

describe('the data folder', () => {
  test('keys, database and secret are their owner’s alone; what verifiers need is open', () => {
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(mode(server.dataDir)).toBe('700');
    expect(mode(server.paths.keys)).toBe('700');
    for (const key of readdirSync(server.paths.keys))
      expect(`${key} ${mode(join(server.paths.keys, key))}`).toBe(`${key} 600`);
    expect(mode(server.paths.database)).toBe('600');
    expect(mode(`${server.paths.database}-wal`)).toBe('600');
    expect(mode(server.reviewerSecretFile)).toBe('600');
    expect(mode(server.paths.trustedRoot)).toBe('644');
  });

  test('no file but the keys holds a private key', () => {
    const files = readdirSync(server.dataDir, { recursive: true, withFileTypes: true });
    const exposed = files
      .filter((file) => file.isFile() && file.parentPath !== server.paths.keys)
      .map((file) => join(file.parentPath, file.name))
      .filter((path) => readFileSync(path).includes('PRIVATE KEY'));
    expect(exposed).toEqual([]);
  });

  test('the trust files are what cosign, gitsign and our own client read', async () => {
    const { paths, url } = server;
    const trust = loadTrustedRoot(readFileSync(paths.trustedRoot));
    expect(trust.logs.map(({ baseUrl }) => baseUrl)).toEqual([url]);
    expect(loadSigningConfig(readFileSync(paths.signingConfig), new Date())).toMatchObject({
      fulcioUrl: url,
      rekorUrl: url,
      rekorMajorVersion: 1,
    });
    const chain = readFileSync(paths.fulcioChain, 'utf8').match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----\n/g) ?? [];
    const [intermediate, root, ...more] = chain.map((pem) => new X509Certificate(pem));
    expect(more).toEqual([]);
    expect(intermediate!.checkIssued(root!) && root!.checkIssued(root!)).toBe(true);
    expect(await (await ask('/api/v1/rootCert')).text()).toContain(chain[1]!.trim());
    const spki = (path: string) => createPublicKey(readFileSync(path)).export({ type: 'spki', format: 'der' });
    const logKey = createPublicKey(await (await ask('/api/v1/log/publicKey')).text());
    expect(spki(paths.rekorPublicKey)).toEqual(logKey.export({ type: 'spki', format: 'der' }));
    const keys = [paths.rekorPublicKey, paths.ctPublicKey, paths.ledgerPublicKey].map((path) =>
      spki(path).toString('hex'),
    );
    expect(new Set(keys).size).toBe(3);
  });

  test('a second server on the folder is refused while the first runs', async () => {
    const { dataDir, reviewerSecretFile } = server;
    for (const port of [undefined, 0]) {
      const options = { dataDir, reviewerSecretFile, ...(port === undefined ? {} : { port }) };
      await expect(startServer(options)).rejects.toMatchObject({ code: 'server.data_folder_in_use' });
    }
    expect((await ask('/.well-known/jwks.json')).status).toBe(200);
  });

  test('a port that is taken leaves no trace in a new folder', async () => {
    const folder = temporaryFolder(onTestFinished);
    const dataDir = join(folder, 'data');
    const port = Number(new URL(server.url).port);
    const started = startServer({ dataDir, reviewerSecretFile: join(folder, 'secret'), port });
    await expect(started).rejects.toMatchObject({ code: 'server.port_in_use' });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a torn installation file is said, nothing is made anew, and the port is let go', async () => {
    const folder = temporaryFolder(onTestFinished);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'installation.json'), '{"issuer_url": "http://local');
    const started = startServer({ dataDir, reviewerSecretFile: join(folder, 'secret'), port: 0 });
    await expect(started).rejects.toMatchObject({ code: 'server.data_folder_damaged' });
    expect(readdirSync(dataDir)).toEqual(['installation.json']);
  });

  test('a folder that cannot be made is said', async () => {
    const folder = temporaryFolder(onTestFinished);
    writeFileSync(join(folder, 'data'), '');
    const started = startServer({ dataDir: join(folder, 'data'), reviewerSecretFile: join(folder, 'secret'), port: 0 });
    await expect(started).rejects.toMatchObject({ code: 'server.data_folder_unusable' });
  });

  test('a start that fails half way lets go of folder and port', async () => {
    const folder = temporaryFolder(onTestFinished);
    const dataDir = join(folder, 'data');
    const port = await quietPort();
    const options = { dataDir, reviewerSecretFile: join(folder, 'secret'), port };
    mkdirSync(join(dataDir, 'keys'), { recursive: true });
    writeFileSync(join(dataDir, 'keys', 'issuer-rs256.pem'), 'no key', { mode: 0o600 });
    await expect(startServer(options)).rejects.toMatchObject({ code: 'key.malformed' });
    writeFileSync(join(dataDir, 'keys', 'issuer-rs256.pem'), '');
    await expect(startServer(options)).rejects.toMatchObject({ code: 'key.malformed' });
    const free = createServer().listen({ host: '127.0.0.1', port });
    onTestFinished(() => void free.close());
    await new Promise((resolve, reject) => free.once('listening', resolve).once('error', reject));
  });
});

describe('the next start', () => {
  test('goes on with issuer, keys, roots, ledger, logs, images and evidence', async () => {
    const port = await quietPort();
    const first = await runServer(onTestFinished, { port });
    await first.sign('before');
    const statement = await first.signReview();
    const body = Buffer.from(statement);
    await fetch(`${first.url}/evidence`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await push(first.url, 'layer');
    const before = await state(first);
    const secret = readFileSync(first.reviewerSecretFile, 'utf8');
    await first.close();

    const { dataDir, reviewerSecretFile } = first;
    const { close, url } = await startServer({ dataDir, reviewerSecretFile });
    onTestFinished(close);
    expect(url).toBe(first.url);
    expect(await state(first)).toEqual(before);
    expect(readFileSync(reviewerSecretFile, 'utf8')).toBe(secret);
    expect(await (await fetch(`${url}/v2/app/blobs/sha256:${sha256('layer')}`)).text()).toBe('layer');

    const trust = loadTrustedRoot(readFileSync(first.paths.trustedRoot));
    verifyBundle({ bundle: statement, trust, policy: 'gated-elsewhere' });
    await first.sign('after');
    const log = await json(fetch(`${url}/api/v1/log`));
    expect(log.treeSize).toBe(before.log.treeSize + 1);
  });

  async function state({ url, paths }: TestServer) {
    const get = (path: string) => json(fetch(`${url}${path}`));
    const { treeSize, rootHash } = await get('/api/v1/log');
    const { tree_size, sha256_root_hash } = await get('/ct/v1/get-sth');
    return {
      keys: await get('/.well-known/jwks.json'),
      log: { treeSize, rootHash },
      ct: { tree_size, sha256_root_hash },
      evidence: (await get('/query?q=entries')).rows,
      trust: readFileSync(paths.trustedRoot, 'utf8'),
      signingConfig: readFileSync(paths.signingConfig, 'utf8'),
      ledgerKey: readFileSync(paths.ledgerPublicKey, 'utf8'),
    };
  }

  test('at another address or with another algorithm is refused, and changes nothing', async () => {
    const first = await runServer(onTestFinished, { tokenAlgorithm: 'ES256' });
    await first.close();
    const { dataDir, reviewerSecretFile, paths } = first;
    const written = readFileSync(paths.trustedRoot, 'utf8');
    const start = (more: object) => startServer({ dataDir, reviewerSecretFile, ...more });
    await expect(start({ port: await quietPort() })).rejects.toMatchObject({ code: 'server.issuer_changed' });
    await expect(start({ tokenAlgorithm: 'RS256' })).rejects.toMatchObject({ code: 'server.algorithm_changed' });
    expect(readFileSync(paths.trustedRoot, 'utf8')).toBe(written);
    expect(existsSync(join(paths.keys, 'issuer-rs256.pem'))).toBe(false);
  });

  test('with a key that others may read is refused', async () => {
    const first = await runServer(onTestFinished);
    await first.close();
    const { dataDir, reviewerSecretFile, paths } = first;
    const pem = readFileSync(join(paths.keys, 'ledger.pem'));
    chmodSync(join(paths.keys, 'ledger.pem'), 0o644);
    await expect(startServer({ dataDir, reviewerSecretFile })).rejects.toMatchObject({ code: 'key.exposed' });
    expect(readFileSync(join(paths.keys, 'ledger.pem'))).toEqual(pem);
  });
});

describe('reviewers', () => {
  const review = { purpose: 'review', human_reviewer: 'alice@example.com' };

  test('get a token of their own for the secret, and nobody without', async () => {
    const secret = readFileSync(server.reviewerSecretFile, 'utf8').trim();
    const proof = (issuer: string) =>
      formatReviewerProof({
        secret,
        issuer,
        body: new TextEncoder().encode(JSON.stringify(review)),
        issuedAt: Date.now(),
        nonce: randomBytes(16).toString('hex'),
      });
    const token = await (await server.mint(review, { authorization: proof(server.url) })).text();
    expect(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sub).toBe(
      'reviewer:alice@example.com',
    );
    for (const authorization of [undefined, 'Bearer', `Bearer ${secret}`, proof('http://localhost:1')]) {
      const refused = await server.mint(review, authorization === undefined ? {} : { authorization });
      expect(refused.status).toBe(401);
    }
  });
});

describe('closing', () => {
  test('twice is closing once', async () => {
    const { close } = await runServer(onTestFinished);
    await Promise.all([close(), close()]);
    await close();
  });

  test('answers what is under way before the database is closed', async () => {
    const running = await runServer(onTestFinished);
    const answers = Array.from({ length: 20 }, () =>
      running.mint().then(
        ({ status }) => status,
        () => 'no connection',
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    await running.close();
    const statuses = new Set(await Promise.all(answers));
    for (const status of statuses) expect([200, 503, 'no connection']).toContain(status);
  });
});

test('an authority that takes tokens once refuses the second use', async () => {
  const strict = await runServer(onTestFinished, { singleUseTokens: true });
  const token = await (await strict.mint(SIX_FIELDS)).text();
  const sign = () =>
    signBlob({
      fulcioUrl: strict.url,
      rekorUrl: strict.url,
      identityToken: async () => token,
      artifact: Buffer.from('x'),
      retries: 0,
    });
  await sign();
  await expect(sign()).rejects.toMatchObject({ code: 'signing.ca_refused' });
});

async function push(url: string, content: string): Promise<void> {
  const begun = await fetch(`${url}/v2/app/blobs/uploads/`, { method: 'POST' });
  const location = new URL(begun.headers.get('location')!, url);
  location.searchParams.set('digest', `sha256:${sha256(content)}`);
  expect((await fetch(location, { method: 'PUT', body: content })).status).toBe(201);
}
