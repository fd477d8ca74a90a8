import { generateKeyPairSync } from 'node:crypto';
import { type KeyAlgorithm, oneKey, SigningKey } from '@colophon/keys';
import { formatReviewerProof } from '@colophon/records';
import { type Database, openDatabase, SqliteLedger } from '@colophon/store';
import { fakeClock } from '@colophon/testkit';
import Fastify, { type FastifyInstance } from 'fastify';
import { createIssuer, type Issuer } from '../src/index.ts';
import type { IssuerOptions } from '../src/issuer/issuer.ts';
import type { Logger } from '../src/ports/ports.ts';

export const ISSUER_URL = 'http://localhost:7080';
export const REVIEWER_SECRET = 'reviewer-secret-for-the-tests';

let proofs = 0;

/** What a reviewer who knows the secret sends with this body; good for one request, at the time of `clock`. */
export function reviewerProof(body: string, issuedAt: number = fakeClock().now()): string {
  proofs += 1;
  const nonce = proofs.toString(16).padStart(32, '0');
  const known = { secret: REVIEWER_SECRET, issuer: ISSUER_URL };
  return formatReviewerProof({ ...known, body: new TextEncoder().encode(body), issuedAt, nonce });
}

const keys = new Map<string, SigningKey>();

/** A key of this test file, made once. */
export function testKey(name: string, alg: KeyAlgorithm): SigningKey {
  const id = `${name} ${alg}`;
  const known = keys.get(id);
  if (known !== undefined) return known;
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = new SigningKey(privateKey);
  keys.set(id, key);
  return key;
}

/** Keeps everything that is logged, as the text that a sink would get. */
export function recordingLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const record = (fields: object, message: string) => {
    const shown = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? String(value.stack) : value]),
    );
    lines.push(JSON.stringify({ ...shown, message }));
  };
  return { lines, info: record, warn: record, error: record };
}

export type Fixture = {
  readonly issuer: Issuer;
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly clock: ReturnType<typeof fakeClock>;
  readonly logger: ReturnType<typeof recordingLogger>;
  /** Posts text to the token endpoint as JSON. */
  post(body: string | object, headers?: Record<string, string>): Promise<Answer>;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: string;
};

/** An issuer with a real database and real keys under a clock that stands still. */
export async function issuerFixture(
  cleanup: (undo: () => Promise<void>) => void,
  { db = openDatabase(':memory:'), ...options }: Partial<IssuerOptions> & { readonly db?: Database } = {},
): Promise<Fixture> {
  const clock = fakeClock();
  const logger = recordingLogger();
  const issuer = await createIssuer({
    issuerUrl: ISSUER_URL,
    ledger: new SqliteLedger(db),
    signingKeys: oneKey(testKey('token', 'ES256')),
    ledgerKey: testKey('ledger', 'ES256'),
    reviewerSecret: REVIEWER_SECRET,
    clock,
    logger,
    ...options,
  });
  const app = Fastify();
  await issuer.register(app);
  cleanup(async () => {
    await app.close();
    if (!db.sqlite.isOpen) return;
    await issuer.close().catch(() => {});
    db.close();
  });
  return {
    issuer,
    app,
    db,
    clock,
    logger,
    async post(body, headers = {}) {
      const response = await app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': 'application/json', ...headers },
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      });
      return { status: response.statusCode, headers: response.headers, body: response.body };
    },
  };
}

/** The claims of a token, read without verifying it. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
}

/** How many tokens the ledger of `db` has. */
export function ledgerSize(db: Database): number {
  return Number(db.sqlite.prepare('SELECT count(*) AS n FROM ledger_entry').get()!['n']);
}
