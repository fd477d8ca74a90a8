import { createPublicKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Authority, createAuthority } from '@colophon/authority';
import { openKeyFile } from '@colophon/keys';
import { tokenKeyRing } from '@colophon/server/data-folder';
import { openDatabase } from '@colophon/store';
import { encodeSegment, temporaryFolder } from '@colophon/testkit';
import Fastify from 'fastify';
import { trustedRootOf } from '../../server/src/trust-files/trust-files.ts';
import type { Installation } from './installation.ts';

/** An authority of somebody else that trusts the issuer of an installation, and cannot see its ledger, as no Fulcio can. */
export type AuthorityElsewhere = {
  readonly url: string;
  readonly authority: Authority;
  /** Files: its trusted root, and the public key of its certificate log. */
  readonly trustedRoot: string;
  readonly ctLogKey: string;
};

type Cleanup = (undo: () => void | Promise<void>) => void;

export async function authorityElsewhere(
  here: Installation,
  cleanup: Cleanup,
  { claimArc, now = () => new Date() }: { readonly claimArc?: string; readonly now?: () => Date } = {},
): Promise<AuthorityElsewhere> {
  const dataDir = temporaryFolder(cleanup);
  const db = openDatabase(join(dataDir, 'colophon.db'));
  const { keys } = (await (await fetch(`${here.url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
  const authority = await createAuthority({
    db,
    dataDir,
    clock: { now },
    baseUrl: here.url,
    trustedIssuers: [here.url],
    keySource: { findKey: (_, kid) => keys.find((key) => key.kid === kid) as never },
    tokenLedger: { standingOf: () => 'issued' },
    claimArc,
  });
  const app = Fastify();
  authority.register(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://localhost:${port}`;
  cleanup(async () => {
    await app.close();
    db.close();
  });
  const ctKey = createPublicKey({ key: Buffer.from(authority.trust.ctPublicKey), format: 'der', type: 'spki' });
  return {
    url,
    authority,
    trustedRoot: here.file(`elsewhere-${port}.json`, trustedRootOf(url, authority.trust)),
    ctLogKey: here.file(`ctfe-${port}.pub`, ctKey.export({ type: 'spki', format: 'pem' }) as string),
  };
}

/** The claims of a new token of the installation, and what signs others with the issuer's key: somebody has stolen it. */
export async function stolenKey(here: Installation, request: object) {
  const answer = await fetch(`${here.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const token = await answer.text();
  const { firstKey, alg } = tokenKeyRing(here.dataDir, 'RS256');
  const key = openKeyFile(firstKey, alg);
  return {
    token,
    claims: JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>,
    forge: (claims: object): string => {
      const input = `${encodeSegment({ alg, kid: key.kid, typ: 'JWT' })}.${encodeSegment(claims)}`;
      return `${input}.${Buffer.from(key.signJose(Buffer.from(input))).toString('base64url')}`;
    },
  };
}
