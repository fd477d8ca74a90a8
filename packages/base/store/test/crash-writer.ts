// Appends to the tree in the file of its argument until it is killed; prints a line for every leaf that is promised.
// After a thousand leaves it only waits: who kills it late on a busy machine has no more to look at.
import { writeSync } from 'node:fs';
import { hashLeaf } from '@colophon/merkle';
import { MerkleLogStore, openDatabase } from '../src/index.ts';

const db = openDatabase(process.argv[2]!);
const log = new MerkleLogStore(db, 'ledger');

async function append(): Promise<void> {
  const leafHash = hashLeaf(crypto.getRandomValues(new Uint8Array(16)));
  const index = await db.write(() => log.append(leafHash));
  writeSync(1, `${index} ${Buffer.from(leafHash).toString('hex')}\n`);
}

setInterval(() => {}, 60_000);
for (let round = 0; round < 200; round++) {
  await Promise.all(Array.from({ length: 5 }, append));
  const head = db.write(() => {
    const size = log.size();
    log.saveHead({ size, root: log.root(size), note: `note ${size}`, signedAt: size });
    return size;
  });
  writeSync(1, `head ${await head}\n`);
}
