import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CallerDesk } from '@colophon/issuer';
import { openDatabase } from '@colophon/store';
import { deadUrl, SIX_FIELDS, selfSigned, startForeignIssuer, startPeer, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { quietPort } from '../../server/test/running-server.ts';

const BIN = join(import.meta.dirname, '../bin/colophon.js');
const RUN = { ...SIX_FIELDS, agent_name: 'code-fixer' };

/** Texts that must not come out where they do not belong, by what they stand for. */
class Canaries {
  readonly #texts = new Map<string, string>();

  /** A new text, or one that is given: a key cannot be chosen. */
  of(name: string, text = `CANARY${Math.random().toString(36).slice(2)}${name.replaceAll(/\W/g, '')}`): string {
    this.#texts.set(name, text);
    return text;
  }

  /** Names of those that stand in what came out, as they are or in base64. */
  in(output: string | Buffer): string[] {
    const text = Buffer.from(output).toString('latin1');
    return [...this.#texts]
      .filter(([, canary]) =>
        [canary, Buffer.from(canary).toString('base64').slice(0, -4)].some((f) => text.includes(f)),
      )
      .map(([name]) => name);
  }
}

type Asked = { method?: string; headers?: Record<string, string> | readonly string[]; body?: string };

/** A `colophon serve` process, and what it said. */
async function serving(
  configuration: (folder: string) => string,
  { env, ca }: { env: NodeJS.ProcessEnv; ca?: string },
) {
  const folder = temporaryFolder(onTestFinished);
  const work = join(folder, 'work');
  mkdirSync(work);
  const [port, operations] = [await quietPort(), await quietPort()];
  const file = join(folder, 'colophon.yaml');
  const text = configuration(folder)
    .replaceAll('PORT', String(port))
    .replaceAll('OPERATIONS', String(operations))
    .replaceAll('DATA', join(folder, 'data'));
  writeFileSync(file, text);
  const child: ChildProcess = spawn(process.execPath, [BIN, 'serve', '--config', file], {
    cwd: work,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => (said += chunk));
  const answers: string[] = [];
  const ask = (path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers,
        agent: false,
        ...(ca && { ca, servername: 'localhost' }),
      };
      const sent = (ca === undefined ? httpRequest : httpsRequest)(options as object, (response) => {
        let answer = JSON.stringify(response.headers);
        response.on('data', (chunk: Buffer) => (answer += chunk));
        response.on('end', () => {
          if (response.statusCode !== 200) answers.push(answer);
          resolve(response.statusCode!);
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const page = async (path: string) => (await fetch(`http://127.0.0.1:${operations}${path}`)).text();
  await expect.poll(() => page('/readyz').catch((error) => String(error))).toContain('"ok":true');
  return {
    port,
    folder,
    file,
    text,
    ask,
    page,
    kill: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      return ended;
    },
    said: () => said,
    answers: () => answers.join('\n'),
    /** Everything that lies in the data folder and where the process ran. */
    files: () =>
      [join(folder, 'data'), work].flatMap((root) =>
        readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')),
      ),
    key: async () => {
      const db = openDatabase(join(folder, 'data', 'colophon.db'));
      const { key } = await new CallerDesk(db).createKey('builder');
      db.close();
      return key;
    },
  };
}

/** Bytes on a connection of their own, whatever they are. */
function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('data', (chunk) => (answer += chunk)).on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

const HOSTILE = '\r\n{"level":60}\u001b[31m\u2028\u202e\u2066';

test.each(['tls', 'trustedProxies'] as const)(
  'behind %s no secret and no text of a refused request comes out anywhere, and each event is one line',
  async (mode) => {
    const secrets = new Canaries();
    const texts = new Canaries();
    const issued = new Canaries();
    const tls = selfSigned();
    secrets.of('TLS key', tls.key.split('\n')[1]!);
    const environment = secrets.of('environment');
    const bearer = secrets.of('bearer token of a file');
    const foreign = await startForeignIssuer();
    onTestFinished(() => foreign.stop());
    const failing = await startPeer(onTestFinished, (_request, response) => {
      response.writeHead(500, { 'x-error': texts.of('error header of an issuer') });
      response.end(texts.of('error body of an issuer') + HOSTILE);
    });
    const dead = await deadUrl();
    const oidc = (name: string, issuer: string, more = '') =>
      `  - { name: ${name}, kind: oidc, oidc: { issuer: "${issuer}", audience: "ISSUER", where: { sub: job }${more} }, may: { agents: [code-fixer] } }\n`;
    const issuer = mode === 'tls' ? 'https://localhost:PORT' : 'http://localhost:PORT';
    const server = await serving(
      (folder) => {
        writeFileSync(join(folder, 'tls.crt'), tls.cert);
        writeFileSync(join(folder, 'bearer'), bearer);
        const listen =
          mode === 'tls' ? 'tls: { certificate: tls.crt, key: env:TLS_KEY }' : 'trustedProxies: [127.0.0.1]';
        return `issuer: ${issuer}
listen: { address: 127.0.0.1, port: PORT, ${listen} }
operations: { address: 127.0.0.1, port: OPERATIONS }
data: DATA
callers:
  - { name: builder, apiKey: true, may: { agents: [code-fixer] } }
${oidc('jobs', foreign.url, `, keys: { url: "${foreign.jwksUrl}", bearer: file:bearer }`)}${oidc('failing', failing.url)}${oidc('dead', dead)}`.replaceAll(
          'ISSUER',
          issuer,
        );
      },
      {
        env: {
          TLS_KEY: tls.key,
          SOME_TOKEN: environment,
          COLOPHON_PASSWORD: environment,
          ANTHROPIC_API_KEY: environment,
        },
        ...(mode === 'tls' ? { ca: tls.cert } : {}),
      },
    );
    const { ask, port } = server;
    const key = await server.key();
    secrets.of('API key', key.split('_')[2]!);
    const audience = issuer.replace('PORT', String(port));
    const iat = Math.floor(Date.now() / 1000);
    const tokenOf = (claims: object) => {
      const token = foreign.sign({ aud: audience, sub: 'job', iat, exp: iat + 300, ...claims });
      secrets.of(`caller token ${JSON.stringify(claims).length}`, token.split('.')[2]!);
      return token;
    };
    const mint = (credential: string | undefined, body: string, headers: Record<string, string> = {}) =>
      ask('/oauth/token', {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
          ...headers,
        },
      });

    // What is issued is in the ledger, and says who and for whom in the log.
    const reviewer = issued.of('reviewer');
    const good = JSON.stringify({ ...RUN, human_reviewer: `${reviewer}@example.com`, model_id: issued.of('model') });
    expect(await mint(key, good)).toBe(200);
    expect(await mint(tokenOf({ note: texts.of('claim of a caller token') }), good)).toBe(200);

    const wrong: number[] = [];
    for (const field of Object.keys(RUN)) {
      wrong.push(await mint(key, JSON.stringify({ ...RUN, [field]: `${texts.of(`field ${field}`)}${HOSTILE}` })));
    }
    wrong.push(
      await mint(key, JSON.stringify({ ...RUN, agent_name: texts.of('agent of nobody') })),
      await mint(key, JSON.stringify({ ...RUN, sub: texts.of('reserved claim') })),
      await mint(key, JSON.stringify({ ...RUN, audience: texts.of('audience') })),
      await mint(key, `{"${texts.of('broken JSON')}`),
      await mint(`${key}x`, good),
      await mint(undefined, good, { authorization: `Basic ${secrets.of('Basic credentials')}` }),
      await mint(undefined, good, { authorization: secrets.of('Authorization without scheme') }),
      await mint(secrets.of('opaque bearer'), good),
      await mint(`colophon_${secrets.of('mistyped key')}_x`, good),
      await mint(tokenOf({ sub: texts.of('subject of nobody') }), good),
      await mint(tokenOf({ aud: texts.of('audience of another') }), good),
      await mint(tokenOf({ iss: failing.url }), good),
      await mint(tokenOf({ iss: dead }), good),
      await mint(tokenOf({ iss: `https://${texts.of('issuer of nobody').toLowerCase()}.example` }), good),
      await mint(key, good, { 'content-type': `text/${texts.of('content type')}` }),
      await ask(`/oauth/token?access_token=${secrets.of('query string')}`, {
        headers: { cookie: secrets.of('cookie') },
      }),
      await ask(`/${texts.of('path')}`, {
        headers: { 'user-agent': texts.of('User-Agent'), referer: texts.of('Referer') },
      }),
      await ask('/oauth/token', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token=${secrets.of('subject token')}&subject_token_type=urn:ietf:params:oauth:token-type:jwt`,
      }),
      await mint(key, good.replace('code-fixer', 'nobody'), {
        'x-forwarded-for': `${texts.of('X-Forwarded-For')}, 203.0.113.7`,
        'x-forwarded-host': texts.of('X-Forwarded-Host'),
        forwarded: `for=${texts.of('Forwarded')}`,
      }),
    );
    for (const status of wrong) expect(status).toBeGreaterThanOrEqual(400);
    await sendRaw(port, `${texts.of('no HTTP')}${HOSTILE}\r\n\r\n`);
    await sendRaw(port, `POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nX: ${texts.of('cut off')}\u001b[31m\r\n`);

    // A secret that stands in the file instead of a reference, and one in the place of something else.
    writeFileSync(server.file, `${server.text}claims: ${secrets.of('secret in the file')}\n`);
    await expect.poll(() => server.page('/readyz')).toContain('server.configuration_invalid');
    writeFileSync(
      server.file,
      server.text.replace(/trustedProxies: .*?\]|env:TLS_KEY/, (found) =>
        found.startsWith('env')
          ? `"${secrets.of('key in the file')}"`
          : `tls: { certificate: x, key: "${secrets.of('key in the file')}" }`,
      ),
    );
    await delay(1500);
    writeFileSync(server.file, server.text);
    await expect.poll(() => server.page('/readyz')).toContain('"ok":true');

    const pages = [
      await server.page('/metrics'),
      await server.page('/readyz'),
      await server.page(`/${texts.of('operations path')}`),
    ];
    if (mode === 'tls') expect(await server.kill('SIGTERM')).toEqual([0, null]);
    else expect(await server.kill('SIGABRT')).toEqual([null, 'SIGABRT']);

    const sinks = { said: server.said(), pages: pages.join('\n'), answers: server.answers() };
    for (const [sink, output] of Object.entries(sinks)) {
      expect(secrets.in(output), sink).toEqual([]);
      expect(issued.in(output), sink).toEqual([]);
    }
    // A refused request is told which of its own fields is meant; nobody else is told anything of it.
    expect(texts.in(sinks.said + sinks.pages)).toEqual([]);
    const files = server.files().join('\n');
    expect([...secrets.in(files), ...texts.in(files)]).toEqual([]);
    expect(issued.in(files)).toContain('reviewer');

    const lines = sinks.said.split('\n').filter((line) => line !== '');
    const events = lines.map((line) => JSON.parse(line));
    expect(sinks.said.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}|\u2028|\u2029/u);
    expect(events.filter(({ msg }) => msg === 'token issued')).toMatchObject([
      { caller: 'builder' },
      { caller: 'jobs' },
    ]);
    expect(events.filter(({ msg }) => msg === 'token refused').length).toBeGreaterThan(20);
    expect(events.some(({ configuration }) => configuration === 'stale')).toBe(true);
  },
);
