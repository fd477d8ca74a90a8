import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkRetention, fetchPublication, openSource, openTarget, publish, restore, unpublish } from '../src/index.ts';
import { INDEX_FILE } from '../src/publication-rules/publication-index.ts';
import type { PublishingErrorCode } from '../src/publication-rules/publishing-error.ts';
import type { PublishingTarget } from '../src/publishing-target/publishing-target.ts';
import { httpSource } from '../src/publishing-target/web-target.ts';
import { startPutServer } from './put-server.ts';
import { documentOf, isPair, publisherOf, signatureOf } from './sample.ts';

const MOST = 1024 * 1024;
const newFolder = () => temporaryFolder(onTestFinished);
const open = (address: string) => openTarget(address, { env: {} });
const publishTo = (target: PublishingTarget, artifact: string, version: string, more = {}) =>
  publish({ target, artifact, version, ...publisherOf(documentOf(artifact, version)), ...more });

async function codeOf(work: Promise<unknown>): Promise<PublishingErrorCode | 'ok'> {
  try {
    await work;
  } catch (error) {
    return (error as { code: PublishingErrorCode }).code;
  }
  return 'ok';
}

async function newServer(options: Parameters<typeof startPutServer>[0] = {}) {
  const server = await startPutServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** Every kind of place keeps the same promises. */
describe.each([
  ['a folder', async () => open(newFolder())],
  ['a web server', async () => open((await newServer()).url)],
  ['a web server without conditions', async () => open(`${(await newServer({ conditions: false })).url}/base`)],
])('%s', (kind, openOne) => {
  test('publishes a document with its signature, lists it, and has it as the latest', async () => {
    const target = await openOne();
    const { publication, is_new, latest, warnings } = await publishTo(target, 'web', '1.0.0+b');
    expect({ is_new, latest, weak: warnings.length > 0 }).toEqual({
      is_new: true,
      latest: '1.0.0+b',
      weak: kind.includes('without'),
    });
    const fetched = await fetchPublication(target, { artifact: 'web' });
    expect(Buffer.from(fetched.document)).toEqual(documentOf('web', '1.0.0+b'));
    expect(isPair(fetched.document, fetched as never)).toBe(true);
    expect(fetched.digest).toBe(publication.document.digest);
    expect((await target.read('web-latest.cdx.json', MOST))?.bytes).toEqual(fetched.document);
    expect(Buffer.from((await target.read('index.html', MOST))!.bytes).toString()).toContain('web');
    expect(await checkRetention(target)).toMatchObject({ version_count: 1, file_count: 3, problems: [] });
  });

  test('takes the same again as done, and never other content', async () => {
    const target = await openOne();
    await publishTo(target, 'web', '1.0.0');
    const signed = await target.read('web-1.0.0.cdx.json.sig', MOST);
    let asked = 0;
    const sign = async () => {
      asked += 1;
      return signatureOf(documentOf('web', '1.0.0'));
    };
    expect(await publishTo(target, 'web', '1.0.0', { sign })).toMatchObject({ is_new: false });
    expect(asked).toBe(0);
    const other = publisherOf(documentOf('web', '1.0.0', 'other'));
    expect(await codeOf(publish({ target, artifact: 'web', version: '1.0.0', ...other }))).toBe(
      'publishing.version_exists',
    );
    expect((await target.read('web-1.0.0.cdx.json.sig', MOST))?.bytes).toEqual(signed?.bytes);
  });

  test('an older version becomes no latest, and a newer one only where that is wished', async () => {
    const target = await openOne();
    await publishTo(target, 'web', '2.0.0');
    expect((await publishTo(target, 'web', '1.9.9')).latest).toBe('2.0.0');
    expect((await publishTo(target, 'web', '3.0.0', { mayBecomeLatest: false })).latest).toBe('2.0.0');
    expect((await fetchPublication(target, { artifact: 'web' })).version).toBe('2.0.0');
    expect((await fetchPublication(target, { artifact: 'web', version: '1.9.9' })).version).toBe('1.9.9');
  });

  test('names that would collide are refused before anything is written', async () => {
    const target = await openOne();
    await publishTo(target, 'a', '1-2');
    const before = await target.read(INDEX_FILE, MOST);
    expect(await codeOf(publishTo(target, 'a-1', '2'))).toBe('publishing.name_taken');
    expect(await codeOf(publishTo(target, 'A', '1-2'))).toBe('publishing.name_taken');
    expect((await target.read(INDEX_FILE, MOST))?.bytes).toEqual(before?.bytes);
  });

  test('several publishers at once: every version is listed, and the latest is the highest', async () => {
    const target = await openOne();
    const versions = Array.from({ length: 12 }, (_, i) => `1.0.${i}`);
    const results = await Promise.allSettled(versions.map((version) => publishTo(target, 'web', version)));
    // Without conditions the index of one can be lost to another; whoever lost publishes again.
    for (const version of versions) await publishTo(target, 'web', version);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await fetchPublication(target, { artifact: 'web' })).version).toBe('1.0.11');
    expect(await checkRetention(target)).toMatchObject({ version_count: 12, problems: [] });
  });

  test('of several publishers with different content for one version, one wins, and what is there fits together', async () => {
    const target = await openOne();
    const documents = Array.from({ length: 6 }, (_, i) => documentOf('web', '1.0.0', `by ${i}`));
    const codes = await Promise.all(
      documents.map((document) =>
        codeOf(publish({ target, artifact: 'web', version: '1.0.0', ...publisherOf(document) })),
      ),
    );
    if (!kind.includes('without')) expect(codes.filter((code) => code === 'ok').length).toBeLessThanOrEqual(1);
    expect(
      codes.every((code) =>
        ['ok', 'publishing.version_exists', 'publishing.target_busy', 'publishing.digest_mismatch'].includes(code),
      ),
    ).toBe(true);
    const found = (await target.read('web-1.0.0.cdx.json', MOST))?.bytes;
    if (found === undefined) return;
    // Publishing the winner's content again completes whatever was left.
    await publish({ target, artifact: 'web', version: '1.0.0', ...publisherOf(found) });
    const fetched = await fetchPublication(target, { artifact: 'web', version: '1.0.0' });
    expect(isPair(fetched.document, fetched as never)).toBe(true);
  });

  test('nothing is deleted before its time; after it everything of it is', async () => {
    const target = await openOne();
    const name = { artifact: 'web', version: '1.0.0' };
    const at = (time: string) => () => new Date(time);
    await publishTo(target, 'web', '1.0.0', { now: at('2024-02-29T12:00:00Z') });
    await publishTo(target, 'web', '2.0.0', { now: at('2024-03-01T12:00:00Z'), retainYears: 10 });
    expect(await codeOf(unpublish(target, name, at('2027-03-01T11:59:59Z')))).toBe('publishing.retained');
    expect(await codeOf(unpublish(target, { ...name, version: '9' }, at('2027-03-01T12:00:00Z')))).toBe(
      'publishing.not_found',
    );
    const { deleted_files } = await unpublish(target, name, at('2027-03-01T12:00:00Z'));
    for (const file of deleted_files) expect(await target.read(file, MOST)).toBeUndefined();
    expect(await codeOf(unpublish(target, { ...name, version: '2.0.0' }, at('2033-12-31T00:00:00Z')))).toBe(
      'publishing.retained',
    );
    expect(await checkRetention(target)).toMatchObject({ version_count: 1, problems: [] });
  });

  test('what was lost or changed is noticed, and comes back from a backup', async () => {
    const target = await openOne();
    const backup = await open(newFolder());
    for (const version of ['1.0.0', '2.0.0']) {
      await publishTo(target, 'web', version);
    }
    await restore(target, backup, () => new Date());
    expect(await checkRetention(backup)).toMatchObject({ version_count: 2, problems: [] });
    await publishTo(target, 'api', '1.0.0');

    await target.remove('web-1.0.0.cdx.json');
    await target.remove('web-2.0.0.cdx.json.sig');
    const bundle = 'web-2.0.0.cdx.json.sigstore.json';
    await target.replace(bundle, Buffer.from('{}'), await target.read(bundle, MOST));
    const latest = 'web-latest.cdx.json';
    await target.replace(latest, Buffer.from('{}'), await target.read(latest, MOST));
    const { problems } = await checkRetention(target);
    expect(problems.map(({ file, problem }) => `${file} ${problem}`).sort()).toEqual([
      'web-1.0.0.cdx.json missing',
      'web-2.0.0.cdx.json.sig missing',
      `${bundle} changed`,
      `${latest} not_latest`,
    ]);
    const { restored_files } = await restore(backup, target, () => new Date());
    expect([...restored_files].sort()).toEqual(['web-1.0.0.cdx.json', 'web-2.0.0.cdx.json.sig', bundle]);
    expect(await checkRetention(target)).toMatchObject({ version_count: 3, problems: [] });

    // The index itself is lost: what the backup knows comes back.
    await target.remove(INDEX_FILE);
    await restore(backup, target, () => new Date());
    expect(await checkRetention(target)).toMatchObject({ version_count: 2, problems: [] });
  });

  test('less than three years are refused', async () => {
    const target = await openOne();
    expect(await codeOf(publishTo(target, 'web', '1.0.0', { retainYears: 2 }))).toBe('publishing.retention_too_short');
    expect(await target.read(INDEX_FILE, MOST)).toBeUndefined();
  });

  test('an interrupted publication is completed by the next one, whatever step it stopped at', async () => {
    for (let step = 0; ; step++) {
      const target = await openOne();
      let left = step;
      const failing =
        (work: keyof PublishingTarget) =>
        async (...args: never[]) => {
          if (left-- === 0) throw new Error('no power');
          return (target[work] as (...args: never[]) => unknown)(...args);
        };
      const dying = {
        ...target,
        create: failing('create'),
        replace: failing('replace'),
      } as unknown as PublishingTarget;
      const isDone = (await codeOf(publishTo(dying, 'web', '1.0.0'))) === 'ok';
      const document = (await target.read('web-1.0.0.cdx.json', MOST))?.bytes;
      if (document !== undefined) {
        const signature = (await target.read('web-1.0.0.cdx.json.sig', MOST))!.bytes;
        const bundle = (await target.read('web-1.0.0.cdx.json.sigstore.json', MOST))!.bytes;
        expect(isPair(document, { signature, bundle })).toBe(true);
      }
      // On a target without a lock, a signature without its document may be somebody else's for a quarter of an hour.
      const later = { now: () => new Date(Date.now() + 20 * 60_000) };
      await publishTo(target, 'web', '1.0.0', later);
      expect(await checkRetention(target)).toMatchObject({ version_count: 1, problems: [] });
      const fetched = await fetchPublication(target, { artifact: 'web' });
      expect(isPair(fetched.document, fetched as never)).toBe(true);
      if (isDone) return expect(step).toBeGreaterThanOrEqual(6);
    }
  });
});

describe('fetching', () => {
  test('finds by the well-known names where there is no index, and the latest says itself which version it is', async () => {
    const target = await open(newFolder());
    await publishTo(target, 'web', '1.0.0');
    await target.remove(INDEX_FILE);
    expect(await fetchPublication(target, { artifact: 'web' })).toMatchObject({ version: '1.0.0' });
    expect(await codeOf(fetchPublication(target, { artifact: 'web', version: '2' }))).toBe('publishing.not_found');
    expect(await codeOf(fetchPublication(target, { artifact: 'api' }))).toBe('publishing.not_found');
  });

  test('a document that was published under another name is refused, however well it is signed', async () => {
    const target = await open(newFolder());
    await publish({ target, artifact: 'web', version: '2.0.0', ...publisherOf(documentOf('web', '1.0.0')) });
    await publish({ target, artifact: 'api', version: '1.0.0', ...publisherOf(documentOf('web', '1.0.0')) });
    expect(await codeOf(fetchPublication(target, { artifact: 'web' }))).toBe('publishing.document_mismatch');
    expect(await codeOf(fetchPublication(target, { artifact: 'api' }))).toBe('publishing.document_mismatch');
  });

  test('a document that is not the one in the index is refused', async () => {
    const folder = newFolder();
    const target = await open(folder);
    await publishTo(target, 'web', '1.0.0');
    const file = join(folder, '.well-known/sbom/web-1.0.0.cdx.json');
    chmodSync(file, 0o644);
    writeFileSync(file, documentOf('web', '1.0.0', 'changed'));
    expect(await codeOf(fetchPublication(target, { artifact: 'web' }))).toBe('publishing.digest_mismatch');
    expect(await codeOf(publishTo(target, 'web', '1.0.0'))).toBe('publishing.digest_mismatch');
  });
});

describe('a folder', () => {
  test('has its versions read-only and open to readers, and no drafts', async () => {
    const folder = newFolder();
    await publishTo(await open(folder), 'web', '1.0.0');
    const files = join(folder, '.well-known/sbom');
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect(modeOf(join(files, 'web-1.0.0.cdx.json'))).toBe(0o444);
    expect(modeOf(join(files, 'web-1.0.0.cdx.json.sig'))).toBe(0o444);
    expect(modeOf(join(files, 'index.json'))).toBe(0o644);
    expect(readdirSync(files).filter((name) => !/^(?:web-|index\.|\.lock$)/.test(name))).toEqual([]);
  });

  test.each([
    ['the folder of well-known files', '.well-known'],
    ['the folder of SBOMs', '.well-known/sbom'],
    ['the index', '.well-known/sbom/index.json'],
    ['the lock', '.well-known/sbom/.lock'],
    ['the latest', '.well-known/sbom/web-latest.cdx.json'],
    ['a document', '.well-known/sbom/web-1.0.0.cdx.json'],
    ['a signature', '.well-known/sbom/web-1.0.0.cdx.json.sig'],
  ])('follows no link: %s', async (_, link) => {
    const [folder, outside] = [newFolder(), newFolder()];
    mkdirSync(join(folder, link, '..'), { recursive: true });
    symlinkSync(outside, join(folder, link));
    const target = await open(folder);
    expect(await codeOf(publishTo(target, 'web', '1.0.0'))).toBe('publishing.link_refused');
    expect(readdirSync(outside)).toEqual([]);
    expect(lstatSync(join(folder, link)).isSymbolicLink()).toBe(true);
  });

  test('reads no file of somebody else through a link', async () => {
    const [folder, outside] = [newFolder(), newFolder()];
    await publishTo(await open(outside), 'web', '1.0.0');
    mkdirSync(join(folder, '.well-known/sbom'), { recursive: true });
    symlinkSync(join(outside, '.well-known/sbom/index.json'), join(folder, '.well-known/sbom/index.json'));
    expect(await codeOf(checkRetention(await open(folder)))).toBe('publishing.link_refused');
  });

  test('reads no pipe and no folder in the place of a file', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, '.well-known/sbom/index.json'), { recursive: true });
    expect(await codeOf(checkRetention(await open(folder)))).toBe('publishing.link_refused');
  });

  test('that cannot be made is said at once', async () => {
    expect(await codeOf(publishTo(await open('/proc/colophon/sboms'), 'web', '1'))).toBe('publishing.target_unusable');
  });

  test('a file in the way, or one that is too large, is said', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(await codeOf(publishTo(await open(join(folder, 'file')), 'web', '1'))).toBe('publishing.target_unusable');
    const target = await open(folder);
    await publishTo(target, 'web', '1');
    expect(await codeOf(target.read(INDEX_FILE, 10))).toBe('publishing.too_large');
  });

  test('drafts of a publisher that was killed are cleared away', async () => {
    const folder = newFolder();
    const target = await open(folder);
    await publishTo(target, 'web', '1.0.0');
    const draft = join(folder, '.well-known/sbom/web-2.0.0.cdx.json.123e4567-e89b-12d3-a456-426614174000.new');
    writeFileSync(draft, 'half');
    await publishTo(target, 'web', '1.0.0');
    expect(() => readFileSync(draft)).toThrow(/ENOENT/);
  });
});

describe('a web server', () => {
  test('replaces only what was read, and creates only what is not there', async () => {
    const target = await open((await newServer()).url);
    const [first, second, third] = ['1', '22', '333'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
    expect(await target.replace('index.json', first, undefined)).toBe(true);
    expect(await target.replace('index.json', second, undefined)).toBe(false);
    const read = await target.read('index.json', MOST);
    expect(await target.replace('index.json', second, read)).toBe(true);
    expect(await target.replace('index.json', third, read)).toBe(false);
    expect(await target.create('index.json', third)).toBe(false);
    expect(Buffer.from((await target.read('index.json', MOST))!.bytes)).toEqual(second);
  });

  test('gets the login with every request, and refuses without it', async () => {
    const server = await newServer({ password: 'secret' });
    expect(await codeOf(open(server.url).then((target) => publishTo(target, 'web', '1')))).toBe(
      'publishing.target_unauthorized',
    );
    const target = await openTarget(`${server.url}/.well-known/sbom/`, { env: {}, authorization: 'Bearer secret' });
    expect(await publishTo(target, 'web', '1')).toMatchObject({ is_new: true, warnings: [] });
    expect([...server.files.keys()]).toContain('/.well-known/sbom/web-1.cdx.json');
  });

  test('that is away is said', async () => {
    const gone = await startPutServer();
    await gone.close();
    expect(await codeOf(open(gone.url))).toBe('publishing.target_unavailable');
  });

  /** A server that answers every request so. */
  async function serverThat(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  test('that says much where nothing is to be read takes files all the same', async () => {
    const page = 'x'.repeat(100_000);
    const url = await serverThat((request, response) => {
      if (request.method === 'HEAD') response.writeHead(200, { 'content-length': '500000000' }).end();
      else response.writeHead(request.method === 'PUT' ? 201 : 200, { allow: 'GET, PUT' }).end(page);
    });
    const target = await open(url);
    expect(await target.create('web-1.cdx.json', Buffer.from('{}'))).toBe(false);
    expect(await target.replace('latest.json', Buffer.from('{}'), undefined)).toBe(true);
    await target.remove('latest.json');
  });

  const fetchFrom = (url: string, options = {}) =>
    codeOf(fetchPublication(httpSource(url, options), { artifact: 'web' }));

  test.each([301, 302, 303, 307, 308])(
    'that sends on is followed within its own origin, and nowhere else (%i)',
    async (status) => {
      let isAsked = false;
      const other = await serverThat((_request, response) => {
        isAsked = true;
        response.end('{}');
      });
      const away = await serverThat((_request, response) =>
        response.writeHead(status, { location: `${other}/x` }).end(),
      );
      expect(await fetchFrom(away)).toBe('publishing.target_refused');
      expect(isAsked).toBe(false);
      const inside = await serverThat((request, response) => {
        if (request.url?.startsWith('/moved/')) response.writeHead(404).end();
        else response.writeHead(status, { location: `/moved${request.url}` }).end();
      });
      expect(await fetchFrom(inside)).toBe('publishing.not_found');
      const circle = await serverThat((_request, response) => response.writeHead(status, { location: '/' }).end());
      expect(await fetchFrom(circle)).toBe('publishing.target_refused');
    },
  );

  test('that never ends, or never goes on, is cut off', async () => {
    const endless = await serverThat((_request, response) => {
      const more = () => void (response.destroyed || response.write(Buffer.alloc(1 << 16), () => setImmediate(more)));
      more();
    });
    const source = httpSource(endless);
    expect(await codeOf(source.read('index.json', 1 << 20))).toBe('publishing.too_large');
    const bomb = await serverThat((_request, response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(1 << 24)));
    });
    expect(await codeOf(httpSource(bomb).read('index.json', 1 << 20))).toBe('publishing.too_large');
    const stuck = await serverThat((_request, response) => void response.write('{'));
    expect(await fetchFrom(stuck, { timeoutMs: 200 })).toBe('publishing.target_unavailable');
  });

  test('gets no login over plain http, unless it is this machine', async () => {
    const login = { env: {}, authorization: 'Bearer secret' };
    for (const use of [openTarget, openSource]) {
      expect(await codeOf(use('http://sboms.example.com', login))).toBe('publishing.target_invalid');
    }
  });

  test('that takes no files is read all the same, also with a login at hand', async () => {
    const readOnly = await serverThat((request, response) => {
      if (request.method !== 'GET') return response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return response.end(request.headers.authorization);
    });
    const source = await openSource(readOnly, { env: {}, authorization: 'Bearer secret' });
    expect(Buffer.from((await source.read('index.json', MOST))!.bytes).toString()).toBe('Bearer secret');
  });

  test('that takes no files says so before anything is signed', async () => {
    const readOnly = await serverThat((_request, response) => response.writeHead(405, { allow: 'GET, HEAD' }).end());
    expect(await codeOf(open(readOnly))).toBe('publishing.target_refused');
  });

  test.each(['ftp://host/x', 'https://user:pw@host/', 'https://host/?q', 's3://', 's3://UPPER/x', 's3://bucket/../x'])(
    '%s is no place',
    async (address) => {
      const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
      expect(await codeOf(openTarget(address, { env }))).toBe('publishing.target_invalid');
    },
  );
});
