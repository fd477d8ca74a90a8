import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { checkRetention, openTarget } from '@colophon/publishing';
import { freePort } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FULL_REQUEST, type Installation, startColophon } from './colophon-up.ts';
import { isMissing, run } from './programs.ts';
import { newFolder, newKey, startPublisher, writeSbom } from './publishers.ts';

const WELL_KNOWN = '.well-known/sbom';
/** SHA-256 of nothing: what a request without body is signed over. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
/** curl signs by itself, so what the store has is looked at by a client that is not ours. */
const SIGNED = [
  '--aws-sigv4',
  'aws:amz:us-east-1:s3',
  '--user',
  'key-id:key-secret',
  '-H',
  `x-amz-content-sha256: ${EMPTY}`,
];

let up: Installation;
let context: string[];
beforeAll(async () => {
  up = await startColophon();
  writeFileSync(join(up.folder, 'context.json'), JSON.stringify(FULL_REQUEST));
  context = ['--context', join(up.folder, 'context.json')];
});
afterAll(() => up?.stop());

describe.skipIf(isMissing('versitygw', 'curl'))('an S3-compatible store', () => {
  let store: { url: string; child: ChildProcess; root: string };
  let env: Record<string, string>;
  let verified: string[];
  const newBucket = async (name: string, ...headers: string[]) => {
    const more = headers.flatMap((header) => ['-H', header]);
    const made = await run('curl', ['-sf', ...SIGNED, ...more, '-X', 'PUT', `${store.url}/${name}`]);
    expect(made.code, made.stdout).toBe(0);
  };

  beforeAll(async () => {
    const root = join(up.folder, 's3');
    for (const name of ['objects', 'metadata', 'versions']) mkdirSync(join(root, name), { recursive: true });
    const port = await freePort();
    const args = ['--access', 'key-id', '--secret', 'key-secret', '--port', `127.0.0.1:${port}`, '--quiet'];
    const posix = ['posix', '--sidecar', join(root, 'metadata'), '--versioning-dir', join(root, 'versions')];
    const child = await startProgram('versitygw', [...args, ...posix, join(root, 'objects')], port);
    verified = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', up.issuer];
    store = { url: `http://127.0.0.1:${port}`, child, root };
    env = { AWS_ACCESS_KEY_ID: 'key-id', AWS_SECRET_ACCESS_KEY: 'key-secret', AWS_ENDPOINT_URL_S3: store.url };
  });
  afterAll(() => void store?.child.kill('SIGTERM'));

  test('publish, check, fetch, retention: all with signed requests', async () => {
    await newBucket('releases');
    const place = 's3://releases/acme';
    const file = writeSbom(up, 'shop', '1.0.0+build.7');
    const colophon = async (...line: string[]) => {
      const { code, stdout, stderr } = await up.colophon(['sbom', ...line, '--output', 'json'], { env });
      expect(code, stdout + stderr).toBe(0);
      return JSON.parse(stdout);
    };
    const published = await colophon('publish', file, '--to', place, ...context);
    // Conditions are kept, a lock there is none.
    expect(published.warnings).toEqual([expect.stringContaining('object lock')]);
    await colophon('publish', file, '--check', '--to', place, ...verified);
    await colophon('publish', writeSbom(up, 'shop', '1.1.0'), '--to', place, ...context);
    const out = join(up.folder, 'from-s3.json');
    expect(await colophon('fetch', 'shop', '--from', place, '--out', out, ...verified)).toMatchObject({
      version: '1.1.0',
    });
    await colophon('fetch', 'shop@1.0.0+build.7', '--from', place, '--out', out, ...verified);
    expect(readFileSync(out)).toEqual(readFileSync(file));
    expect(await colophon('retention', 'check', '--from', place)).toMatchObject({ ok: true, version_count: 2 });

    rmSync(join(store.root, 'objects/releases/acme', WELL_KNOWN, 'shop-1.1.0.cdx.json'));
    const lost = await up.colophon(['sbom', 'retention', 'check', '--from', place], { env });
    expect(lost.code).toBe(12);
    const early = await up.colophon(['sbom', 'unpublish', 'shop@1.1.0', '--from', place], { env });
    expect(early.code).toBe(20);
    const wrong = await up.colophon(['sbom', 'retention', 'check', '--from', place], {
      env: { ...env, AWS_SECRET_ACCESS_KEY: 'x' },
    });
    expect(wrong.code).toBe(4);
    const nowhere = await up.colophon(['sbom', 'publish', file, '--to', 's3://nowhere', ...context], { env });
    expect(nowhere.code).toBe(20);
  });

  test('a bucket with object lock keeps every version for its years, also from its owner', async () => {
    await newBucket('locked', 'x-amz-bucket-object-lock-enabled: true');
    const publisher = startPublisher('s3://locked', newKey(newFolder()).file, { last: 1, env });
    expect(await publisher.ended, publisher.errors()).toBe(0);
    const url = `${store.url}/locked/${WELL_KNOWN}/web-1.0.0.cdx.json`;
    const head = await run('curl', ['-sI', ...SIGNED, url]);
    expect(head.stdout).toMatch(/x-amz-object-lock-mode: COMPLIANCE/i);
    const years = Number(/retain-until-date: (\d{4})/i.exec(head.stdout)?.[1]) - new Date().getUTCFullYear();
    expect(years).toBe(3);
    const version = /x-amz-version-id: (\S+)/i.exec(head.stdout)?.[1];
    const deleted = await run('curl', ['-s', ...SIGNED, '-X', 'DELETE', `${url}?versionId=${version}`]);
    expect(deleted.stdout).toContain('<Code>AccessDenied</Code>');
  });

  test('three publishers at once lose nothing', async () => {
    await newBucket('busy');
    const key = newKey(newFolder());
    const publishers = [0, 100, 200].map((first) =>
      startPublisher('s3://busy', key.file, { first, last: first + 9, env }),
    );
    for (const one of publishers) expect(await one.ended, one.errors()).toBe(0);
    const target = await openTarget('s3://busy', { env });
    expect(await checkRetention(target)).toMatchObject({ version_count: 30, problems: [] });
  });
});

describe.skipIf(isMissing('gofakes3'))('a store that knows no conditional writes', () => {
  test('says so, and a publisher after the other is safe', async () => {
    const port = await freePort();
    const child = await startProgram(
      'gofakes3',
      ['-host', `127.0.0.1:${port}`, '-backend', 'mem', '-initialbucket', 'old', '-quiet'],
      port,
    );
    onTestFinished(() => void child.kill('SIGTERM'));
    // It knows them, so what a client demands is taken out on the way; it looks at no signature.
    const proxy = createServer((incoming, answer) => {
      const { 'if-none-match': _, 'if-match': __, ...headers } = incoming.headers;
      const onward = request(
        { host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers },
        (response) => {
          answer.writeHead(response.statusCode ?? 500, response.headers);
          response.pipe(answer);
        },
      );
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const { port: front } = proxy.address() as { port: number };
    const env = {
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'y',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${front}`,
    };
    const publish = (file: string) => up.colophon(['sbom', 'publish', file, '--to', 's3://old', ...context], { env });
    const file = writeSbom(up, 'old', '1.0.0');
    const first = await publish(file);
    expect(first.code, first.stdout + first.stderr).toBe(0);
    expect(first.stderr).toContain('If-None-Match');
    expect((await publish(file)).code).toBe(0);
    writeFileSync(file, readFileSync(file, 'utf8').replace('application', 'library'));
    expect((await publish(file)).code).toBe(20);
    expect((await checkRetention(await openTarget('s3://old', { env }))).problems).toEqual([]);
  });
});

/** A server program that listens once this answers. */
async function startProgram(name: string, args: string[], port: number): Promise<ChildProcess> {
  const tools = join(import.meta.dirname, '..', '.tools', 'bin', name);
  const child = spawn(existsSync(tools) ? tools : name, args, { stdio: 'ignore' });
  for (let attempt = 0; ; attempt++) {
    const listens = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).once('error', () => resolve(false));
    });
    if (listens) return child;
    if (child.exitCode !== null || attempt > 200) throw new Error(`${name} did not start`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
