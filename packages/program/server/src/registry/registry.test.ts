import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenFile } from './blob-files.ts';
import { MAX_MANIFEST_BYTES } from './manifest.ts';
import { createRegistry, type Registry, type RegistryOptions } from './registry.ts';
import { EMPTY_UPLOAD_IDLE_MS, UPLOAD_IDLE_MS } from './uploads.ts';

const IMAGE = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const sha256 = (bytes: Uint8Array | string) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const ABSENT = sha256('absent');

let folder: string;
let app: FastifyInstance;
let registry: Registry;

async function start(options: Partial<RegistryOptions> = {}) {
  registry = createRegistry({ folder, ...options });
  app = Fastify({ forceCloseConnections: true });
  await registry.register(app);
}
async function stop() {
  await app.close();
  registry.close();
}
const send = (method: InjectOptions['method'] & string, url: string, rest: InjectOptions = {}) =>
  app.inject({ method: method as 'GET', url, ...rest });
const errorCode = (response: { body: string }) => JSON.parse(response.body).errors[0].code;

async function pushBlob(bytes: Buffer, repository = 'demo/app') {
  const response = await send('POST', `/v2/${repository}/blobs/uploads/?digest=${sha256(bytes)}`, { payload: bytes });
  expect(response.statusCode).toBe(201);
  return { mediaType: 'application/octet-stream', digest: sha256(bytes), size: bytes.length };
}
async function pushImage(fields: object = {}, { reference = 'v1', repository = 'demo/app', headers = {} } = {}) {
  const config = await pushBlob(Buffer.from('{}'), repository);
  const bytes = Buffer.from(
    JSON.stringify({ schemaVersion: 2, mediaType: IMAGE, config, layers: [config], ...fields }),
  );
  const response = await send('PUT', `/v2/${repository}/manifests/${reference}`, {
    headers: { 'content-type': IMAGE, ...headers },
    payload: bytes,
  });
  return { bytes, digest: sha256(bytes), response };
}
const beginUpload = async (repository = 'demo/app') =>
  (await send('POST', `/v2/${repository}/blobs/uploads/`)).headers['location'] as string;
const drafts = () => readdirSync(join(folder, 'uploads'));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-'));
  await start();
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('pushing blobs', () => {
  it('takes a blob in one POST, and gives it back whole, by HEAD and by range', async () => {
    const bytes = randomBytes(10_000);
    const { digest } = await pushBlob(bytes);
    const got = await send('GET', `/v2/demo/app/blobs/${digest}`);
    expect(got.statusCode).toBe(200);
    expect(got.rawPayload.equals(bytes)).toBe(true);
    expect(got.headers['docker-content-digest']).toBe(digest);
    const head = await send('HEAD', `/v2/demo/app/blobs/${digest}`);
    expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, '10000', '']);
    const part = await send('GET', `/v2/demo/app/blobs/${digest}`, { headers: { range: 'bytes=10-19' } });
    expect([part.statusCode, part.headers['content-range']]).toEqual([206, 'bytes 10-19/10000']);
    expect(part.rawPayload.equals(bytes.subarray(10, 20))).toBe(true);
    const past = await send('GET', `/v2/demo/app/blobs/${digest}`, { headers: { range: 'bytes=10000-' } });
    expect([past.statusCode, past.headers['content-range']]).toEqual([416, 'bytes */10000']);
  });

  it('takes the empty blob', async () => {
    const { digest } = await pushBlob(Buffer.alloc(0));
    expect((await send('GET', `/v2/demo/app/blobs/${digest}`)).rawPayload.length).toBe(0);
  });

  it('takes chunks in order and tells how far it is', async () => {
    const bytes = randomBytes(300);
    const location = await beginUpload();
    const chunk = (start: number, end: number) => ({
      headers: { 'content-range': `${start}-${end - 1}`, 'content-type': 'application/octet-stream' },
      payload: bytes.subarray(start, end),
    });
    const first = await send('PATCH', location, chunk(0, 100));
    expect([first.statusCode, first.headers['range']]).toEqual([202, '0-99']);
    const skipped = await send('PATCH', location, chunk(200, 300));
    expect([skipped.statusCode, errorCode(skipped)]).toEqual([416, 'BLOB_UPLOAD_INVALID']);
    const status = await send('GET', location);
    expect([status.statusCode, status.headers['range'], status.headers['location']]).toEqual([204, '0-99', location]);
    expect((await send('PATCH', location, chunk(100, 200))).headers['range']).toBe('0-199');
    const end = await send('PUT', `${location}?digest=${sha256(bytes)}`, chunk(200, 300));
    expect([end.statusCode, end.headers['location']]).toEqual([201, `/v2/demo/app/blobs/${sha256(bytes)}`]);
    expect((await send('GET', `/v2/demo/app/blobs/${sha256(bytes)}`)).rawPayload.equals(bytes)).toBe(true);
    expect(errorCode(await send('GET', location))).toBe('BLOB_UPLOAD_UNKNOWN');
    expect(drafts()).toEqual([]);
  });

  it('refuses content whose digest is another, and keeps nothing of it', async () => {
    for (const url of [`/v2/demo/app/blobs/uploads/?digest=${ABSENT}`, `${await beginUpload()}?digest=${ABSENT}`]) {
      const response = await send(url.includes('/?') ? 'POST' : 'PUT', url, { payload: 'something else' });
      expect([response.statusCode, errorCode(response)]).toEqual([400, 'DIGEST_INVALID']);
    }
    expect((await send('HEAD', `/v2/demo/app/blobs/${ABSENT}`)).statusCode).toBe(404);
    expect(drafts()).toEqual([]);
  });

  it('keeps content under SHA-512 too, checked like the other', async () => {
    const bytes = randomBytes(1000);
    const digest = `sha512:${createHash('sha512').update(bytes).digest('hex')}`;
    const location = (await send('POST', '/v2/demo/app/blobs/uploads/?digest-algorithm=sha512')).headers['location'];
    await send('PATCH', location as string, { payload: bytes.subarray(0, 400) });
    const end = await send('PUT', `${location}?digest=${digest}`, { payload: bytes.subarray(400) });
    expect(end.statusCode).toBe(201);
    expect((await send('GET', `/v2/demo/app/blobs/${digest}`)).rawPayload.equals(bytes)).toBe(true);
    const wrong = await send('POST', `/v2/demo/app/blobs/uploads/?digest=${digest}`, { payload: 'another' });
    expect(errorCode(wrong)).toBe('DIGEST_INVALID');
    const other = await send('POST', '/v2/demo/app/blobs/uploads/?digest-algorithm=md5');
    expect(errorCode(other)).toBe('DIGEST_INVALID');
    const { bytes: manifest } = await pushImage();
    const named = `sha512:${createHash('sha512').update(manifest).digest('hex')}`;
    expect((await send('PUT', `/v2/demo/app/manifests/${named}`, { payload: manifest })).statusCode).toBe(201);
    expect((await send('GET', `/v2/demo/app/manifests/${named}`)).rawPayload.equals(manifest)).toBe(true);
  });

  it('binds an upload to its repository', async () => {
    const location = await beginUpload();
    expect(errorCode(await send('PATCH', location.replace('demo/app', 'other'), { payload: 'x' }))).toBe(
      'BLOB_UPLOAD_UNKNOWN',
    );
  });

  it('ends an upload that the client cancels', async () => {
    const location = await beginUpload();
    expect((await send('DELETE', location)).statusCode).toBe(204);
    expect((await send('GET', location)).statusCode).toBe(404);
  });

  it('mounts a blob from a repository that has it, and begins an upload where that one has not', async () => {
    const { digest } = await pushBlob(Buffer.from('shared'), 'one');
    const mounted = await send('POST', `/v2/two/blobs/uploads/?mount=${digest}&from=one`);
    expect([mounted.statusCode, mounted.headers['location']]).toEqual([201, `/v2/two/blobs/${digest}`]);
    expect((await send('GET', `/v2/two/blobs/${digest}`)).body).toBe('shared');
    expect((await send('POST', `/v2/three/blobs/uploads/?mount=${digest}&from=empty`)).statusCode).toBe(202);
    expect((await send('GET', `/v2/three/blobs/${digest}`)).statusCode).toBe(404);
  });

  it('refuses more than the limit, by the header and by the body, and keeps nothing of it', async () => {
    await stop();
    await start({ maxBlobBytes: 1000 });
    const location = await beginUpload();
    const declared = await send('PATCH', location, { payload: Buffer.alloc(1001) });
    expect([declared.statusCode, errorCode(declared)]).toEqual([413, 'SIZE_INVALID']);
    expect((await send('PATCH', location, { payload: Buffer.alloc(600) })).statusCode).toBe(202);
    expect((await send('PATCH', location, { payload: Buffer.alloc(600) })).statusCode).toBe(413);
    expect((await send('GET', location)).headers['range']).toBe('0-599');
  });

  it('gives up uploads that nobody touches, sooner where they hold nothing', async () => {
    await stop();
    let now = 0;
    await start({ now: () => now });
    for (let i = 0; i < 10; i++) await send('PATCH', await beginUpload(), { payload: 'x' });
    await beginUpload();
    now = EMPTY_UPLOAD_IDLE_MS + 1;
    await beginUpload();
    expect(drafts().length).toBe(11);
    now += UPLOAD_IDLE_MS + 1;
    await beginUpload();
    expect(drafts().length).toBe(1);
  });

  it('goes on after a connection that broke in the middle, from where it was', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const location = await beginUpload();
    await send('PATCH', location, { payload: 'first ' });
    await new Promise<void>((resolve) => {
      const broken = httpRequest({ port, method: 'PATCH', path: location, headers: { 'content-length': 1000 } });
      broken.on('error', () => resolve());
      broken.write('half of', () => setTimeout(() => broken.destroy(new Error('gone')), 50));
    });
    await expect.poll(async () => (await send('GET', location)).statusCode).toBe(204);
    expect((await send('GET', location)).headers['range']).toBe('0-5');
    const digest = sha256('first second');
    expect((await send('PUT', `${location}?digest=${digest}`, { payload: 'second' })).statusCode).toBe(201);
    expect((await send('GET', `/v2/demo/app/blobs/${digest}`)).body).toBe('first second');
  });

  it('cuts off a body that stands still', async () => {
    await stop();
    await start({ bodyIdleMs: 50 });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const location = await beginUpload();
    await new Promise<void>((resolve) => {
      const slow = httpRequest({ port, method: 'PATCH', path: location, headers: { 'content-length': 1000 } });
      slow.on('error', () => resolve());
      slow.write('then nothing');
    });
    await expect.poll(async () => (await send('GET', location)).headers['range']).toBe('0-0');
  });

  it.each([
    ['PUT', 'a manifest', '/v2/demo/app/manifests/v1', 65_536, 'cut off'],
    ['PUT', 'a manifest', '/v2/demo/app/manifests/v1', 1, 'cut off'],
    ['PATCH', 'a blob', '', 1, 'cut off'],
    ['PATCH', 'a blob', '', 65_536, 'answered'],
  ] as const)('%s of %s at %s with %i bytes now and then is %s', async (method, _, url, size, outcome) => {
    await stop();
    await start({ bodyGraceMs: 100 });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const path = url === '' ? await beginUpload() : url;
    const pieces = 20;
    const ended = await new Promise<string>((resolve) => {
      const slow = httpRequest({ port, method, path, headers: { 'content-length': size * pieces } }, (response) =>
        resolve(response.resume() && 'answered'),
      );
      slow.on('error', () => resolve('cut off'));
      const write = (left: number) => {
        if (left === 0) slow.end();
        else if (!slow.destroyed) slow.write(Buffer.alloc(size, 32), () => setTimeout(write, 20, left - 1));
      };
      write(pieces);
    });
    expect(ended).toBe(outcome);
  });
});

describe('manifests', () => {
  it('are kept byte for byte and found by tag and by digest', async () => {
    const { bytes, digest, response } = await pushImage({ annotations: { note: 'spaces   kept' } });
    expect([response.statusCode, response.headers['docker-content-digest']]).toEqual([201, digest]);
    for (const reference of ['v1', digest, digest.replace(':', '%3A')]) {
      const got = await send('GET', `/v2/demo/app/manifests/${reference}`);
      expect([got.statusCode, got.headers['content-type'], got.headers['docker-content-digest']]).toEqual([
        200,
        IMAGE,
        digest,
      ]);
      expect(got.rawPayload.equals(bytes)).toBe(true);
      const head = await send('HEAD', `/v2/demo/app/manifests/${reference}`);
      expect([head.headers['content-length'], head.body]).toEqual([String(bytes.length), '']);
    }
  });

  it('take several tags at once when pushed by digest', async () => {
    const { bytes, digest } = await pushImage();
    const put = await send('PUT', `/v2/demo/app/manifests/${digest}?tag=a&tag=b`, { payload: bytes });
    expect([put.statusCode, put.headers['oci-tag']]).toEqual([201, 'a, b']);
    expect((await send('HEAD', '/v2/demo/app/manifests/b')).headers['docker-content-digest']).toBe(digest);
  });

  it.each([
    ['not JSON', '{', {}],
    ['a key twice', '{"schemaVersion":2,"schemaVersion":2}', {}],
    ['another schema', JSON.stringify({ schemaVersion: 1, mediaType: INDEX, manifests: [] }), {}],
    [
      'another Content-Type',
      JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [] }),
      { 'content-type': IMAGE },
    ],
    ['an unknown type', JSON.stringify({ schemaVersion: 2, mediaType: 'text/html', manifests: [] }), {}],
    [
      'a bad digest',
      JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [{ digest: '../x', size: 1 }] }),
      {},
    ],
    ['no size', JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [{ digest: ABSENT }] }), {}],
    [
      'annotations that are no text',
      JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [], annotations: { a: 1 } }),
      {},
    ],
  ])('are refused with %s', async (_, payload, headers) => {
    const response = await send('PUT', '/v2/demo/app/manifests/v1', { payload, headers });
    expect([response.statusCode, errorCode(response)]).toEqual([400, 'MANIFEST_INVALID']);
    expect((await send('HEAD', '/v2/demo/app/manifests/v1')).statusCode).toBe(404);
  });

  it('are served as what they were pushed first, whatever the same bytes are called later', async () => {
    const payload = JSON.stringify({ schemaVersion: 2, manifests: [] });
    const url = `/v2/demo/app/manifests/${sha256(payload)}`;
    const put = (type: string, path = url) => send('PUT', path, { payload, headers: { 'content-type': type } });
    expect((await put(INDEX)).statusCode).toBe(201);
    const other = await put('application/vnd.docker.distribution.manifest.list.v2+json', `${url}?tag=other`);
    expect([other.statusCode, errorCode(other)]).toEqual([400, 'MANIFEST_INVALID']);
    expect((await send('HEAD', '/v2/demo/app/manifests/other')).statusCode).toBe(404);
    expect((await send('GET', url)).headers['content-type']).toBe(INDEX);
    expect((await put(INDEX)).statusCode).toBe(201);
  });

  it('are refused while a blob of theirs is missing from the repository', async () => {
    const { response } = await pushImage({ layers: [{ mediaType: 'x', digest: ABSENT, size: 6 }] });
    expect([response.statusCode, errorCode(response)]).toEqual([400, 'MANIFEST_BLOB_UNKNOWN']);
  });

  it('are refused past 4 MiB', async () => {
    const response = await send('PUT', '/v2/demo/app/manifests/v1', {
      payload: Buffer.alloc(MAX_MANIFEST_BYTES + 1, 32),
    });
    expect([response.statusCode, errorCode(response)]).toEqual([413, 'SIZE_INVALID']);
  });

  it('are refused under a digest that is not theirs', async () => {
    const { bytes } = await pushImage();
    const response = await send('PUT', `/v2/demo/app/manifests/${ABSENT}`, { payload: bytes });
    expect([response.statusCode, errorCode(response)]).toEqual([400, 'DIGEST_INVALID']);
  });

  it('are never deleted', async () => {
    const { digest } = await pushImage();
    for (const url of [`/v2/demo/app/manifests/${digest}`, `/v2/demo/app/blobs/${sha256('{}')}`]) {
      const response = await send('DELETE', url);
      expect([response.statusCode, errorCode(response)]).toEqual([405, 'UNSUPPORTED']);
      expect((await send('HEAD', url)).statusCode).toBe(200);
    }
  });

  it('move a tag only if it still points to what If-Match names', async () => {
    const first = await pushImage();
    expect(
      (await pushImage({ annotations: { n: '2' } }, { headers: { 'if-none-match': '*' } })).response.statusCode,
    ).toBe(412);
    expect(
      (await pushImage({ annotations: { n: '2' } }, { headers: { 'if-match': `"${ABSENT}"` } })).response.statusCode,
    ).toBe(412);
    expect((await send('HEAD', '/v2/demo/app/manifests/v1')).headers['etag']).toBe(`"${first.digest}"`);
    const second = await pushImage({ annotations: { n: '2' } }, { headers: { 'if-match': `"${first.digest}"` } });
    expect(second.response.statusCode).toBe(201);
    expect((await send('HEAD', '/v2/demo/app/manifests/v1')).headers['etag']).toBe(`"${second.digest}"`);
  });

  it('let exactly one of many writers with the same If-Match win', async () => {
    const { digest } = await pushImage();
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        pushImage({ annotations: { n: `${i}` } }, { headers: { 'if-match': `"${digest}"` } }),
      ),
    );
    expect(all.map(({ response }) => response.statusCode).sort()).toEqual([201, ...Array(9).fill(412)]);
  });
});

describe('referrers', () => {
  it('are listed with artifact type and annotations, filtered where asked, also before their subject exists', async () => {
    const one = await pushImage(
      {
        artifactType: 'application/vnd.example.one',
        subject: { digest: ABSENT, size: 3, mediaType: IMAGE },
        annotations: { a: 'b' },
      },
      { reference: 'one' },
    );
    expect(one.response.headers['oci-subject']).toBe(ABSENT);
    const two = await pushImage({ subject: { digest: ABSENT, size: 3, mediaType: IMAGE } }, { reference: 'two' });
    const all = await send('GET', `/v2/demo/app/referrers/${ABSENT}`);
    expect([all.statusCode, all.headers['content-type']]).toEqual([200, INDEX]);
    expect(all.json()).toEqual({
      schemaVersion: 2,
      mediaType: INDEX,
      manifests: [
        {
          mediaType: IMAGE,
          size: one.bytes.length,
          digest: one.digest,
          artifactType: 'application/vnd.example.one',
          annotations: { a: 'b' },
        },
        { mediaType: IMAGE, size: two.bytes.length, digest: two.digest, artifactType: 'application/octet-stream' },
      ],
    });
    const some = await send('GET', `/v2/demo/app/referrers/${ABSENT}?artifactType=application/vnd.example.one`);
    expect(some.headers['oci-filters-applied']).toBe('artifactType');
    expect(some.json().manifests.map(({ digest }: { digest: string }) => digest)).toEqual([one.digest]);
  });

  it('of anything else are an empty index, never 404', async () => {
    const response = await send('GET', `/v2/never/pushed/referrers/${ABSENT}`);
    expect([response.statusCode, response.json().manifests]).toEqual([200, []]);
    expect(errorCode(await send('GET', '/v2/demo/app/referrers/sha256:short'))).toBe('DIGEST_INVALID');
  });

  it('come in pages that a Link header joins', async () => {
    const subject = { digest: ABSENT, size: 3, mediaType: IMAGE };
    const note = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 5; i++) await pushImage({ subject, annotations: { note, i: `${i}` } }, { reference: `r${i}` });
    const seen: string[] = [];
    let url: string | undefined = `/v2/demo/app/referrers/${ABSENT}`;
    let pages = 0;
    while (url !== undefined) {
      const page: Awaited<ReturnType<typeof send>> = await send('GET', url);
      seen.push(...page.json().manifests.map((m: { annotations: { i: string } }) => m.annotations.i));
      url = /<([^>]+)>; rel="next"/.exec(String(page.headers['link'] ?? ''))?.[1];
      pages += 1;
    }
    expect([seen, pages]).toEqual([['0', '1', '2', '3', '4'], 3]);
  });
});

describe('tags', () => {
  it('are listed in byte order, page by page', async () => {
    for (const reference of ['b', 'a', 'B', '_', 'a.1']) await pushImage({}, { reference });
    const list = async (query: string) => (await send('GET', `/v2/demo/app/tags/list${query}`)).json();
    expect(await list('')).toEqual({ name: 'demo/app', tags: ['B', '_', 'a', 'a.1', 'b'] });
    expect((await list('?n=2')).tags).toEqual(['B', '_']);
    expect((await list('?n=2&last=_')).tags).toEqual(['a', 'a.1']);
    expect((await list('?last=a')).tags).toEqual(['a.1', 'b']);
    const page = await send('GET', '/v2/demo/app/tags/list?n=2');
    expect(page.headers['link']).toBe('</v2/demo/app/tags/list?n=2&last=_>; rel="next"');
    const none = await send('GET', '/v2/demo/app/tags/list?n=0');
    expect([none.json().tags, none.headers['link']]).toEqual([[], undefined]);
    expect((await send('GET', "/v2/demo/app/tags/list?last=' OR 1=1")).json().tags.length).toBe(5);
  });

  it('of a repository that was never pushed to are 404', async () => {
    expect(errorCode(await send('GET', '/v2/never/pushed/tags/list'))).toBe('NAME_UNKNOWN');
  });
});

describe('names', () => {
  it('say that the registry is there', async () => {
    for (const url of ['/v2', '/v2/']) expect((await send('GET', url)).statusCode).toBe(200);
  });

  it('outside the grammar are refused in the form of the spec, whatever the method', async () => {
    for (const url of ['/v2/A/manifests/v1', '/v2/a/..%2f..%2fetc/manifests/v1', '/v2/a/unknown', '/v2/a/blobs/x']) {
      for (const method of ['GET', 'PUT', 'POST', 'PATCH']) {
        const response = await send(method, url, { payload: 'x' });
        expect([400, 404, 405]).toContain(response.statusCode);
        expect(errorCode(response)).toMatch(/^[A-Z_]+$/);
      }
    }
  });

  it('cannot climb out of the folder over a socket, where nobody tidies the path', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const before = readdirSync(folder).sort();
    for (const path of ['/v2/../../x/blobs/uploads/', '/v2/%2e%2e/blobs/uploads/', '/v2/a/../b/blobs/uploads/']) {
      const status = await new Promise((resolve) =>
        httpRequest({ port, method: 'POST', path }, (response) => resolve(response.resume().statusCode)).end(),
      );
      expect([path, status]).toEqual([path, 400]);
    }
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});

describe('storage', () => {
  it('holds everything over a restart, but no unfinished upload', async () => {
    const image = await pushImage({ subject: { digest: ABSENT, size: 3, mediaType: IMAGE } });
    const location = await beginUpload();
    await stop();
    await start();
    expect((await send('GET', '/v2/demo/app/manifests/v1')).rawPayload.equals(image.bytes)).toBe(true);
    expect((await send('GET', `/v2/demo/app/referrers/${ABSENT}`)).json().manifests.length).toBe(1);
    expect((await send('GET', location)).statusCode).toBe(404);
    expect(drafts()).toEqual([]);
  });

  it.each([
    ['ENOSPC', 507],
    ['EIO', 503],
    ['EMFILE', 503],
  ])('that fails with %s is answered %d, nothing half-written, and goes on afterwards', async (code, status) => {
    await stop();
    let isFailing = true;
    const openFile: OpenFile = async (path, flags) => {
      const file = await open(path, flags);
      if (isFailing && flags === 'r+') {
        file.write = (async () => {
          throw Object.assign(new Error('no'), { code });
        }) as unknown as typeof file.write;
      }
      return file;
    };
    await start({ openFile });
    const bytes = Buffer.from('content');
    const url = `/v2/demo/app/blobs/uploads/?digest=${sha256(bytes)}`;
    const refused = await send('POST', url, { payload: bytes });
    expect([refused.statusCode, errorCode(refused)]).toEqual([status, 'UNAVAILABLE']);
    expect((await send('HEAD', `/v2/demo/app/blobs/${sha256(bytes)}`)).statusCode).toBe(404);
    expect([drafts(), readdirSync(join(folder, 'blobs', 'sha256'))]).toEqual([[], []]);
    isFailing = false;
    expect((await send('POST', url, { payload: bytes })).statusCode).toBe(201);
  });
});
