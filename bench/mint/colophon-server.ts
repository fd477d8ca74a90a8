import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createIssuer } from '@colophon/issuer';
import { oneKey, openKeyFile } from '@colophon/keys';
import { openDatabase, SqliteLedger } from '@colophon/store';
import Fastify from 'fastify';
import type { Algorithm } from './contender.ts';
import type { Started } from './server.ts';

/** Our issuer with everything on: strict parsing, durable ledger in a real file, tree and checkpoints. */
export async function startColophon(alg: Algorithm, folder: string): Promise<Started> {
  const db = openDatabase(join(folder, 'colophon.db'));
  const issuer = await createIssuer({
    issuerUrl: 'http://localhost',
    ledger: new SqliteLedger(db),
    signingKeys: oneKey(openKeyFile(join(folder, 'token.pem'), alg)),
    ledgerKey: openKeyFile(join(folder, 'ledger.pem'), 'ES256'),
    limits: { loopbackRate: { perSecond: 1e9, burst: 1e9 } },
  });
  const app = Fastify();
  await issuer.register(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    port: (app.server.address() as AddressInfo).port,
    settle: () => issuer.integrate(),
    async stop() {
      await app.close();
      await issuer.close();
      db.close();
    },
  };
}
