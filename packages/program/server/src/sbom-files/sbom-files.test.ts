import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addPublication,
  emptyIndex,
  formatIndex,
  formatIndexPage,
  publicationFiles,
} from '@colophon/publishing/publication-rules';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveSbomFiles } from './sbom-files.ts';

const NOW = '2026-11-21T10:00:00Z';
const BASE = '/.well-known/sbom';
const DOCUMENT = '{"bomFormat":"CycloneDX","specVersion":"1.7"}';

let root: string;
let folder: string;
let app: FastifyInstance;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'sbom-files-'));
  folder = join(root, '.well-known/sbom');
  mkdirSync(folder, { recursive: true });
  const files = publicationFiles({ artifact: 'web', version: '1.0.0+b' });
  const record = (file: string, text: string) => {
    writeFileSync(join(folder, file), text);
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    return { file, size: text.length, digest };
  };
  const publication = {
    version: '1.0.0+b',
    published_at: NOW,
    retain_until: '2029-11-21T10:00:00Z',
    document: record(files.document, DOCUMENT),
    signature: record(files.signature, 'c2ln'),
    bundle: record(files.bundle, '{}'),
  };
  const index = addPublication(emptyIndex(NOW), 'web', publication, { now: NOW });
  writeFileSync(join(folder, 'web-latest.cdx.json'), DOCUMENT);
  writeFileSync(join(folder, 'index.json'), formatIndex(index));
  writeFileSync(join(folder, 'index.html'), formatIndexPage(index));
  writeFileSync(join(root, 'secret'), 'CANARY');
  app = Fastify();
  serveSbomFiles(app, root);
  await app.ready();
});

afterEach(async () => {
  await app.close();
  rmSync(root, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url: path.startsWith('/') ? path : `${BASE}/${path}`, headers });

describe('a file', () => {
  test.each([
    ['web-1.0.0%2Bb.cdx.json', 'application/vnd.cyclonedx+json', 'immutable'],
    ['web-1.0.0+b.cdx.json', 'application/vnd.cyclonedx+json', 'immutable'],
    ['web-1.0.0%2Bb.cdx.json.sig', 'text/plain; charset=utf-8', 'immutable'],
    ['web-1.0.0%2Bb.cdx.json.sigstore.json', 'application/vnd.dev.sigstore.bundle.v0.3+json', 'immutable'],
    ['web-latest.cdx.json', 'application/vnd.cyclonedx+json', 'no-cache'],
    ['index.json', 'application/json', 'no-cache'],
    ['', 'text/html; charset=utf-8', 'no-cache'],
  ])('%s has its type, and is cached as long as it can stay right', async (path, type, caching) => {
    const { statusCode, headers, rawPayload } = await get(path);
    expect({ statusCode, type: headers['content-type'] }).toEqual({ statusCode: 200, type });
    expect(headers['cache-control']).toContain(caching);
    expect(headers['content-length']).toBe(String(rawPayload.length));
    expect(headers['x-content-type-options']).toBe('nosniff');
    const head = await get(path, {}, 'HEAD');
    expect({ ...head.headers, date: '', body: head.body }).toEqual({ ...headers, date: '', body: '' });
  });

  test('is not sent again to whoever has it', async () => {
    const { headers } = await get('index.json');
    const etag = headers.etag as string;
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      expect(await get('index.json', { 'if-none-match': condition })).toMatchObject({ statusCode: 304, body: '' });
    }
    expect((await get('index.json', { 'if-none-match': '"other"' })).statusCode).toBe(200);
    expect((await get('index.json', { 'if-modified-since': headers['last-modified'] as string })).statusCode).toBe(304);
    expect((await get('index.json', { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).statusCode).toBe(200);
  });

  test('is another one to caches as soon as it is swapped', async () => {
    const before = (await get('index.json')).headers.etag as string;
    const path = join(folder, 'index.json');
    const same = readFileSync(path);
    rmSync(path);
    writeFileSync(path, same);
    expect((await get('index.json')).headers.etag).not.toBe(before);
  });

  test.each([
    ['bytes=0-4', 206, DOCUMENT.slice(0, 5), `bytes 0-4/${DOCUMENT.length}`],
    ['bytes=-3', 206, DOCUMENT.slice(-3), `bytes ${DOCUMENT.length - 3}-${DOCUMENT.length - 1}/${DOCUMENT.length}`],
    ['bytes=5-', 206, DOCUMENT.slice(5), `bytes 5-${DOCUMENT.length - 1}/${DOCUMENT.length}`],
    ['bytes=0-1,3-4', 200, DOCUMENT, undefined],
    ['lines=0-1', 200, DOCUMENT, undefined],
  ])('is given in part: %s', async (range, statusCode, body, contentRange) => {
    const answer = await get('web-latest.cdx.json', { range });
    expect(answer).toMatchObject({ statusCode, body });
    expect(answer.headers['content-range']).toBe(contentRange);
  });

  test('has no part behind its end, and no part for who has another one', async () => {
    const past = await get('web-latest.cdx.json', { range: 'bytes=999-' });
    expect({ status: past.statusCode, range: past.headers['content-range'] }).toEqual({
      status: 416,
      range: `bytes */${DOCUMENT.length}`,
    });
    expect(past.json()).toMatchObject({ code: 'server.range_unsatisfiable' });
    expect((await get('web-latest.cdx.json', { range: 'bytes=0-1', 'if-range': '"other"' })).statusCode).toBe(200);
  });
});

describe('the latest', () => {
  test('says which version it is', async () => {
    const { headers } = await get('web-latest.cdx.json');
    expect(headers['content-location']).toBe(`${BASE}/web-1.0.0%2Bb.cdx.json`);
    expect((await get(`${headers['content-location']}.sig`)).body).toBe('c2ln');
    writeFileSync(join(folder, 'web-latest.cdx.json'), 'something else');
    expect((await get('web-latest.cdx.json')).headers['content-location']).toBeUndefined();
  });

  test('has no signature of its own, and says where there is one', async () => {
    const answer = await get('web-latest.cdx.json.sig');
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({
      code: 'server.not_found',
      detail: expect.stringContaining('Content-Location'),
    });
  });
});

describe('nothing else is served', () => {
  test.each([
    '../../secret',
    '..%2f..%2fsecret',
    '%2e%2e%2f%2e%2e%2fsecret',
    '%2e%2e/%2e%2e/secret',
    '%252e%252e%252fsecret',
    '..%5c..%5csecret',
    '..\\..\\secret',
    '/.well-known/sbom/../../secret',
    '//secret',
    'web-1.0.0%00.cdx.json',
    'web-1.0.0.cdx.json%00.sig',
    '.lock',
    '.hidden-1.cdx.json',
    'web-1.0.0+b.cdx.json.123e4567-e89b-12d3-a456-426614174000.new',
    'WEB-1.0.0+B.cdx.json',
    'sub/web-1.cdx.json',
    'index.json/',
    `${'x'.repeat(300)}-1.cdx.json`,
    '%ff-1.cdx.json',
  ])('%s', async (path) => {
    writeFileSync(join(folder, '.lock'), 'CANARY');
    const { statusCode, body } = await get(path);
    expect([400, 404, 414]).toContain(statusCode);
    expect(body).not.toContain('CANARY');
  });

  test.each(['file', 'folder'])('no link: %s', async (kind) => {
    symlinkSync(join(root, kind === 'file' ? 'secret' : '.well-known'), join(folder, 'x-1.cdx.json'));
    expect((await get('x-1.cdx.json')).statusCode).toBe(404);
  });

  test('no link on the way', async () => {
    const other = join(root, 'other');
    mkdirSync(other);
    symlinkSync(join(root, '.well-known'), join(other, '.well-known'));
    const linked = Fastify();
    serveSbomFiles(linked, other);
    expect((await linked.inject(`${BASE}/index.json`)).statusCode).toBe(404);
    await linked.close();
  });

  test('no pipe, which nobody would wait for, and no folder', async () => {
    execFileSync('/usr/bin/mkfifo', [join(folder, 'pipe-1.cdx.json')]);
    mkdirSync(join(folder, 'folder-1.cdx.json'));
    expect((await get('pipe-1.cdx.json')).statusCode).toBe(404);
    expect((await get('folder-1.cdx.json')).statusCode).toBe(404);
  });

  test('nothing where nothing was published', async () => {
    rmSync(folder, { recursive: true });
    expect((await get('')).statusCode).toBe(404);
  });
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)('%s changes nothing', async (method) => {
  for (const url of [`${BASE}/index.json`, `${BASE}/`, BASE]) {
    const answer = await app.inject({ method, url, payload: 'x', headers: { 'content-type': 'a/b' } });
    expect({ status: answer.statusCode, allow: answer.headers['allow'] }).toEqual({ status: 405, allow: 'GET, HEAD' });
    expect(answer.json()).toMatchObject({ code: 'server.method_not_allowed' });
  }
});

test('the folder is one with a slash, so that the links of its page lead into it', async () => {
  expect(await get(BASE)).toMatchObject({ statusCode: 308, headers: { location: `${BASE}/` } });
});
