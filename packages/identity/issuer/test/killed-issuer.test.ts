import { spawn } from 'node:child_process';
import { randomInt, verify } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { oneKey, openKeyFile } from '@colophon/keys';
import { consistencyProof, parseCheckpoint, parseNote, verifyConsistency } from '@colophon/merkle';
import { LedgerStore, MerkleLogStore, openDatabase, SqliteLedger } from '@colophon/store';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createIssuer, ledgerOrigin, verifyLedger } from '../src/index.ts';
import { ISSUER_URL } from './issuer-fixture.ts';

const MINTING = fileURLToPath(new URL('./minting-process.ts', import.meta.url));

/** So many kills; docs/decisions/0047 was measured with `KILLS=1000`. */
const KILLS = Number(process.env['KILLS'] ?? 8);
/** Each folder is killed in so often: the whole ledger is verified after each kill. */
const KILLS_OF_A_FOLDER = 8;
/** Longer than a start: every second kill may meet the start, where the rows of the last one are brought into the tree. */
const LONGEST_WAIT_MS = 500;

type Seen = { readonly tokens: string[]; readonly checkpoints: string[] };

/** Runs a minting process, until it says a line of the kind `until` where one is named, and some time longer; adds to `seen`. */
async function killOne(folder: string, seen: Seen, until?: 'token' | 'checkpoint'): Promise<void> {
  const minting = spawn(process.execPath, [MINTING, folder]);
  onTestFinished(() => void minting.kill('SIGKILL'));
  let output = '';
  let errors = '';
  const begun = Promise.withResolvers<void>();
  minting.stdout.on('data', (chunk) => {
    output += chunk;
    if (until !== undefined && output.includes(`["${until}"`)) begun.resolve();
  });
  minting.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const closed = once(minting, 'close');
  if (until !== undefined) await Promise.race([begun.promise, closed]);
  await pause(randomInt(until === undefined ? LONGEST_WAIT_MS : 120));
  minting.kill('SIGKILL');
  expect(await closed, errors).toEqual([null, 'SIGKILL']);
  for (const line of output.split('\n').slice(0, -1)) {
    const [kind, text] = JSON.parse(line) as ['token' | 'checkpoint', string];
    (kind === 'token' ? seen.tokens : seen.checkpoints).push(text);
  }
}

/** Every token seen is in the ledger, byte for byte, and every checkpoint seen is of the tree that is there now. */
function expectNothingLost(folder: string, seen: Seen): void {
  const db = openDatabase(join(folder, 'colophon.db'), { readonly: true });
  try {
    const { publicKey } = openKeyFile(join(folder, 'ledger.pem'), 'ES256');
    const report = verifyLedger(db, publicKey, ledgerOrigin(ISSUER_URL));
    expect(report).toMatchObject({ ok: true, problems: [] });
    expect(report.token_count).toBeGreaterThanOrEqual(seen.tokens.length);
    const rows = new LedgerStore(db);
    const agentIds = new Map<unknown, unknown>();
    for (const token of seen.tokens) {
      const payload = Buffer.from(token.split('.')[1]!, 'base64url').toString();
      const { jti, sub, agent_id } = JSON.parse(payload) as Record<string, string>;
      expect(rows.findByJti(jti!)?.payload).toBe(payload);
      // One name, one identifier.
      expect(agentIds.get(sub) ?? agent_id).toBe(agent_id);
      agentIds.set(sub, agent_id);
    }
    const tree = new MerkleLogStore(db, 'ledger');
    tree.verify();
    for (const note of seen.checkpoints) {
      const signed = parseNote(note);
      const checkpoint = signed.ok ? parseCheckpoint(signed.value.text) : undefined;
      if (!signed.ok || !checkpoint?.ok) throw new Error(`no checkpoint: ${note}`);
      const [{ signature } = { signature: new Uint8Array() }] = signed.value.signatures;
      expect(verify('sha256', Buffer.from(signed.value.text), publicKey, signature)).toBe(true);
      const { size: first, root: firstRoot } = checkpoint.value;
      const { size: second, root: secondRoot } = tree.head()!;
      const proof = consistencyProof(first, second, tree.read);
      expect(verifyConsistency({ first, second, firstRoot, secondRoot, proof })).toBe(true);
    }
  } finally {
    db.close();
  }
}

/** As a next start would: the rows that were left are brought under a checkpoint. */
async function expectAllProven(folder: string, seen: Seen): Promise<void> {
  const db = openDatabase(join(folder, 'colophon.db'));
  const issuer = await createIssuer({
    issuerUrl: ISSUER_URL,
    ledger: new SqliteLedger(db),
    signingKeys: oneKey(openKeyFile(join(folder, 'token.pem'), 'ES256')),
    ledgerKey: openKeyFile(join(folder, 'ledger.pem'), 'ES256'),
  });
  for (const token of seen.tokens) {
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string };
    expect((await issuer.run(jti))?.integrated).toBe(true);
  }
  await issuer.close();
  db.close();
}

test(`an issuer that is killed ${KILLS} times under load loses no token that somebody has`, {
  timeout: 30_000 + KILLS * 10_000,
}, async () => {
  let tokens = 0;
  let checkpoints = 0;
  for (let kills = 0; kills < KILLS; ) {
    const folder = temporaryFolder(onTestFinished);
    const seen: Seen = { tokens: [], checkpoints: [] };
    // The first one makes the folder's files.
    for (let i = 0; i < KILLS_OF_A_FOLDER && kills < KILLS; i += 1, kills += 1) {
      await killOne(folder, seen, i === 0 ? 'checkpoint' : i % 2 === 0 ? 'token' : undefined);
      expectNothingLost(folder, seen);
    }
    await expectAllProven(folder, seen);
    expectNothingLost(folder, seen);
    tokens += seen.tokens.length;
    checkpoints += seen.checkpoints.length;
  }
  if (process.env['KILLS'] !== undefined)
    process.stdout.write(`${KILLS} kills, ${tokens} tokens and ${checkpoints} checkpoints seen, none lost\n`);
  expect(tokens).toBeGreaterThanOrEqual(KILLS / 2);
  expect(checkpoints).toBeGreaterThan(0);
});
