import { createServer } from 'node:net';
import { join } from 'node:path';
import { signBlob, signStatement } from '@colophon/sigstore';
import { type Cleanup, SIX_FIELDS, temporaryFolder } from '@colophon/testkit';
import { dataPaths } from '../src/data-folder/data-folder.ts';
import { type RunningServer, type ServerOptions, startServer } from '../src/start/start-server.ts';

export type TestServer = RunningServer & {
  readonly dataDir: string;
  readonly reviewerSecretFile: string;
  readonly paths: ReturnType<typeof dataPaths>;
  mint(request?: object, headers?: Record<string, string>): Promise<Response>;
  /** A signature over bytes, bought, logged and timed at this server; answers with the bundle. */
  sign(bytes: string): Promise<Uint8Array>;
  signReview(): Promise<Uint8Array>;
};

/** A server on a new folder, or on the one that is given. */
export async function runServer(
  cleanup: (undo: () => void | Promise<void>) => void,
  options: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const dataDir = options.dataDir ?? join(temporaryFolder(cleanup as Cleanup), 'data');
  const reviewerSecretFile = options.reviewerSecretFile ?? join(dataDir, '..', 'config', 'reviewer-secret');
  const server = await startServer({ port: 0, ...options, dataDir, reviewerSecretFile });
  cleanup(() => server.close());
  const { url } = server;
  const mint = (request: object = SIX_FIELDS, headers: Record<string, string> = {}) =>
    fetch(`${url}/oauth/token`, {
      method: 'POST',
      body: JSON.stringify(request),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const signing = { fulcioUrl: url, rekorUrl: url, identityToken: async () => (await mint()).text(), retries: 0 };
  return {
    ...server,
    dataDir,
    reviewerSecretFile,
    paths: dataPaths(dataDir),
    mint,
    sign: async (bytes) => (await signBlob({ ...signing, artifact: Buffer.from(bytes) })).bundle,
    signReview: async () => {
      const statement = {
        _type: 'https://in-toto.io/Statement/v1',
        subject: [{ name: 'app', digest: { sha256: 'a'.repeat(64) } }],
        predicateType: 'https://example.com/anything/v1',
        predicate: {},
      } as const;
      return (await signStatement({ ...signing, statement })).bundle;
    },
  };
}

/** A port that nobody has now, outside the range that the system hands out by itself to others meanwhile. */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** The JSON of an answer; tests say what must be in it. */
// biome-ignore lint/suspicious/noExplicitAny: what comes from outside has no type before it is looked at
export async function json(answer: Response | Promise<Response>): Promise<any> {
  return (await answer).json();
}
