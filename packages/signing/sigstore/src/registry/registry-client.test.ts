import { describe, expect, it } from 'vitest';
import { collectImageSignatures } from '../image-signature/collect.ts';
import type { RegistryCredential } from './credentials.ts';
import { digestOf, RegistryClient } from './registry-client.ts';
import { RegistryError } from './registry-error.ts';

const SECRET = 'hunter2-canary';
const PASSWORD: RegistryCredential = { kind: 'password', username: 'ann', password: SECRET };
const BYTES = new TextEncoder().encode('{"schemaVersion":2}');
const DIGEST = digestOf(BYTES);
const PLACE = { registry: 'registry.example', repository: 'acme/app' };

type Seen = { method: string; url: string; authorization: string | null; body: string };
type Answer = (request: Seen) => Response | Promise<Response>;

function setUp(answer: Answer, credential?: RegistryCredential) {
  const seen: Seen[] = [];
  const client = new RegistryClient({
    timeoutMs: 100_000,
    credentials: async () => credential,
    fetch: async (input, init = {}) => {
      const request = {
        method: init.method ?? 'GET',
        url: String(input),
        authorization: new Headers(init.headers).get('authorization'),
        body: init.body === undefined || init.body === null ? '' : String(init.body),
      };
      seen.push(request);
      expect(init.redirect).toBe('manual');
      return answer(request);
    },
  });
  return { client, seen };
}
const ok = (body: Uint8Array | string = BYTES, headers: Record<string, string> = {}) =>
  new Response(typeof body === 'string' ? body : new Uint8Array(body), { status: 200, headers });
const challenge = (header: string) => new Response('', { status: 401, headers: { 'www-authenticate': header } });
const failure = (promise: Promise<unknown>): Promise<RegistryError> =>
  promise.then(
    () => expect.fail('did not fail'),
    (error) => error,
  );

describe('authentication', () => {
  it('is anonymous where the registry asks for nothing', async () => {
    const { client, seen } = setUp(() => ok());
    await client.getManifest(PLACE, 'v1');
    expect(seen.map(({ url, authorization }) => [url, authorization])).toEqual([
      ['https://registry.example/v2/acme/app/manifests/v1', null],
    ]);
  });

  it('answers Basic with name and password, once for all that follows', async () => {
    const { client, seen } = setUp(
      ({ authorization }) => (authorization ? ok() : challenge('Basic realm="x"')),
      PASSWORD,
    );
    await client.getManifest(PLACE, 'v1');
    await client.getManifest(PLACE, 'v2');
    const basic = `Basic ${Buffer.from(`ann:${SECRET}`).toString('base64')}`;
    expect(seen.map(({ authorization }) => authorization)).toEqual([null, basic, basic]);
  });

  it.each([
    ['a password', PASSWORD],
    ['nothing', undefined],
  ])('fetches a Bearer token with %s', async (_, credential) => {
    const { client, seen } = setUp(({ url, authorization }) => {
      if (url.startsWith('https://auth.example/token')) return ok('{"token":"t-1"}');
      return authorization === 'Bearer t-1'
        ? ok()
        : challenge('Bearer realm="https://auth.example/token",service="registry.example"');
    }, credential);
    await client.getManifest(PLACE, 'v1');
    const token = new URL(seen[1]!.url);
    expect(Object.fromEntries(token.searchParams)).toEqual({
      service: 'registry.example',
      scope: 'repository:acme/app:pull',
    });
    expect(seen[1]!.authorization?.startsWith('Basic ') ?? false).toBe(credential !== undefined);
  });

  it('exchanges a refresh token in the body, never in the address', async () => {
    const { client, seen } = setUp(
      ({ url, authorization }) => {
        if (url.startsWith('https://auth.example')) return ok('{"access_token":"t-2"}');
        return authorization === 'Bearer t-2'
          ? ok()
          : challenge('Bearer realm="https://auth.example/oauth",service="s"');
      },
      { kind: 'refresh-token', token: SECRET },
    );
    await client.getManifest(PLACE, 'v1');
    expect(seen[1]!.method).toBe('POST');
    expect(Object.fromEntries(new URLSearchParams(seen[1]!.body))).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: SECRET,
    });
    expect(seen.some(({ url }) => url.includes(SECRET))).toBe(false);
  });

  it('asks for a token again when the old one has expired', async () => {
    let valid = 't-1';
    const { client } = setUp(({ url, authorization }) => {
      if (url.startsWith('https://auth.example')) return ok(JSON.stringify({ token: valid }));
      return authorization === `Bearer ${valid}` ? ok() : challenge('Bearer realm="https://auth.example/token"');
    });
    await client.getManifest(PLACE, 'v1');
    valid = 't-2';
    expect((await client.getManifest(PLACE, 'v1'))!.digest).toBe(DIGEST);
  });

  it.each([
    ['said by the endpoint', '{"token":"t","expires_in":300}', 300_000],
    ['said by nobody', '{"token":"t"}', 60_000],
    ['no time', '{"token":"t","expires_in":-1}', 60_000],
  ])('sends no token after its lifetime, %s', async (_, answer, lifetimeMs) => {
    let now = 5_000;
    const seen: (string | null)[] = [];
    const client = new RegistryClient({
      nowMs: () => now,
      fetch: async (input, init = {}) => {
        if (String(input).startsWith('https://auth.example')) return ok(answer);
        const authorization = new Headers(init.headers).get('authorization');
        seen.push(authorization);
        return authorization ? ok() : challenge('Bearer realm="https://auth.example/token"');
      },
    });
    await client.getManifest(PLACE, 'v1');
    now += lifetimeMs - 1;
    await client.getManifest(PLACE, 'v1');
    now += 1;
    await client.getManifest(PLACE, 'v1');
    expect(seen).toEqual([null, 'Bearer t', 'Bearer t', null, 'Bearer t']);
  });

  it('keeps few of many repositories, however many are named, and the one that is used', async () => {
    let exchanges = 0;
    const { client } = setUp(({ url, authorization }) => {
      if (!url.startsWith('https://auth.example'))
        return authorization ? ok() : challenge('Bearer realm="https://auth.example/token"');
      exchanges += 1;
      return ok('{"token":"t"}');
    });
    await client.getManifest(PLACE, 'v1');
    for (let i = 0; i < 600; i++) {
      await client.getManifest({ ...PLACE, repository: `acme/app-${i}` }, 'v1');
      if (i % 100 === 0) await client.getManifest(PLACE, 'v1');
    }
    expect(exchanges).toBe(601);
    await client.getManifest({ ...PLACE, repository: 'acme/app-0' }, 'v1');
    expect(exchanges).toBe(602);
  });

  it('takes no token that no server takes', async () => {
    const withToken = (length: number) =>
      setUp(({ url, authorization }) => {
        if (url.startsWith('https://auth.example')) return ok(JSON.stringify({ token: 't'.repeat(length) }));
        return authorization ? ok() : challenge('Bearer realm="https://auth.example/token"');
      }).client.getManifest(PLACE, 'v1');
    expect((await withToken(16 * 1024))?.digest).toBe(DIGEST);
    expect((await failure(withToken(16 * 1024 + 1))).code).toBe('registry.answer_invalid');
  });

  it.each([
    'http://auth.example/token',
    'http://registry.example/token',
    'https://ann@auth.example/token',
    'file:///etc/passwd',
    'not an address',
  ])('sends no credential to the token endpoint %s', async (realm) => {
    const { client, seen } = setUp(() => challenge(`Bearer realm="${realm}"`), PASSWORD);
    const error = await failure(client.getManifest(PLACE, 'v1'));
    expect(error.code).toBe('registry.token_endpoint_refused');
    expect(seen.length).toBe(1);
  });

  it('lets a registry on this machine have its token endpoint on itself', async () => {
    const { client } = setUp(({ url, authorization }) => {
      if (url.includes('/token')) return ok('{"token":"t"}');
      return authorization ? ok() : challenge('Bearer realm="http://localhost:5000/token"');
    });
    expect(await client.getManifest({ ...PLACE, registry: 'localhost:5000' }, 'v1')).toBeDefined();
  });

  it('does not follow a token endpoint that redirects', async () => {
    const { client, seen } = setUp(({ url }) => {
      if (url.startsWith('https://auth.example'))
        return new Response('', { status: 307, headers: { location: 'https://evil.example/' } });
      return challenge('Bearer realm="https://auth.example/token"');
    }, PASSWORD);
    expect((await failure(client.getManifest(PLACE, 'v1'))).code).toBe('registry.unauthorized');
    expect(seen.some(({ url }) => url.includes('evil'))).toBe(false);
  });

  it('says so when the credentials are not accepted, without repeating them', async () => {
    for (const header of ['Basic', 'Bearer realm="https://auth.example/token"', 'Negotiate']) {
      const { client } = setUp(
        ({ url }) => (url.startsWith('https://auth') ? ok('{"token":"t"}') : challenge(header)),
        PASSWORD,
      );
      const error = await failure(client.getManifest(PLACE, 'v1'));
      expect(error.code).toBe('registry.unauthorized');
      const shown = `${error.message} ${error.url} ${JSON.stringify(error)} ${String(error.cause)}`;
      expect(shown).not.toContain(SECRET);
      expect(shown).not.toContain(Buffer.from(`ann:${SECRET}`).toString('base64'));
    }
  });
});

describe('redirects', () => {
  it('of reads are followed without the credential', async () => {
    const { client, seen } = setUp(({ url, authorization }) => {
      if (url.startsWith('https://cdn.example')) return ok();
      return authorization
        ? new Response('', { status: 307, headers: { location: 'https://cdn.example/blob?sig=1' } })
        : challenge('Basic');
    }, PASSWORD);
    expect(await client.getBlob(PLACE, DIGEST, 1000)).toEqual(BYTES);
    expect(seen.at(-1)).toMatchObject({ url: 'https://cdn.example/blob?sig=1', authorization: null });
  });

  it.each([
    'http://cdn.example/blob',
    'http://169.254.169.254/latest',
    'https://ann:x@cdn.example/',
    'file:///etc/passwd',
  ])('to %s are refused', async (location) => {
    const { client, seen } = setUp(() => new Response('', { status: 302, headers: { location } }));
    expect((await failure(client.getBlob(PLACE, DIGEST, 1000))).code).toBe('registry.redirect_refused');
    expect(seen.length).toBe(1);
  });

  it('of writes, and without end, are refused', async () => {
    const { client } = setUp(({ url }) => new Response('', { status: 307, headers: { location: `${url}x` } }));
    expect((await failure(client.getManifest(PLACE, 'v1'))).code).toBe('registry.redirect_refused');
    const put = client.putManifest(PLACE, 'v1', { bytes: BYTES, mediaType: 'x' });
    expect((await failure(put)).code).toBe('registry.redirect_refused');
  });

  it('of uploads go to another place without the credential', async () => {
    const { client, seen } = setUp(({ method, authorization, url }) => {
      if (url.startsWith('https://store.example')) return new Response('', { status: 201 });
      if (!authorization) return challenge('Basic');
      if (method === 'HEAD') return new Response(null, { status: 404 });
      return new Response('', { status: 202, headers: { location: 'https://store.example/up?state=1' } });
    }, PASSWORD);
    await client.putBlob(PLACE, BYTES);
    expect(seen.at(-1)).toMatchObject({ method: 'PUT', authorization: null });
    expect(new URL(seen.at(-1)!.url).searchParams.get('digest')).toBe(DIGEST);
    expect(new URL(seen.at(-1)!.url).searchParams.get('state')).toBe('1');
  });
});

describe('content', () => {
  it('with another digest than its name is refused', async () => {
    const { client } = setUp(() => ok('something else', { 'content-type': 'x' }));
    expect((await failure(client.getBlob(PLACE, DIGEST, 1000))).code).toBe('registry.digest_mismatch');
    expect((await failure(client.getManifest(PLACE, DIGEST))).code).toBe('registry.digest_mismatch');
    const lying = setUp(() => ok('something else', { 'docker-content-digest': DIGEST })).client;
    expect((await failure(lying.getManifest(PLACE, 'v1'))).code).toBe('registry.digest_mismatch');
  });

  it('past the limit is not read, whether it is declared or not', async () => {
    let produced = 0;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            produced += 65_536;
            controller.enqueue(new Uint8Array(65_536));
          },
        }),
      );
    const { client } = setUp(endless);
    expect((await failure(client.getBlob(PLACE, DIGEST, 1_000_000))).code).toBe('registry.too_large');
    expect(produced).toBeLessThan(2_000_000);
    const declared = setUp(() => ok('x', { 'content-length': String(1024 ** 3) })).client;
    expect((await failure(declared.getBlob(PLACE, DIGEST, 1000))).code).toBe('registry.too_large');
  });

  it('that does not come in time ends with a code, also in the middle', async () => {
    const never = setUp(
      (request) =>
        new Promise((_, reject) =>
          setTimeout(() => reject(Object.assign(new Error(request.url), { name: 'TimeoutError' })), 10),
        ),
    );
    expect((await failure(never.client.getManifest(PLACE, 'v1'))).code).toBe('registry.timeout');
    const broken = setUp(
      () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })),
    );
    expect((await failure(broken.client.getManifest(PLACE, 'v1'))).code).toBe('registry.unreachable');
  });

  it.each([
    [404, 'registry.not_found'],
    [403, 'registry.denied'],
    [400, 'registry.refused'],
    [429, 'registry.unavailable'],
    [503, 'registry.unavailable'],
  ])('that is answered with %d is %s', async (status, code) => {
    const { client } = setUp(() => new Response('<script>', { status }));
    const error = await failure(client.getBlob(PLACE, DIGEST, 1000));
    expect([error.code, error.status, error.message.includes('script')]).toEqual([code, status, false]);
  });

  it('of a manifest that is not there is undefined, and of an image an error', async () => {
    const { client } = setUp(() => new Response('', { status: 404 }));
    expect(await client.getManifest(PLACE, 'v1')).toBeUndefined();
    expect((await failure(client.resolve({ ...PLACE, tag: 'v1' }))).code).toBe('registry.not_found');
  });
});

describe('referrers', () => {
  const index = (link?: string) =>
    ok('{}', { 'content-type': 'application/vnd.oci.image.index.v1+json', ...(link ? { link } : {}) });

  it.each([404, 400, 405, 406])('are unknown to a registry that answers %d', async (status) => {
    const { client } = setUp(() => new Response('', { status }));
    expect(await client.getReferrers(PLACE, DIGEST, { maxPages: 2 })).toBeUndefined();
  });

  it('are unknown to a registry that answers with something else', async () => {
    const { client } = setUp(() => ok('<html>', { 'content-type': 'text/html' }));
    expect(await client.getReferrers(PLACE, DIGEST, { maxPages: 2 })).toBeUndefined();
  });

  it('are read page by page, within the registry, to a limit', async () => {
    const paged = setUp(({ url }) =>
      index(url.includes('last=') ? undefined : '</v2/acme/app/referrers/x?last=1>; rel="next"'),
    );
    const read = async ({ client }: typeof paged, maxPages: number) => {
      const { pages, isComplete } = (await client.getReferrers(PLACE, DIGEST, { maxPages }))!;
      return [pages.length, isComplete];
    };
    expect(await read(paged, 2)).toEqual([2, true]);
    expect(
      await read(
        setUp(() => index('<https://evil.example/next>; rel="next"')),
        5,
      ),
    ).toEqual([1, false]);
    expect(
      await read(
        setUp(() => index('</v2/acme/app/referrers/x?last=1>; rel="next"')),
        5,
      ),
    ).toEqual([5, false]);
  });

  it.each([
    ['</v2/acme/app/referrers/x?last=1>; rel=next', 2],
    ['</v2/acme/app/referrers/x?last=1>; title="more"; rel="next"', 2],
    ['</first>; rel="first", </v2/acme/app/referrers/x?last=1>; rel="last next"', 2],
    ['</first>; rel="first"', 1],
  ])('have a next page by %s', async (link, expected) => {
    const { client } = setUp(({ url }) => index(url.includes('last=') ? undefined : link));
    expect(await client.getReferrers(PLACE, DIGEST, { maxPages: 5 })).toMatchObject({
      pages: { length: expected },
      isComplete: true,
    });
  });

  it.each(['<::not an address::>; rel="next"', 'https://registry.example/; rel=next', '; rel="next"'])(
    'are not complete where the next page has no address that can be asked: %s',
    async (link) => {
      const { client } = setUp(() => index(link));
      expect(await client.getReferrers(PLACE, DIGEST, { maxPages: 5 })).toMatchObject({ isComplete: false });
    },
  );
});

describe('a view until a signal', () => {
  const image = { ...PLACE, digest: DIGEST, mediaType: 'x', size: BYTES.length };
  /** A registry with one image and no tags, silent at some addresses: as fetch is, until the signal of the request. */
  const silentAt = (silent: string) =>
    setUpWith((url, signal) =>
      url.includes(silent)
        ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : url.includes('/manifests/sha256-')
          ? new Response('', { status: 404 })
          : ok(),
    );

  function setUpWith(answer: (url: string, signal: AbortSignal | null | undefined) => Response | Promise<Response>) {
    const seen: string[] = [];
    const client = new RegistryClient({
      timeoutMs: 5_000,
      fetch: async (input, init = {}) => {
        seen.push(String(input));
        return answer(String(input), init.signal);
      },
    });
    return { client, seen };
  }

  it('ends a request that is open, with the code of a timeout, and asks nothing more', async () => {
    const { client, seen } = silentAt('/referrers/');
    const ended = new AbortController();
    const view = client.until(ended.signal);
    expect((await view.resolve({ ...PLACE, digest: DIGEST })).digest).toBe(DIGEST);
    const collecting = failure(collectImageSignatures(view, image));
    setTimeout(() => ended.abort(), 20);
    const error = await collecting;
    expect(error).toBeInstanceOf(RegistryError);
    expect([error.code, error.message]).toEqual([
      'registry.timeout',
      'the time was over before registry.example answered',
    ]);
    const asked = seen.length;
    expect((await failure(view.getBlob(PLACE, DIGEST, 1000))).code).toBe('registry.timeout');
    expect(seen).toHaveLength(asked);
  });

  it('ends the exchange of a token, and a look for credentials that knows no signal', async () => {
    const exchange = setUpWith((url, signal) =>
      url.startsWith('https://auth.example')
        ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : challenge('Bearer realm="https://auth.example/token"'),
    );
    const late = AbortSignal.timeout(20);
    expect((await failure(exchange.client.until(late).getManifest(PLACE, 'v1'))).code).toBe('registry.timeout');
    const client = new RegistryClient({
      fetch: async () => challenge('Basic'),
      credentials: () => new Promise(() => {}),
    });
    const other = AbortSignal.timeout(20);
    expect((await failure(client.until(other).getManifest(PLACE, 'v1'))).code).toBe('registry.timeout');
  });

  it('has the tokens of its client, which goes on without it', async () => {
    let exchanges = 0;
    const client = new RegistryClient({
      fetch: async (input, init = {}) => {
        if (String(input).startsWith('https://auth.example')) return ok(`{"token":"t-${++exchanges}"}`);
        return new Headers(init.headers).has('authorization')
          ? ok()
          : challenge('Bearer realm="https://auth.example/token"');
      },
    });
    const ended = new AbortController();
    await client.until(ended.signal).getManifest(PLACE, 'v1');
    ended.abort();
    expect((await client.getManifest(PLACE, 'v1'))?.digest).toBe(DIGEST);
    expect(exchanges).toBe(1);
  });

  it('says to work beside requests whether there is time left', () => {
    const ended = new AbortController();
    const { client } = setUpWith(() => ok());
    const view = client.until(ended.signal);
    view.assertInTime();
    ended.abort('over');
    expect(() => view.assertInTime()).toThrow(
      expect.objectContaining({
        code: 'registry.timeout',
        message: 'the time was over before the work was done',
        cause: 'over',
      }),
    );
    client.assertInTime();
  });

  it('of a view ends with either signal', async () => {
    const { client, seen } = setUpWith(() => ok());
    const never = new AbortController().signal;
    for (const view of [
      client.until(AbortSignal.abort()).until(never),
      client.until(never).until(AbortSignal.abort()),
    ]) {
      expect((await failure(view.getManifest(PLACE, 'v1'))).code).toBe('registry.timeout');
    }
    expect(seen).toEqual([]);
  });
});
