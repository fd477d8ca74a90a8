import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { selfSigned, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Readiness } from '../operations/readiness.ts';
import { closeAll } from './closers.ts';
import { listenWithTls } from './tls-listener.ts';

type Client = { readonly cert: string; readonly key: string };
type Asked = {
  readonly client?: Client | undefined;
  readonly version?: SecureVersion;
  readonly session?: Buffer | undefined;
};

const SERVER = selfSigned();
const [CLIENT, NEXT, STRANGER] = [selfSigned('first'), selfSigned('next'), selfSigned('first')];

async function listen(authorities: string | undefined) {
  const folder = temporaryFolder(onTestFinished);
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    // At once, as a mounted file is exchanged.
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    return path;
  };
  const tls = {
    certificateFile: file('tls.crt', SERVER.cert),
    key: { file: file('tls.key', SERVER.key) },
    ...(authorities === undefined ? {} : { clientAuthorityFile: file('clients.crt', authorities) }),
  };
  const readiness = new Readiness();
  const onClientRefused = vi.fn();
  const closers: Array<() => unknown> = [];
  onTestFinished(() => closeAll(closers as never));
  const listener = await listenWithTls(
    { address: '127.0.0.1', port: 0, tls },
    {
      env: {},
      closers: closers as never,
      logger: { info: vi.fn(), error: vi.fn() } as never,
      watchIntervalMs: 20,
      readiness,
      meter: { gauge: vi.fn(), reloaded: vi.fn() },
      headersTimeoutMs: 5_000,
      drainMs: 0,
      onClientRefused,
    },
  );
  listener.serve((_request, response) => response.end('served'));
  /** The status, or the code of what went wrong; and the session of the connection. */
  const ask = ({ client, version, session }: Asked = {}) =>
    new Promise<{ readonly answer: number | string; readonly session?: Buffer | undefined; isReused?: boolean }>(
      (resolve) => {
        let kept: Buffer | undefined;
        const asked = request(
          {
            ...{ host: '127.0.0.1', port: listener.port, ca: SERVER.cert, servername: 'localhost', agent: false },
            ...client,
            ...(session === undefined ? {} : { session }),
            ...(version === undefined ? {} : { maxVersion: version }),
          },
          (response) => {
            const isReused = (response.socket as TLSSocket).isSessionReused();
            response.resume().on('end', () => resolve({ answer: response.statusCode ?? 0, session: kept, isReused }));
          },
        );
        asked.on('socket', (socket) => socket.on('session', (one: Buffer) => (kept = one)));
        asked.on('error', (error: NodeJS.ErrnoException) => resolve({ answer: error.code ?? String(error) }));
        asked.end();
      },
    );
  const answerOf = async (asked: Asked = {}) => (await ask(asked)).answer;
  return { ask, answerOf, file, readiness, onClientRefused };
}

const REFUSED = /^(ERR_SSL_.*|ECONNRESET|EPIPE|EPROTO)$/;

test('without an authority of clients everybody is served', async () => {
  const { answerOf } = await listen(undefined);
  expect(await answerOf()).toBe(200);
});

test.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])(
  'only who has a certificate of the authority is served, by %s',
  async (version) => {
    const { answerOf, onClientRefused } = await listen(CLIENT.cert);
    expect(await answerOf({ version })).toMatch(REFUSED);
    expect(await answerOf({ version, client: STRANGER })).toMatch(REFUSED);
    await expect.poll(() => onClientRefused.mock.calls).toHaveLength(2);
    expect(await answerOf({ version, client: CLIENT })).toBe(200);
    expect(onClientRefused.mock.calls).toEqual([
      ['ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE'],
      ['DEPTH_ZERO_SELF_SIGNED_CERT'],
    ]);
  },
);

test('several authorities count, so that one can follow another', async () => {
  const { answerOf } = await listen(`${CLIENT.cert}\n${NEXT.cert}`);
  const answers = await Promise.all([CLIENT, NEXT].map((client) => answerOf({ client })));
  expect(answers).toEqual([200, 200]);
  expect(await answerOf({ client: STRANGER })).toMatch(REFUSED);
});

test('the authority is followed when its file changes, and nobody comes back by a session from before', async () => {
  const { ask, answerOf, file } = await listen(CLIENT.cert);
  const { session } = await ask({ client: CLIENT, version: 'TLSv1.2' });
  expect(await ask({ session, version: 'TLSv1.2' })).toMatchObject({ answer: 200, isReused: true });
  file('clients.crt', NEXT.cert);
  await expect.poll(() => answerOf({ client: NEXT })).toBe(200);
  expect(await answerOf({ client: CLIENT })).toMatch(REFUSED);
  expect(await answerOf({ session, version: 'TLSv1.2' })).toMatch(REFUSED);
});

test.each([
  ['is empty', ''],
  ['is no PEM', 'everybody'],
  ['has one certificate that is cut off', `${NEXT.cert}\n${NEXT.cert.slice(0, 200)}`],
  ['has one certificate that is none', `${NEXT.cert}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`],
  ['has a private key', NEXT.key],
])('an authority that %s is not taken, and the one before it stays', async (_title, text) => {
  const { answerOf, file, readiness } = await listen(CLIENT.cert);
  file('clients.crt', text);
  await expect.poll(() => readiness.isReady).toBe(false);
  expect(await answerOf({ client: CLIENT })).toBe(200);
  expect(await answerOf({ client: STRANGER })).toMatch(REFUSED);
  await expect(listen(text)).rejects.toMatchObject({ code: 'server.tls_unusable' });
});

test('a certificate of the server that is renewed opens nothing', async () => {
  const { answerOf, file } = await listen(CLIENT.cert);
  file('tls.crt', readFileSync(file('tls.crt', `${SERVER.cert}\n`), 'utf8'));
  await expect.poll(() => answerOf({ client: CLIENT })).toBe(200);
  expect(await answerOf()).toMatch(REFUSED);
  expect(await answerOf({ client: STRANGER })).toMatch(REFUSED);
});
