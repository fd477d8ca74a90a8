import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CatalogError } from '../catalog-error/catalog-error.ts';
import { parseFeedAddress } from './feed-address.ts';
import { type CatalogFetchOptions, fetchCatalog } from './fetch-catalog.ts';

const BODY = '{"catalogVersion":"1","count":0,"vulnerabilities":[]}';

/** A feed on loopback, and what it was asked. */
async function serve(answer: RequestListener): Promise<{ url: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/kev.json`, asked };
}

const status = (code: number, headers: Record<string, string> = {}) => {
  return (_: IncomingMessage, response: ServerResponse) => response.writeHead(code, headers).end('<b>SECRET</b>');
};
const textOf = async (options: CatalogFetchOptions) => {
  const fetched = await fetchCatalog(options);
  return fetched.isUnchanged ? undefined : new TextDecoder().decode(fetched.bytes);
};
const refusalOf = async (options: CatalogFetchOptions): Promise<CatalogError> => {
  const error = await fetchCatalog(options).then(
    () => undefined,
    (refused: unknown) => refused,
  );
  if (!(error instanceof CatalogError)) throw new Error('not refused', { cause: error });
  return error;
};

test('the bytes come with what the server says of them, whatever it calls their type', async () => {
  const { url, asked } = await serve((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', etag: 'W/"7"', 'last-modified': 'Fri, 20 Nov 2026 10:00:00 GMT' })
      .end(BODY),
  );
  const fetched = await fetchCatalog({ feed: url });
  expect(fetched).toEqual({
    isUnchanged: false,
    bytes: new Uint8Array(Buffer.from(BODY)),
    etag: 'W/"7"',
    lastModified: 'Fri, 20 Nov 2026 10:00:00 GMT',
  });
  expect(asked[0]!.headers['if-none-match']).toBeUndefined();
});

describe('a conditional question', () => {
  const previous = { etag: '"1"', lastModified: 'Fri, 20 Nov 2026 10:00:00 GMT' };

  test('sends what the kept copy came with, and takes 304 for unchanged', async () => {
    const { url, asked } = await serve((_, response) => response.writeHead(304).end());
    expect(await fetchCatalog({ feed: url, previous })).toEqual({ isUnchanged: true });
    expect(asked[0]!.headers).toMatchObject({
      'if-none-match': '"1"',
      'if-modified-since': 'Fri, 20 Nov 2026 10:00:00 GMT',
    });
  });

  test('takes the new bytes where there are some', async () => {
    const { url } = await serve((_, response) => response.writeHead(200, { etag: '"2"' }).end(BODY));
    expect(await fetchCatalog({ feed: url, previous })).toMatchObject({ isUnchanged: false, etag: '"2"' });
  });

  test.each([
    [undefined, ''],
    [{}, ''],
    [previous, '?mirror=2'],
    [{ etag: '"1"\r\nx-evil: 1' }, ''],
    [{ etag: 'e'.repeat(513) }, ''],
  ])('%j with %j asks without conditions, and 304 is then no answer', async (kept, query) => {
    const { url, asked } = await serve((_, response) => response.writeHead(304).end());
    expect(await refusalOf({ feed: url + query, previous: kept })).toMatchObject({
      code: 'feeds.catalog_answer_invalid',
      facts: { checked: url, found: 'HTTP 304' },
    });
    expect(asked[0]!.headers['if-none-match']).toBeUndefined();
    expect(asked[0]!.headers['x-evil']).toBeUndefined();
  });
});

test.each([
  [401, 'feeds.catalog_refused'],
  [403, 'feeds.catalog_refused'],
  [404, 'feeds.catalog_not_found'],
  [410, 'feeds.catalog_not_found'],
  [204, 'feeds.catalog_answer_invalid'],
  [206, 'feeds.catalog_answer_invalid'],
  [400, 'feeds.catalog_answer_invalid'],
  [501, 'feeds.catalog_answer_invalid'],
  [302, 'feeds.catalog_answer_invalid'],
])('HTTP %i is %s, asked once, and nothing of its body is said', async (code, expected) => {
  const { url, asked } = await serve(status(code));
  const refusal = await refusalOf({ feed: url });
  expect(refusal.code).toBe(expected);
  expect(JSON.stringify([refusal.message, refusal.facts])).not.toContain('SECRET');
  expect(asked).toHaveLength(1);
});

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
  ['ECONNRESET', /again later/],
])('a connection that fails for %s says what helps', async (code, next) => {
  const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) }));
  const { facts } = await refusalOf({ feed: 'https://feed.example/kev.json', fetch });
  expect([facts.found, facts.next]).toEqual([code, expect.stringMatching(next)]);
});

test.each([429, 500, 502, 503, 504])('HTTP %i may pass: it is asked three times', async (code) => {
  const { url, asked } = await serve(status(code));
  expect((await refusalOf({ feed: url })).code).toBe('feeds.catalog_unreachable');
  expect(asked).toHaveLength(3);
});

test.each([
  ['3600', 1, 'a retry after 3600 s'],
  ['Sat, 21 Nov 2026 13:00:00 GMT', 1, 'a retry after Sat, 21 Nov 2026 13:00:00 GMT'],
  ['0', 3, undefined],
  ['\u0080soon', 3, undefined],
])('a feed that says Retry-After: %s is asked %i times', async (retryAfter, times, expected) => {
  const { url, asked } = await serve(status(429, { 'retry-after': retryAfter }));
  const { code, facts } = await refusalOf({ feed: url });
  expect([code, facts.expected]).toEqual(['feeds.catalog_unreachable', expected]);
  expect(asked).toHaveLength(times);
});

test('a feed that fails once is read all the same', async () => {
  let times = 0;
  const { url } = await serve((_, response) => {
    times += 1;
    if (times === 1) response.writeHead(503).end();
    else response.end(BODY);
  });
  expect(await textOf({ feed: url })).toBe(BODY);
});

test('nobody there is a peer that is down', async () => {
  const { url } = await serve(status(200));
  const port = Number(new URL(url).port);
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const free = (server.address() as AddressInfo).port;
  server.close();
  await once(server, 'close');
  expect(free).not.toBe(port);
  expect(await refusalOf({ feed: `http://127.0.0.1:${free}/` })).toMatchObject({
    code: 'feeds.catalog_unreachable',
    facts: { found: 'ECONNREFUSED' },
  });
});

describe('what takes too long or too much', () => {
  test('a server that says nothing', async () => {
    const { url, asked } = await serve(() => {});
    expect(await refusalOf({ feed: url, timeoutMs: 50 })).toMatchObject({
      code: 'feeds.catalog_unreachable',
      facts: { found: 'timeout' },
    });
    // Not asked twice. On a busy machine the time may be over before it is asked at all.
    expect(asked.length).toBeLessThan(2);
  });

  test('a server that trickles', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200);
      const trickle = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(trickle));
    });
    expect((await refusalOf({ feed: url, timeoutMs: 200 })).code).toBe('feeds.catalog_unreachable');
  });

  test('a server that breaks off', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{');
      setTimeout(() => response.destroy(), 10);
    });
    expect((await refusalOf({ feed: url })).code).toBe('feeds.catalog_unreachable');
  });

  test.each([
    ['that it announces', true],
    ['that it does not announce', false],
  ])('200 MB %s are not read', async (_title, isAnnounced) => {
    let sent = 0;
    const { url } = await serve((_, response) => {
      response.writeHead(200, isAnnounced ? { 'content-length': '200000000' } : {});
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      const send = () => {
        while (sent < 200_000_000 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return;
        }
        response.end();
      };
      response.on('drain', send);
      send();
    });
    expect((await refusalOf({ feed: url, maxBytes: 1024 * 1024 })).code).toBe('feeds.catalog_too_large');
    expect(sent).toBeLessThan(50_000_000);
  });

  test('a bomb: few bytes that unpack to many', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const { url } = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    expect(bomb.length).toBeLessThan(100_000);
    expect((await refusalOf({ feed: url, maxBytes: 1024 * 1024 })).code).toBe('feeds.catalog_too_large');
  });

  test('what is packed and fits is unpacked', async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(BODY)),
    );
    expect(await textOf({ feed: url, maxBytes: BODY.length })).toBe(BODY);
  });

  test('a caller that gives up is told so, and no code', async () => {
    const { url } = await serve(() => {});
    const stop = new AbortController();
    const fetched = fetchCatalog({ feed: url, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(fetched).rejects.toThrow('enough');
  });
});

describe('redirects', () => {
  test('within one host are followed', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/kev.json') response.writeHead(302, { location: '/feeds/kev.json' }).end();
      else response.end(BODY);
    });
    expect(await textOf({ feed: url })).toBe(BODY);
  });

  test('elsewhere are not, and nobody there is asked', async () => {
    const other = await serve((_, response) => response.end(BODY));
    for (const code of [301, 302, 303, 307, 308]) {
      const { url } = await serve(status(code, { location: `${other.url}?token=x` }));
      expect(await refusalOf({ feed: url })).toMatchObject({
        code: 'feeds.catalog_redirect_refused',
        facts: { checked: url, found: other.url },
      });
    }
    expect(other.asked).toHaveLength(0);
  });

  test.each(['http://dana:pw@127.0.0.1', 'http://localhost', 'file:///etc/passwd', 'ftp://127.0.0.1/'])(
    'to %s are not followed either',
    async (start) => {
      const { url } = await serve((request, response) => {
        const place = start.startsWith('file') ? start : `${start}:${request.socket.localPort}/x`;
        response.writeHead(302, { location: place }).end();
      });
      expect((await refusalOf({ feed: url })).code).toBe('feeds.catalog_redirect_refused');
    },
  );

  test('to what is no place of the web are named by their kind', async () => {
    const { url } = await serve(status(302, { location: 'file:///etc/passwd' }));
    expect((await refusalOf({ feed: url })).facts.found).toBe('an address of file:');
  });

  // Each of them means this machine, or a place that only it can reach.
  const elsewhere = [
    ...[
      'PORT',
      '127.1:PORT',
      '2130706433:PORT',
      '0x7f.1:PORT',
      '0x7f000001:PORT',
      '017700000001:PORT',
      '0177.0.0.1:PORT',
    ],
    ...['127.0.0.1.:PORT', '127.0.0.2:PORT', '0.0.0.0:PORT', '0:PORT', '[::1]:PORT', '[::]:PORT'],
    ...['[::ffff:127.0.0.1]:PORT', '[::ffff:7f00:1]:PORT', '[64:ff9b::7f00:1]:PORT', '[fe80::1]:PORT'],
    ...[
      'localhost:PORT',
      'LOCALHOST:PORT',
      'localhost.:PORT',
      '127.0.0.1:PORT',
      '127%2e0.0.1:PORT',
      '%31%32%37.0.0.1:PORT',
    ],
    ...['user@127.0.0.1:PORT', '127.0.0.1:OWN@127.0.0.1:PORT', '127.0.0.1:OWN%2f@127.0.0.1:PORT', ':@127.0.0.1:PORT'],
    ...['169.254.169.254', '2852039166', '[fd00:ec2::254]', 'metadata.google.internal', '10.0.0.1', '192.168.0.1'],
  ].map((host) => `http://${host}/x`);
  test.each([
    ...elsewhere,
    ...['//127.0.0.1:PORT/x', '\\\\127.0.0.1:PORT/x', 'http:\\\\127.0.0.1:PORT/x', '\t//127.0.0.1:PORT/x'],
    // Another service of the same host.
    ...['https://127.0.0.1:PORT/x', 'https://127.0.0.1:OWN/x', 'https://user@127.0.0.1/x'],
    ...['blob:http://127.0.0.1:OWN/x', 'filesystem:http://127.0.0.1:OWN/x', 'data:application/json,{}', 'javascript:0'],
    ...['gopher://127.0.0.1:PORT/x', 'ws://127.0.0.1:OWN/x', 'file:///etc/passwd', 'about:blank', 'urn:x:y'],
  ])('to %j open no connection', async (place) => {
    const other = await serve((_, response) => response.end(BODY));
    const asked: string[] = [];
    const feed = 'http://127.0.0.1:4242/kev.json';
    const location = place.replace('PORT', new URL(other.url).port).replace('OWN', '4242');
    const fetch = async (url: string | URL | Request) => {
      asked.push(String(url));
      const headers = new Headers({ location: location.startsWith('\t') ? location.slice(1) : location });
      return new Response(null, { status: 302, headers });
    };
    const { code } = await refusalOf({ feed, fetch });
    expect(code).toMatch(/^feeds\.catalog_(?:redirect_refused|answer_invalid)$/);
    expect([asked, other.asked]).toEqual([[feed], []]);
  });

  test('from http to https of the same host are followed, by the port of https', async () => {
    const asked: string[] = [];
    const fetch = async (url: string | URL | Request) => {
      asked.push(String(url));
      const location = 'https://feed.example/kev.json';
      return asked.length > 1 ? new Response(BODY) : new Response(null, { status: 301, headers: { location } });
    };
    expect(await textOf({ feed: 'http://feed.example/kev.json', allowHttp: true, fetch })).toBe(BODY);
    expect(asked).toEqual(['http://feed.example/kev.json', 'https://feed.example/kev.json']);
  });

  test('in circles end', async () => {
    const { url, asked } = await serve(status(302, { location: '/kev.json' }));
    expect((await refusalOf({ feed: url })).code).toBe('feeds.catalog_redirect_refused');
    expect(asked).toHaveLength(4);
  });

  test('from https to http never', async () => {
    const fetch = async () =>
      new Response(null, { status: 302, headers: { location: 'http://feed.example/kev.json' } });
    expect((await refusalOf({ feed: 'https://feed.example/kev.json', fetch })).code).toBe(
      'feeds.catalog_redirect_refused',
    );
  });
});

describe('a feed', () => {
  test.each([
    'ftp://feed.example/kev.json',
    'https://dana:secret@feed.example/kev.json',
    'HTTPS:dana:secret@feed.example/kev.json',
    'http:/dana:secret@feed.example/kev.json',
    'https://secret@feed.example/kev.json',
    'https://:secret@feed.example/kev.json',
    'http://feed.example/kev.json',
    'http://127.0.0.1.feed.example/',
    'https://',
    'javascript://x',
    'file://feed.example/kev.json',
  ])('at %s is not asked, and no login is repeated', async (feed) => {
    const refusal = await refusalOf({ feed, fetch: () => Promise.reject(new Error('was asked')) });
    expect(refusal.code).toBe('feeds.catalog_address_refused');
    expect(JSON.stringify([refusal.message, refusal.facts])).not.toContain('secret');
  });

  test('over plain http is read where that is asked for', async () => {
    const fetch = async () => new Response(BODY);
    expect(await textOf({ feed: 'http://feed.example/kev.json', allowHttp: true, fetch })).toBe(BODY);
  });

  test('is known by its address without query and fragment, or by the whole name of its file', () => {
    const { name, url } = parseFeedAddress('https://feed.example/kev.json?key=1#top');
    expect([name, url?.href]).toEqual(['https://feed.example/kev.json', 'https://feed.example/kev.json?key=1']);
    expect(parseFeedAddress('kev.json')).toEqual({ file: 'kev.json', name: join(process.cwd(), 'kev.json') });
    expect(parseFeedAddress('file:///data/kev.json')).toEqual({ file: '/data/kev.json', name: '/data/kev.json' });
  });
});

describe('a file', () => {
  const folder = () => temporaryFolder(onTestFinished);

  test('is read whole, as long as it is no longer than may be', async () => {
    const file = join(folder(), 'kev.json');
    writeFileSync(file, BODY);
    expect(await textOf({ feed: file, maxBytes: BODY.length })).toBe(BODY);
    expect(await textOf({ feed: `file://${file}` })).toBe(BODY);
    expect((await refusalOf({ feed: file, maxBytes: BODY.length - 1 })).code).toBe('feeds.catalog_too_large');
  });

  test('that is not there, or is a folder, is told', async () => {
    const place = folder();
    expect(await refusalOf({ feed: join(place, 'none.json') })).toMatchObject({
      code: 'feeds.catalog_file_unreadable',
      message: expect.stringContaining('there is no such file'),
    });
    expect((await refusalOf({ feed: place })).code).toBe('feeds.catalog_file_unreadable');
  });
});
