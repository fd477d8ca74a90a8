import { writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { CallerDesk } from '@colophon/issuer';
import { openDatabase } from '@colophon/store';
import { type Cleanup, SIX_FIELDS, temporaryFolder } from '@colophon/testkit';
import { dataPaths } from '../src/data-folder/data-folder.ts';
import { type ServeOptions, serveConfiguration } from '../src/start/serve-configuration.ts';
import type { RunningServer } from '../src/start/start-server.ts';

/** The `iss` of tests: configured, and not where anything listens. */
export const ISSUER = 'http://localhost:7999';

/** A request that names an agent of {@link CALLERS}. */
export const RUN = { ...SIX_FIELDS, agent_name: 'code-fixer' };

/** Two callers with API keys. */
export const CALLERS = `callers:
  - { name: builder, apiKey: true, may: { agents: [code-fixer] } }
  - { name: other, apiKey: true, may: { agents: [code-fixer] } }
`;

export type RunningServe = RunningServer & {
  /** `http://127.0.0.1:<port>`. */
  readonly base: string;
  readonly folder: string;
  readonly dataDir: string;
  readonly paths: ReturnType<typeof dataPaths>;
  /** The same file with another text. */
  configure(text: string): void;
  key(caller: string): Promise<string>;
  mint(key: string | undefined, headers?: Record<string, string>, body?: object): Promise<Response>;
  /** A page of the operations listener. */
  operation(path: string): Promise<Response>;
};

/** Serves a configuration on free ports; what stands after `issuer`, `listen`, `operations` and `data` is given. */
export async function runServe(
  cleanup: (undo: () => void | Promise<void>) => void,
  {
    text = CALLERS,
    issuer = ISSUER,
    listen = '{ address: 127.0.0.1, port: 0 }',
    dataDir: givenDataDir,
    ...options
  }: { text?: string; issuer?: string; listen?: string; dataDir?: string } & Partial<ServeOptions> = {},
): Promise<RunningServe> {
  const folder = temporaryFolder(cleanup as Cleanup);
  const file = join(folder, 'colophon.yaml');
  const dataDir = givenDataDir ?? join(folder, 'data');
  const head = `issuer: ${issuer}\nlisten: ${listen}\noperations: { address: 127.0.0.1, port: 0 }\ndata: ${dataDir}\n`;
  const configure = (rest: string) => writeFileSync(file, head + rest);
  configure(text);
  const server = await serveConfiguration({
    file,
    env: {},
    reviewerSecretFile: join(folder, 'reviewer-secret'),
    watchIntervalMs: 20,
    ...options,
  });
  cleanup(() => server.close());
  const paths = dataPaths(dataDir);
  const base = `http://${server.addresses[0]}`;
  return {
    ...server,
    base,
    folder,
    dataDir,
    paths,
    configure,
    async key(caller) {
      const db = openDatabase(paths.database);
      const { key } = await new CallerDesk(db).createKey(caller);
      db.close();
      return key;
    },
    mint: (key, headers = {}, body = RUN) =>
      fetch(`${base}/oauth/token`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...headers,
        },
      }),
    operation: (path) => fetch(`http://${server.operations}${path}`),
  };
}

/** One exchange on a connection of its own; a list of headers goes out as it is. */
export function exchange(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string> | readonly string[]; body?: string } = {},
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}
