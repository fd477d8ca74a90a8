import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '@colophon/store';
import Fastify, { type FastifyInstance } from 'fastify';
import { type Authority, type AuthorityOptions, createAuthority } from '../src/authority/authority.ts';
import { proofOver, type Signer } from './signer.ts';
import { fixedClock, ISSUER, type IssuerKey, keySourceOf, makeIssuerKey, mintToken } from './token-issuer.ts';

/** An authority on a scratch folder, its routes mounted, and the key of the issuer that it trusts. */
export type RunningAuthority = {
  readonly authority: Authority;
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly dataDir: string;
  readonly key: IssuerKey;
  readonly get: (url: string) => ReturnType<typeof answer>;
  readonly post: (url: string, body: unknown, headers?: Record<string, string>) => ReturnType<typeof answer>;
  /** A signing certificate's chain, PEM. */
  readonly certify: (signer: Signer, claims?: Record<string, unknown>) => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
  /** Stops, starts again on the same folder. */
  readonly restart: (options?: Partial<AuthorityOptions>) => Promise<RunningAuthority>;
  readonly remove: () => Promise<void>;
};

export const JSON_TYPE = { 'content-type': 'application/json' };

const answer = (app: FastifyInstance, method: 'GET' | 'POST', url: string, headers = {}, payload?: string) =>
  app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });

export async function runAuthority(
  options: Partial<AuthorityOptions> = {},
  key = makeIssuerKey(),
  dataDir = mkdtempSync(join(tmpdir(), 'authority-')),
): Promise<RunningAuthority> {
  const db = openDatabase(join(dataDir, 'colophon.db'));
  let authority: Authority;
  try {
    authority = await createAuthority({
      db,
      dataDir,
      clock: fixedClock,
      baseUrl: ISSUER,
      trustedIssuers: [ISSUER],
      keySource: keySourceOf([key]),
      // Tokens here are signed by a test, and there is no issuer that would have a row of them.
      tokenLedger: { standingOf: () => 'issued' },
      fetch: () => Promise.reject(new Error('nothing is fetched here')),
      ...options,
    });
  } catch (error) {
    db.close();
    throw error;
  }
  const app = Fastify();
  authority.register(app);
  const stop = async () => {
    await app.close();
    db.close();
  };
  return {
    authority,
    app,
    db,
    dataDir,
    key,
    get: (url) => answer(app, 'GET', url),
    post: (url, body, headers = JSON_TYPE) =>
      answer(app, 'POST', url, headers, typeof body === 'string' ? body : JSON.stringify(body)),
    certify: async (signer, claims) => {
      const token = mintToken(key, claims);
      const subject = String(claims?.['sub'] ?? 'agent:code-writer');
      const proof = { publicKey: Buffer.from(signer.pem), proofOfPossession: proofOver(signer, subject) };
      return (await authority.issueCertificate(token, proof)).chainPem;
    },
    stop,
    restart: async (changes = {}) => {
      await stop();
      return runAuthority({ ...options, ...changes }, key, dataDir);
    },
    remove: async () => {
      await stop();
      rmSync(dataDir, { recursive: true });
    },
  };
}
