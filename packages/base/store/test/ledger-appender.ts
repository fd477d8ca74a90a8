// Appends to the ledger at the address of its argument and brings the rows into the tree, until it is killed; prints a
// line for every row that is tried, and for every row and every head that is promised.
import { writeSync } from 'node:fs';
import { hashLeaf } from '@colophon/merkle';
import { sequenceSome } from './ledger-sequence.ts';
import { openLedger } from './open-ledger.ts';

const { ledger } = await openLedger(process.argv[2]!);
const say = (line: string) => writeSync(1, `${line}\n`);

async function append(): Promise<void> {
  const jti = crypto.randomUUID();
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const name = { agent_name: `agent-${jti.slice(0, 2)}-${process.pid}`, agent_id: jti };
  const known = await ledger.findName(name.agent_name);
  const row = {
    jti,
    issued_at: 1,
    salt,
    leaf_version: 2,
    leaf_hash: hashLeaf(salt),
    payload: jti,
    authorization: null,
  };
  say(`try ${jti}`);
  await ledger.append([known === undefined ? { row, name } : { row }]);
  say(`row ${jti} ${name.agent_name}`);
}

async function appendOn(): Promise<void> {
  // Two first rows of one name: the second is told so, and is in no ledger.
  for (let i = 0; i < 500; i += 1) await append().catch(() => {});
}

async function sequenceOn(): Promise<void> {
  for (;;) {
    const head = await sequenceSome(ledger, 7);
    if (head !== undefined) say(`head ${head.size} ${Buffer.from(head.root).toString('hex')}`);
    else await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

setInterval(() => {}, 60_000);
await Promise.all([appendOn(), appendOn(), appendOn(), sequenceOn(), sequenceOn()]);
