// Mints in the folder of its argument under load until it is killed; prints a line for every token that its caller has,
// and for every checkpoint that somebody has seen. After some seconds it only waits.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { oneKey, openKeyFile } from '@colophon/keys';
import { openDatabase, SqliteLedger } from '@colophon/store';
import { SIX_FIELDS } from '@colophon/testkit';
import { createIssuer } from '../src/index.ts';
import { ISSUER_URL } from './issuer-fixture.ts';

const folder = process.argv[2]!;
const issuer = await createIssuer({
  issuerUrl: ISSUER_URL,
  ledger: new SqliteLedger(openDatabase(join(folder, 'colophon.db'))),
  signingKeys: oneKey(openKeyFile(join(folder, 'token.pem'), 'ES256')),
  ledgerKey: openKeyFile(join(folder, 'ledger.pem'), 'ES256'),
});
const say = (kind: 'token' | 'checkpoint', text: string) => writeSync(1, `${JSON.stringify([kind, text])}\n`);

let count = 0;
async function mintOn(): Promise<void> {
  while (count < 600) {
    count += 1;
    // Four requests for each new name: its first rows come together.
    const agent_name = `agent-${process.pid}-${Math.floor(count / 4)}`;
    const minted = await issuer.mint(Buffer.from(JSON.stringify({ ...SIX_FIELDS, agent_name })));
    if (!minted.ok) throw new Error(minted.refusal.message);
    say('token', minted.token);
    if (count % 10 > 0) continue;
    await issuer.integrate();
    const proof = (await issuer.run(minted.claims.jti))?.proof;
    if (proof != null) say('checkpoint', proof.checkpoint);
  }
}

setInterval(() => {}, 60_000);
await Promise.all(Array.from({ length: 16 }, mintOn));
