import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { IncomingMessage, request, type Server } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { JsonValue } from '@colophon/json';
import { type Signer, SigningKey } from '@colophon/keys';
import { RUN_ENDS, type WitnessReceipt } from '@colophon/records';
import { type FakeClock, fakeClock, selfSigned, startModelProvider, temporaryFolder } from '@colophon/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readReceipt } from '../receipt/receipt-envelope.ts';
import { Witness } from '../witness/witness.ts';
import { WitnessError } from '../witness-error/witness-error.ts';
import { ControlApi, type JournalEntry, LONGEST_RUN_MS, type RunJournal, type ServedUpstream } from './control-api.ts';

const key = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const ISSUER = 'https://agents.example.com';
const SECRETS = { ci: 'ci-secret-of-32-characters-or-so', cd: 'cd-secret-of-32-characters-or-so' } as const;
type Caller = keyof typeof SECRETS;
const HASH = 'a'.repeat(64);
const RUN = { agent_name: 'code-writer', agent_version: '2.4.1', policy_pack_hash: `sha256:${'b'.repeat(64)}` };
const HOUR = 3_600_000;
const upstreamOf = (slot: string, api: ServedUpstream['api'], address = 'http://127.0.0.1:1'): ServedUpstream => ({
  slot,
  name: slot,
  api,
  base: new URL(address),
});

type Started = {
  readonly server: Server;
  readonly api: ControlApi;
  readonly witness: Witness;
  readonly clock: FakeClock;
  readonly lines: string[];
  ask(path: string, asking?: Asking): Promise<Answer>;
  /** Opens a run; its id. */
  open(body?: object, caller?: Caller): Promise<string>;
  receiptOf(id: string, caller?: Caller): Promise<WitnessReceipt>;
};
type Asking = {
  readonly method?: string;
  readonly caller?: Caller;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
};
type Answer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what comes over the wire has no type before it is looked at
  readonly json: any;
};

/** The control interface of a witness, on a port of its own or on a Unix socket. */
async function start({
  upstreams = [upstreamOf('anthropic', 'anthropic')],
  agentsUrl = 'http://witness.example:7300',
  signer = key as Signer,
  socketPath = undefined as string | undefined,
  journal = undefined as RunJournal | undefined,
} = {}): Promise<Started> {
  const clock = fakeClock();
  const lines: string[] = [];
  const random = { bytes: (length: number) => randomBytes(length), uuid: () => randomUUID() };
  const witness = new Witness({ key: signer, place: 'isolated', upstreams, now: clock.now, random });
  const api = new ControlApi({
    witness,
    callers: Object.entries(SECRETS).map(([name, secret]) => ({
      name,
      secretHash: createHash('sha256').update(secret).digest(),
    })),
    issuer: ISSUER,
    upstreams,
    agentsUrl,
    ...(journal && { journal }),
    logger: { info: (fields, message) => void lines.push(JSON.stringify({ ...fields, message })) },
    now: clock.now,
  });
  const server = api.createServer();
  const place = socketPath === undefined ? { host: '127.0.0.1', port: 0 } : { path: socketPath };
  await new Promise<void>((resolve) => server.listen(place, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const target =
    socketPath === undefined ? { host: '127.0.0.1', port: (server.address() as AddressInfo).port } : { socketPath };
  const ask: Started['ask'] = async (path, { method = 'GET', caller = 'ci', headers, body } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const shown = headers ?? { authorization: `Bearer ${SECRETS[caller]}` };
    const asked = request({ ...target, path, method, headers: shown, agent: false }, resolve).on('error', reject);
    asked.end(
      body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    );
    const answer = await promise;
    const text = (await buffer(answer)).toString();
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    };
  };
  return {
    ...{ server, api, witness, clock, lines, ask },
    open: async (body = RUN, caller = 'ci') => {
      const { status, json } = await ask('/runs', { method: 'POST', body, caller });
      if (status !== 201) throw new Error(`${status} ${json.code}`);
      return json.run_id as string;
    },
    receiptOf: async (id, caller = 'ci') => receiptIn((await ask(`/runs/${id}/receipt`, { caller })).json),
  };
}

/** What a signed receipt says; its signature is verified. */
function receiptIn(envelope: JsonValue): WitnessReceipt {
  const read = readReceipt(envelope, (keyId) => (keyId === key.kid ? key.publicKey : undefined), undefined);
  if (!read.ok) throw new Error(read.fault);
  return read.receipt;
}

/** Status and code; each error is a problem document with words, and its connection ends. */
function outcomeOf({ status, headers, json }: Answer): string {
  if (status < 300) return `${status}`;
  expect(headers['content-type']).toBe('application/problem+json');
  expect(headers['cache-control']).toBe('no-store');
  expect(WitnessError.codes).toContain(json.code);
  expect(json).toMatchObject({
    type: 'about:blank',
    status,
    title: expect.stringMatching(/\w/),
    detail: expect.any(String),
  });
  return `${status} ${json.code}`;
}

const UNKNOWN = '404 witness.run_unknown';
const INVALID = '400 witness.request_invalid';
const post = (body: unknown, caller: Caller = 'ci'): Asking => ({ method: 'POST', body, caller });

describe('a caller that opens a run', () => {
  it('is given its id, and a base URL for each API', async () => {
    const upstreams = [
      upstreamOf('anthropic', 'anthropic'),
      upstreamOf('second', 'anthropic'),
      upstreamOf('openai', 'openai', 'https://api.openai.com/v1'),
    ];
    const { ask } = await start({ upstreams });
    const { status, json, headers } = await ask('/runs', post(RUN));
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([201, 'application/json', 'no-store']);
    expect(json).toEqual({
      run_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      base_urls: {
        anthropic: expect.stringMatching(/^http:\/\/witness\.example:7300\/[A-Za-z0-9_-]{43}\/anthropic$/),
        openai: expect.stringMatching(/^http:\/\/witness\.example:7300\/[A-Za-z0-9_-]{43}\/openai\/v1$/),
      },
    });
    const tokens = Object.values(json.base_urls as Record<string, string>).map((url) => url.split('/')[3]);
    expect(new Set(tokens).size).toBe(1);
    expect((await ask('/runs', post(RUN))).text).not.toContain(tokens[0]);
  });

  it('has the run under its own name, for the issuer of the configuration', async () => {
    const { open, receiptOf } = await start();
    const run = {
      ...RUN,
      prompt_hash: HASH.toUpperCase(),
      policy_pack_hash: 'B'.repeat(64),
      caller: 'cd',
      issuer: 'x',
    };
    expect(await receiptOf(await open(run, 'cd'), 'cd')).toMatchObject({
      caller: 'cd',
      issuer: ISSUER,
      agent: { name: 'code-writer', version: '2.4.1' },
      input: { prompt_hash: `sha256:${HASH}`, prompt_seen: false },
      policy: { pack_hash: `sha256:${'b'.repeat(64)}` },
    });
  });

  it.each<[string, object]>([
    ['no agent', { agent_name: undefined }],
    ['an agent that is a number', { agent_name: 5 }],
    ['an agent with a slash', { agent_name: 'a/b' }],
    ['no version', { agent_version: undefined }],
    ['a version in two words', { agent_version: '1 2' }],
    ['no policy pack', { policy_pack_hash: undefined }],
    ['a policy pack by its name', { policy_pack_hash: 'default' }],
    ['a short hash', { policy_pack_hash: 'sha256:aa' }],
    ['a prompt that is null', { prompt_hash: null }],
    ['a prompt in words', { prompt_hash: 'Fix the bug.' }],
    ['an empty prompt hash', { prompt_hash: '' }],
  ])('is refused with %s, and no run is opened', async (_what, changes) => {
    const { ask, lines } = await start();
    const answer = await ask('/runs', post({ ...RUN, ...changes }));
    expect(outcomeOf(answer)).toBe(INVALID);
    expect(answer.text).not.toContain('Fix the bug.');
    expect(lines).toEqual([]);
  });

  it('is logged by the run and its own name, and by no secret', async () => {
    const { ask, lines } = await start();
    const { json } = await ask('/runs', post(RUN));
    await ask(`/runs/${json.run_id}/end`, post({ reason: 'exited' }));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { run_id: json.run_id, caller: 'ci' },
      { run_id: json.run_id, caller: 'ci' },
    ]);
    const token = String(json.base_urls.anthropic).split('/')[3]!;
    for (const secret of [token, SECRETS.ci]) expect(lines.join('\n')).not.toContain(secret);
  });

  it('may come over a Unix socket', async () => {
    const { ask, open, receiptOf } = await start({ socketPath: join(temporaryFolder(onTestFinished), 'control.sock') });
    expect((await receiptOf(await open())).caller).toBe('ci');
    expect(outcomeOf(await ask('/runs', { ...post(RUN), headers: {} }))).toBe('401 witness.unauthorized');
  });

  it('may come over TLS', async () => {
    const { api } = await start();
    const { cert, key: tlsKey } = selfSigned('localhost');
    const server = api.createServer({ cert, key: tlsKey });
    await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
    onTestFinished(() => void server.close());
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const { port } = server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${SECRETS.ci}` };
    const options = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      ca: cert,
      path: '/runs',
      method: 'POST',
      headers,
    };
    requestOverTls({ ...options, agent: false }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end(JSON.stringify(RUN));
    expect(await promise).toBe(201);
  });
});

describe('who shows no credential of a caller', () => {
  it.each<[string, Record<string, string>]>([
    ['none', {}],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another one', { authorization: `Bearer ${'x'.repeat(32)}` }],
    ['its beginning', { authorization: `Bearer ${SECRETS.ci.slice(0, -1)}` }],
    ['one and more', { authorization: `Bearer ${SECRETS.ci}x` }],
    ['one and a word', { authorization: `Bearer ${SECRETS.ci} x` }],
    ['one without its scheme', { authorization: SECRETS.ci }],
    ['one by another scheme', { authorization: `Basic ${SECRETS.ci}` }],
    ['its hash', { authorization: `Bearer ${createHash('sha256').update(SECRETS.ci).digest('hex')}` }],
    ['the name of a caller', { authorization: 'Bearer ci' }],
    ['two at once', { authorization: `Bearer ${SECRETS.ci}, Bearer ${SECRETS.cd}` }],
  ])('is told nothing but that: %s', async (_what, headers) => {
    const { ask, open, receiptOf } = await start();
    const id = await open();
    const attempts: Array<[string, Asking]> = [
      ['/runs', post(RUN)],
      ['/runs', post('no JSON')],
      [`/runs/${id}/receipt`, {}],
      [`/runs/${id}/end`, post({ reason: 'exited' })],
      [`/runs/${randomUUID()}/receipt`, {}],
      ['/', {}],
    ];
    const texts = new Set<string>();
    for (const [path, asking] of attempts) {
      const answer = await ask(path, { ...asking, headers });
      expect([outcomeOf(answer), answer.headers['www-authenticate']]).toEqual(['401 witness.unauthorized', 'Bearer']);
      texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
    expect([...texts][0]).not.toContain(SECRETS.ci);
    expect(await receiptOf(id)).not.toHaveProperty('ended_at');
  });

  it('is let in by the scheme in any case, and with more than one space', async () => {
    const { ask } = await start();
    for (const authorization of [`bearer ${SECRETS.ci}`, `BEARER   ${SECRETS.ci}`]) {
      expect((await ask('/runs', { ...post(RUN), headers: { authorization } })).status).toBe(201);
    }
  });
});

describe('a run of another caller', () => {
  it('is no run: it is neither shown nor ended, and told apart from none in nothing', async () => {
    const { ask, open, receiptOf } = await start();
    const id = await open();
    const asked = async (run: string) => [
      (await ask(`/runs/${run}/receipt`, { caller: 'cd' })).text,
      (await ask(`/runs/${run}/end`, post({ reason: 'exited' }, 'cd'))).text,
      (await ask(`/runs/${run}/end`, post('no JSON', 'cd'))).text,
      (await ask(`/runs/${run}/receipt`, { method: 'DELETE', caller: 'cd' })).text,
    ];
    expect(await asked(id)).toEqual(await asked(randomUUID()));
    expect(outcomeOf(await ask(`/runs/${id}/end`, post({ reason: 'exited' }, 'cd')))).toBe(UNKNOWN);
    expect(await receiptOf(id)).not.toHaveProperty('ended_at');
  });
});

describe('a request', () => {
  it.each<[string, (id: string) => readonly [string, Asking], string]>([
    ['of another path', () => ['/', {}], UNKNOWN],
    ['of all runs', () => ['/runs', {}], UNKNOWN],
    ['of a run itself', (id) => [`/runs/${id}`, {}], UNKNOWN],
    ['of something else of it', (id) => [`/runs/${id}/log`, {}], UNKNOWN],
    ['with a query', (id) => [`/runs/${id}/receipt?a=b`, {}], UNKNOWN],
    ['with a slash at its end', (id) => [`/runs/${id}/receipt/`, {}], UNKNOWN],
    ['of a run in capitals', (id) => [`/runs/${id.toUpperCase()}X/receipt`, {}], UNKNOWN],
    ['of a run by a name that every object has', () => ['/runs/__proto__/receipt', {}], UNKNOWN],
    ['to open a run in another place', () => ['/runs/', post(RUN)], UNKNOWN],
    ['that posts for a receipt', (id) => [`/runs/${id}/receipt`, post({})], INVALID],
    ['that gets an end', (id) => [`/runs/${id}/end`, {}], INVALID],
    ['that deletes an end', (id) => [`/runs/${id}/end`, { method: 'DELETE' }], INVALID],
  ])('%s is refused', async (_what, requestOf, outcome) => {
    const { ask, open, receiptOf } = await start();
    const id = await open();
    const [path, asking] = requestOf(id);
    expect(outcomeOf(await ask(path, asking))).toBe(outcome);
    expect(await receiptOf(id)).not.toHaveProperty('ended_at');
  });

  it.each<[string, string | Uint8Array]>([
    ['empty', ''],
    ['no JSON', 'agent_name=code-writer'],
    ['a list', '[]'],
    ['null', 'null'],
    ['text', '"run"'],
    ['JSON and more', '{}{}'],
    ['with a member twice', '{"agent_name":"a","agent_name":"b"}'],
    ['no UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['nested deeply', '['.repeat(5_000)],
    ['of one byte too many', JSON.stringify({ ...RUN, filler: '' }).padEnd(16 * 1024 + 1)],
    ['of a mebibyte', JSON.stringify({ ...RUN, filler: 'x'.repeat(1024 * 1024) })],
    ['of sixteen mebibytes', 'x'.repeat(16 * 1024 * 1024)],
  ])('whose body is %s gets an answer that says so', async (_what, body) => {
    const { ask, open, receiptOf } = await start();
    const id = await open();
    expect(outcomeOf(await ask('/runs', post(body)))).toBe(INVALID);
    expect(outcomeOf(await ask(`/runs/${id}/end`, post(body)))).toBe(INVALID);
    expect(await receiptOf(id)).not.toHaveProperty('ended_at');
  });

  it('may have sixteen kibibytes, and members that nobody knows', async () => {
    const { ask } = await start();
    const body = JSON.stringify({ ...RUN, more: { of: 'anything' } }).padEnd(16 * 1024);
    expect((await ask('/runs', post(body))).status).toBe(201);
  });

  it('that breaks off leaves nothing behind', async () => {
    const { server, open, lines, ask } = await start();
    const { port } = server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${SECRETS.ci}`, 'content-length': '100' };
    const asked = request({ host: '127.0.0.1', port, path: '/runs', method: 'POST', headers, agent: false });
    const closed = new Promise<void>((resolve) => asked.on('error', () => resolve()).on('close', resolve));
    asked.write('{"agent_name":');
    await new Promise<void>((resolve) => server.once('request', () => resolve()));
    asked.destroy();
    await closed;
    expect(lines).toEqual([]);
    expect((await ask(`/runs/${await open()}/receipt`)).status).toBe(200);
  });

  it('that fails here is answered without the reason', async () => {
    const failing: Signer = {
      ...{ alg: key.alg, publicKey: key.publicKey, spki: key.spki, kid: key.kid, publicJwk: key.publicJwk },
      signJose: (data) => key.signJose(data),
      signDer: () => Promise.reject(new Error('canary of the key service')),
    };
    const { ask, open } = await start({ signer: failing });
    const answer = await ask(`/runs/${await open()}/receipt`);
    expect(outcomeOf(answer)).toBe('500 witness.internal');
    expect(answer.text).not.toContain('canary');
  });
});

describe('the end of a run', () => {
  it.each<[object, object]>([
    ...RUN_ENDS.map((reason): [object, object] => [{ reason }, { reason }]),
    [
      { reason: 'exited', exit_code: 0 },
      { reason: 'exited', exit_code: 0 },
    ],
    [
      { reason: 'exited', exit_code: 255 },
      { reason: 'exited', exit_code: 255 },
    ],
    [
      { reason: 'signalled', signal: 'SIGKILL' },
      { reason: 'signalled', signal: 'SIGKILL' },
    ],
    [
      { reason: 'timed-out', exit_code: 124, signal: 'SIGUSR1' },
      { reason: 'timed-out', exit_code: 124, signal: 'SIGUSR1' },
    ],
    [{ reason: 'exited', more: 1 }, { reason: 'exited' }],
  ])('is said as %j', async (sent, outcome) => {
    const { ask, open, receiptOf } = await start();
    const id = await open();
    const answer = await ask(`/runs/${id}/end`, post(sent));
    expect(answer.status).toBe(200);
    expect(receiptIn(answer.json)).toMatchObject({ run_id: id, outcome, ended_at: expect.any(String) });
    expect((await receiptOf(id)).outcome).toEqual(outcome);
  });

  it.each<[object]>([
    [{}],
    [{ reason: 'done' }],
    [{ reason: null }],
    [{ reason: 'Exited' }],
    [{ reason: ['exited'] }],
    [{ exit_code: 0 }],
    [{ reason: 'exited', exit_code: '0' }],
    [{ reason: 'exited', exit_code: null }],
    [{ reason: 'exited', exit_code: -1 }],
    [{ reason: 'exited', exit_code: 256 }],
    [{ reason: 'exited', exit_code: 1.5 }],
    [{ reason: 'exited', exit_code: true }],
    [{ reason: 'signalled', signal: 9 }],
    [{ reason: 'signalled', signal: null }],
    [{ reason: 'signalled', signal: 'KILL' }],
    [{ reason: 'signalled', signal: 'SIGKILL\n' }],
    [{ reason: 'signalled', signal: `SIG${'A'.repeat(13)}` }],
    [{ reason: 'signalled', signal: 'sigkill' }],
  ])('is not said as %j, and the run stays open', async (sent) => {
    const { ask, open, receiptOf } = await start();
    const id = await open();
    expect(outcomeOf(await ask(`/runs/${id}/end`, post(sent)))).toBe(INVALID);
    const receipt = await receiptOf(id);
    expect(receipt).not.toHaveProperty('ended_at');
    expect(receipt).not.toHaveProperty('outcome');
  });

  it('is the first one that is said, with its time; whoever says another one gets the same receipt', async () => {
    const { ask, open, clock } = await start();
    const id = await open();
    clock.advance(60_000);
    const first = receiptIn((await ask(`/runs/${id}/end`, post({ reason: 'exited', exit_code: 3 }))).json);
    expect(first).toMatchObject({ started_at: '2026-11-21T12:00:00Z', ended_at: '2026-11-21T12:01:00Z' });
    clock.advance(60_000);
    const answer = await ask(`/runs/${id}/end`, post({ reason: 'exited', exit_code: 0 }));
    expect(answer.status).toBe(200);
    expect(receiptIn(answer.json)).toEqual({ ...first, signed_at: '2026-11-21T12:02:00Z' });
  });

  it('may be said twice at once', async () => {
    const { ask, open } = await start();
    const id = await open();
    const answers = await Promise.all(
      [1, 2].map((exit_code) => ask(`/runs/${id}/end`, post({ reason: 'exited', exit_code }))),
    );
    const [one, other] = answers.map(({ json }) => receiptIn(json).outcome);
    expect(one).toEqual(other);
  });
});

describe('the receipt of a run', () => {
  it('is signed while the run is open, and after its end, with the time of each', async () => {
    const { ask, open, receiptOf, clock } = await start();
    const id = await open();
    clock.advance(1_000);
    expect(await receiptOf(id)).toEqual({
      run_id: id,
      witness: { key_id: key.kid, place: 'isolated' },
      issuer: ISSUER,
      caller: 'ci',
      agent: { name: 'code-writer', version: '2.4.1' },
      input: { prompt_hash: expect.stringMatching(/^sha256:/), prompt_seen: false },
      policy: { pack_hash: RUN.policy_pack_hash },
      started_at: '2026-11-21T12:00:00Z',
      signed_at: '2026-11-21T12:00:01Z',
      upstreams: [],
      models: [],
    });
    await ask(`/runs/${id}/end`, post({ reason: 'exited' }));
    clock.advance(HOUR - 1_000);
    expect(await receiptOf(id)).toMatchObject({ signed_at: '2026-11-21T13:00:00Z', ended_at: '2026-11-21T12:00:01Z' });
  });

  it('shows what was asked at the run’s own base URL, which is none any more once the run has ended', async () => {
    const provider = await startModelProvider(onTestFinished, [{ model: 'claude-opus-4-1', outputTokens: 5 }]);
    const upstreams = [upstreamOf('anthropic', 'anthropic', provider.url)];
    const { ask, receiptOf, witness } = await start({ upstreams, agentsUrl: 'http://127.0.0.1' });
    const proxy = witness.createProxyServer();
    await new Promise<void>((resolve) => proxy.listen({ host: '127.0.0.1', port: 0 }, resolve));
    onTestFinished(() => void proxy.close());
    const { run_id: id, base_urls } = (await ask('/runs', post(RUN))).json;
    const askModel = () =>
      fetch(
        `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${new URL(base_urls.anthropic).pathname}/v1/messages`,
        {
          method: 'POST',
          body: JSON.stringify({ model: 'claude-opus-4-1', messages: [] }),
          headers: { connection: 'close' },
        },
      );
    expect((await askModel()).status).toBe(200);
    expect((await receiptOf(id)).models).toMatchObject([{ served: 'claude-opus-4-1', answers: 1 }]);
    const ended = receiptIn((await ask(`/runs/${id}/end`, post({ reason: 'exited' }))).json);
    expect(ended.models).toMatchObject([{ served: 'claude-opus-4-1', answers: 1 }]);
    const refused = await askModel();
    expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining('witness.run_unknown')]);
    expect(provider.requests).toHaveLength(1);
    expect((await receiptOf(id)).models).toEqual(ended.models);
  });
});

describe('the bounds of a witness', () => {
  /** One request as Node's server hands it over, without a connection: ten thousand of those take their time. */
  async function handed({ server }: Started, method: string, url: string, body: object): Promise<number> {
    const asked = new IncomingMessage(new Socket());
    Object.assign(asked, { method, url, headers: { authorization: `Bearer ${SECRETS.ci}` } });
    asked.push(JSON.stringify(body));
    asked.push(null);
    const { promise, resolve } = Promise.withResolvers<number>();
    const response = {
      setHeader: () => response,
      writeHead: (status: number) => {
        resolve(status);
        return response;
      },
      end: () => response,
    };
    server.emit('request', asked, response);
    return promise;
  }

  it('are ten thousand runs of one caller at once, open or ended; others have room, and what is forgotten makes some', {
    timeout: 120_000,
  }, async () => {
    const started = await start();
    const { api, ask, clock, open } = started;
    const id = await open();
    expect((await ask(`/runs/${id}/end`, post({ reason: 'exited' }))).status).toBe(200);
    for (let known = 1; known < 10_000; known += 1) {
      if ((await handed(started, 'POST', '/runs', RUN)) !== 201) throw new Error(`run ${known} was refused`);
    }
    const refused = await ask('/runs', post(RUN));
    expect(outcomeOf(refused)).toBe('503 witness.busy');
    expect((await ask(`/runs/${id}/receipt`)).status).toBe(200);
    // One that fills its part leaves as much to others.
    expect((await ask('/runs', { ...post(RUN), caller: 'cd' })).status).toBe(201);
    clock.advance(HOUR + 1);
    await api.tidy();
    expect((await ask('/runs', post(RUN))).status).toBe(201);
    expect(outcomeOf(await ask('/runs', post(RUN)))).toBe('503 witness.busy');
  });

  it('are a day for a run that nobody ends: then it is ended, and its receipt says so', async () => {
    const { api, open, receiptOf, clock } = await start();
    const id = await open();
    clock.advance(LONGEST_RUN_MS);
    await api.tidy();
    expect(await receiptOf(id)).not.toHaveProperty('ended_at');
    clock.advance(1);
    await api.tidy();
    const receipt = await receiptOf(id);
    expect(receipt).toMatchObject({ ended_at: expect.stringMatching(/^2026-11-22T12:00:00/) });
    expect(receipt).not.toHaveProperty('outcome');
  });

  it('are an hour for a run that has ended: then it is none', async () => {
    const { api, ask, open, clock } = await start();
    const [id, other] = [await open(), await open()];
    await ask(`/runs/${id}/end`, post({ reason: 'exited' }));
    clock.advance(HOUR);
    await api.tidy();
    expect((await ask(`/runs/${id}/receipt`)).status).toBe(200);
    clock.advance(1);
    await api.tidy();
    expect(outcomeOf(await ask(`/runs/${id}/receipt`))).toBe(UNKNOWN);
    expect(outcomeOf(await ask(`/runs/${id}/end`, post({ reason: 'exited' })))).toBe(UNKNOWN);
    expect((await ask(`/runs/${other}/receipt`)).status).toBe(200);
  });
});

describe('a witness that is started again', () => {
  /** A journal in memory, as a disk keeps it: as text. */
  function memoryJournal() {
    const kept = new Map<string, string>();
    const journal: RunJournal = {
      opened: (entry) => void kept.set(entry.opening.runId, JSON.stringify(entry)),
      ended: (runId) => void kept.delete(runId),
      entries: () => [...kept.values()].map((text) => JSON.parse(text) as JournalEntry),
    };
    return { kept, journal };
  }

  /** Answers at the base URL of a run, whatever process gave it. */
  async function agentOf({ witness }: Started, url: string) {
    const proxy = witness.createProxyServer();
    await new Promise<void>((resolve) => proxy.listen({ host: '127.0.0.1', port: 0 }, resolve));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    return (messages: readonly object[] = []) =>
      fetch(`http://127.0.0.1:${port}${new URL(url).pathname}/v1/messages`, {
        method: 'POST',
        body: JSON.stringify({ model: 'claude-opus-4-1', messages }),
        headers: { connection: 'close' },
      }).then(({ status }) => status);
  }

  async function killed(body: object = RUN) {
    const provider = await startModelProvider(onTestFinished, [{ model: 'claude-opus-4-1', inputTokens: 12 }]);
    const upstreams = [upstreamOf('anthropic', 'anthropic', provider.url)];
    const { kept, journal } = memoryJournal();
    const first = await start({ upstreams, journal });
    const { run_id: id, base_urls } = (await first.ask('/runs', post(body))).json;
    const again = await start({ upstreams, journal });
    return { ...again, id, kept, first, askModel: await agentOf(again, base_urls.anthropic) };
  }

  it('goes on with its open runs at their base URLs, and says that no one model stands for them', async () => {
    const { id, askModel, receiptOf, kept } = await killed();
    expect(await askModel()).toBe(200);
    expect(await receiptOf(id)).toMatchObject({
      run_id: id,
      caller: 'ci',
      issuer: ISSUER,
      agent: { name: 'code-writer', version: '2.4.1' },
      started_at: '2026-11-21T12:00:00Z',
      models: [{ served: 'claude-opus-4-1', answers: 1 }],
      unattributed: [{ reason: 'witness_restarted', answers: 1 }],
    });
    expect([...kept.keys()]).toEqual([id]);
  });

  it('takes no later request for the first one: what the prompt was, nobody knows', async () => {
    const { id, askModel, receiptOf } = await killed();
    expect(await askModel([{ role: 'user', content: 'Go on.' }])).toBe(200);
    const { input } = await receiptOf(id);
    const nothing = createHash('sha256').update('').digest('hex');
    expect(input).toEqual({ prompt_hash: `sha256:${nothing}`, prompt_seen: false });
  });

  it('still confirms a prompt that was said before the run, once it sees it', async () => {
    const prompt_hash = `sha256:${createHash('sha256').update('Fix the bug.').digest('hex')}`;
    const { id, askModel, receiptOf } = await killed({ ...RUN, prompt_hash });
    expect((await receiptOf(id)).input).toEqual({ prompt_hash, prompt_seen: false });
    await askModel([{ role: 'user', content: 'Fix the bug.' }]);
    expect((await receiptOf(id)).input).toEqual({ prompt_hash, prompt_seen: true });
  });

  it('shows its runs to the caller that opened them alone', async () => {
    const { id, ask } = await killed();
    expect(outcomeOf(await ask(`/runs/${id}/receipt`, { caller: 'cd' }))).toBe(UNKNOWN);
    expect(outcomeOf(await ask(`/runs/${id}/end`, post({ reason: 'exited' }, 'cd')))).toBe(UNKNOWN);
    expect((await ask(`/runs/${id}/receipt`)).status).toBe(200);
  });

  it('keeps a run until its end, and no longer', async () => {
    const { id, ask, kept, askModel } = await killed();
    expect(outcomeOf(await ask(`/runs/${id}/end`, post({ reason: 'done' })))).toBe(INVALID);
    expect(kept.size).toBe(1);
    expect((await ask(`/runs/${id}/end`, post({ reason: 'exited' }))).status).toBe(200);
    expect(kept.size).toBe(0);
    expect(await askModel()).toBe(404);
  });

  it('ends a run that has been open for a day, counted from its beginning', async () => {
    const { id, api, clock, kept, receiptOf } = await killed();
    clock.advance(LONGEST_RUN_MS + 1);
    await api.tidy();
    expect(kept.size).toBe(0);
    expect(await receiptOf(id)).toMatchObject({ ended_at: expect.any(String) });
  });

  it('has no secret in what it keeps', async () => {
    const { kept } = await killed();
    const [text] = [...kept.values()];
    const { tokenHash } = JSON.parse(text!) as JournalEntry;
    expect(text).not.toContain(SECRETS.ci);
    expect(tokenHash).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const { ask } = await start({ journal: { opened: () => {}, ended: () => {}, entries: () => [JSON.parse(text!)] } });
    expect((await ask('/runs', post(RUN))).status).toBe(201);
    const asAgent = await killed();
    const withHash = await agentOf(
      asAgent,
      `http://w/${JSON.parse([...asAgent.kept.values()][0]!).tokenHash}/anthropic`,
    );
    expect(await withHash()).toBe(404);
  });

  it('goes on with no run of a caller who is not listed any more', async () => {
    const { kept, id, first } = await killed();
    const gone = { ...JSON.parse([...kept.values()][0]!), caller: 'gone' };
    const ended = vi.fn();
    const again = await start({ journal: { opened: () => {}, ended, entries: () => [gone] } });
    expect(ended).toHaveBeenCalledExactlyOnceWith(id);
    const { base_urls } = (await first.ask('/runs', post(RUN))).json;
    expect(await (await agentOf(again, base_urls.anthropic))()).toBe(404);
  });

  it('opens no run that it cannot keep', async () => {
    const { journal } = memoryJournal();
    const full = {
      ...journal,
      opened: () => {
        throw new Error('canary: the disk is full');
      },
    };
    const { ask, lines, witness } = await start({ journal: full });
    const [end, open] = [vi.spyOn(witness, 'end'), vi.spyOn(witness, 'open')];
    const answer = await ask('/runs', post(RUN));
    expect(outcomeOf(answer)).toBe('500 witness.internal');
    expect(answer.text).not.toContain('canary');
    expect(answer.text).not.toContain('base_urls');
    expect(lines).toEqual([]);
    // Nobody could end it.
    expect(end).toHaveBeenCalledWith(open.mock.results[0]!.value);
  });
});
