// Asks for several rows at once with one token that counts once, and then with the next, until it is killed; prints a
// line for every row that is tried, and for every row that is promised.
import { writeSync } from 'node:fs';
import { hashLeaf } from '@colophon/merkle';
import { openLedger } from './open-ledger.ts';
import { replayedToken } from './replayed-token.ts';

const { ledger } = await openLedger(process.argv[2]!);
const say = (line: string) => writeSync(1, `${line}\n`);

async function append(token: number): Promise<void> {
  const jti = crypto.randomUUID();
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const row = {
    jti,
    issued_at: 1,
    salt,
    leaf_version: 2,
    leaf_hash: hashLeaf(salt),
    payload: jti,
    authorization: null,
  };
  say(`try ${token} ${jti}`);
  await ledger.append([{ row, use: replayedToken(token) }]);
  say(`row ${token} ${jti}`);
}

for (let token = 0; ; token += 1) {
  await Promise.all(Array.from({ length: 8 }, () => append(token).catch(() => {})));
}
