import fs, { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { CallerDesk } from '@colophon/issuer';
import { type LedgerRow, LedgerStore, openDatabase } from '@colophon/store';
import { type Cleanup, type ForeignIssuer, SIX_FIELDS, startForeignIssuer, temporaryFolder } from '@colophon/testkit';
import { vi } from 'vitest';
import { dataPaths } from '../src/data-folder/data-folder.ts';
import { serveConfiguration } from '../src/start/serve-configuration.ts';
import { quietPort } from './running-server.ts';

export const AGENT = SIX_FIELDS.agent_name;
export const WORKFLOW = 'acme/ci/.github/workflows/agent.yml@refs/heads/main';
export const SHA = '8f5a1c0d9e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39';

const WATCH_INTERVAL_MS = 25;
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';

/** An answer as it came over the wire; `code` of a refusal, `claims` of a token. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly code: string | undefined;
  readonly claims: Readonly<Record<string, unknown>> | undefined;
};

export type Request = {
  readonly method?: string;
  readonly path?: string;
  /** As they are sent, the same name several times where it stands there several times. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
};

/** What a caller shows and asks for. */
export type Ask = {
  readonly bearer?: string | undefined;
  readonly body?: object | string;
  readonly headers?: Request['headers'];
};

export type RunningIssuer = {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly file: string;
  /** The configuration file as it is first written. */
  readonly configuration: Configuration;
  /** Every line of the log so far. */
  lines(): readonly Readonly<Record<string, unknown>>[];
  /** Exchanges the file for one with this text, or these keys. */
  write(configuration: string | Configuration): void;
  send(request: Request): Promise<Answer>;
  /** Asks with JSON and `Authorization: Bearer`. */
  ask(ask: Ask): Promise<Answer>;
  /** A token exchange; a parameter that is undefined is left out. */
  exchange(parameters: Readonly<Record<string, string | undefined>>): Promise<Answer>;
  /** The text of a new API key. */
  createKey(caller: string): Promise<string>;
  desk<T>(use: (desk: CallerDesk) => Promise<T>): Promise<T>;
  /** The rows of tokens, oldest first. */
  tokens(): readonly LedgerRow[];
  close(): Promise<void>;
};

// biome-ignore lint/suspicious/noExplicitAny: a configuration is wrong in every way that a test wants
export type Configuration = Record<string, any>;

/** A job of GitHub Actions as its issuer describes it, in the repository that {@link githubCaller} pins. */
export function jobClaims(audience: string, changes: object = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return {
    aud: audience,
    sub: 'repo:acme/shop:ref:refs/heads/main',
    jti: crypto.randomUUID(),
    iat: now - 5,
    nbf: now - 5,
    exp: now + 300,
    repository: 'acme/shop',
    repository_id: '42',
    repository_owner_id: '7',
    job_workflow_ref: WORKFLOW,
    sha: SHA,
    event_name: 'push',
    ...changes,
  };
}

/** The entry of the caller whose jobs those are. */
export function githubCaller(issuer: string, audience: string, changes: Configuration = {}): Configuration {
  const { oidc = {}, ...more } = changes;
  return {
    name: 'actions',
    kind: 'github',
    oidc: {
      issuer,
      audience,
      where: { repository_id: '42', job_workflow_ref: WORKFLOW, event_name: 'push' },
      ...oidc,
    },
    may: { agents: [AGENT] },
    ...more,
  };
}

/** An issuer with the caller `builder`, who has API keys, and whatever `configure` changes; `prepare` fills its folder. */
export async function runIssuer(
  cleanup: (undo: () => void | Promise<void>) => void,
  configure: (url: string) => Configuration = () => ({}),
  prepare: (folder: string) => void = () => {},
): Promise<RunningIssuer> {
  const folder = temporaryFolder(cleanup as Cleanup);
  prepare(folder);
  const port = await quietPort();
  const url = `http://localhost:${port}`;
  const dataDir = join(folder, 'data');
  const file = join(folder, 'colophon.yaml');
  const configuration: Configuration = {
    issuer: url,
    listen: { address: 'localhost', port },
    data: dataDir,
    tokens: { algorithm: 'ES256' },
    callers: [{ name: 'builder', apiKey: true, may: { agents: [AGENT] } }],
    agents: [{ name: AGENT }],
    limits: { requestsPerSecond: 100_000, burst: 1_000_000 },
    ...configure(url),
  };
  const write = (next: string | Configuration) => {
    writeFileSync(`${file}.new`, typeof next === 'string' ? next : JSON.stringify(next));
    renameSync(`${file}.new`, file);
  };
  write(configuration);
  mkdirSync(join(folder, 'home'));
  const lines = recordLog(cleanup);
  const server = await serveConfiguration({
    file,
    env: {},
    reviewerSecretFile: join(folder, 'home', 'reviewer-secret'),
    logLevel: 'info',
    watchIntervalMs: WATCH_INTERVAL_MS,
  });
  cleanup(() => server.close());
  const send = (asked: Request) => sendTo(port, asked);
  async function desk<T>(use: (desk: CallerDesk) => Promise<T>): Promise<T> {
    const db = openDatabase(dataPaths(dataDir).database);
    try {
      return await use(new CallerDesk(db));
    } finally {
      db.close();
    }
  }
  return {
    url,
    port,
    dataDir,
    file,
    configuration,
    lines,
    write,
    send,
    ask: ({ bearer, body = SIX_FIELDS, headers = [] }) =>
      send({
        headers: [
          ['content-type', 'application/json'],
          ...(bearer === undefined ? [] : [['authorization', `Bearer ${bearer}`] as const]),
          ...headers,
        ],
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    exchange: (parameters) => send(exchangeRequest(parameters)),
    createKey: async (caller) => (await desk((open) => open.createKey(caller))).key,
    desk,
    tokens: () => tokenRows(dataDir),
    close: () => server.close(),
  };
}

/** Another's issuer, stopped when the test ends. */
export async function foreignIssuer(cleanup: (undo: () => Promise<void>) => void): Promise<ForeignIssuer> {
  const issuer = await startForeignIssuer();
  cleanup(issuer.stop);
  return issuer;
}

/** A token exchange with the context of one run. */
export function exchangeRequest(parameters: Readonly<Record<string, string | undefined>>): Request {
  const all = { grant_type: EXCHANGE, subject_token_type: `${TOKEN_TYPE}jwt`, ...SIX_FIELDS, ...parameters };
  const said = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return {
    headers: [['content-type', 'application/x-www-form-urlencoded']],
    body: new URLSearchParams(said).toString(),
  };
}

/** Sends exactly these headers; a server that hangs up is status 0. */
export function sendTo(
  port: number,
  { method = 'POST', path = '/oauth/token', headers = [], body = '' }: Request,
): Promise<Answer> {
  const bytes = Buffer.from(body);
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host');
  const sent = [
    ...(hasHost ? [] : [['host', `localhost:${port}`] as const]),
    ['content-length', String(bytes.length)] as const,
    ...headers,
  ].flat();
  return new Promise((resolve) => {
    const asked = request(
      { host: '127.0.0.1', port, method, path, headers: sent as unknown as Record<string, string>, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('close', () =>
          resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString())),
        );
      },
    );
    asked.on('error', (error) => resolve(answerOf(0, {}, String(error))));
    asked.end(bytes);
  });
}

function answerOf(status: number, headers: Answer['headers'], body: string): Answer {
  const isToken = headers['content-type'] === 'application/jwt';
  const document = !isToken && body.startsWith('{') ? (JSON.parse(body) as Record<string, unknown>) : {};
  const token = isToken ? body : document['access_token'];
  const payload = typeof token === 'string' ? token.split('.')[1]! : undefined;
  return {
    status,
    headers,
    body,
    code: document['code'] as string | undefined,
    claims: payload === undefined ? undefined : JSON.parse(Buffer.from(payload, 'base64url').toString()),
  };
}

/** The rows of tokens in a data folder, whoever has it open. */
export function tokenRows(dataDir: string): readonly LedgerRow[] {
  const db = openDatabase(dataPaths(dataDir).database, { readonly: true });
  try {
    const rows = [...new LedgerStore(db).rowsFrom()];
    return rows.filter(({ payload }) => payload === null || 'sub' in JSON.parse(payload));
  } finally {
    db.close();
  }
}

/** The log goes straight to the descriptor of standard error: what is written there is kept, and not shown. */
function recordLog(cleanup: (undo: () => void) => void): RunningIssuer['lines'] {
  let text = '';
  const write = fs.writeSync;
  const spy = vi.spyOn(fs, 'writeSync').mockImplementation(((descriptor: number, data: string, ...rest: never[]) => {
    if (descriptor !== 2) return write(descriptor, data as never, ...rest);
    text += data;
    return Buffer.byteLength(data);
  }) as typeof fs.writeSync);
  cleanup(() => spy.mockRestore());
  return () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
}
