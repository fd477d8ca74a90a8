import { join } from 'node:path';
import { createIssuer, exportLedger } from '@colophon/issuer';
import { oneKey, openKeyFile } from '@colophon/keys';
import { verifyInclusion } from '@colophon/merkle';
import { openDatabase, SqliteLedger } from '@colophon/store';
import { SIX_FIELDS, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { copyKept, ISSUER } from './frozen/installed.ts';

test('a ledger of an older program goes on, and leaves of both versions are proven and verify', async () => {
  const { env, run } = copyKept(temporaryFolder(onTestFinished));
  const data = env['COLOPHON_HOME']!;
  const db = openDatabase(join(data, 'colophon.db'));
  const key = (name: string, alg: 'ES256' | 'RS256') => openKeyFile(join(data, 'keys', name), alg);
  const issuer = await createIssuer({
    issuerUrl: ISSUER,
    ledger: new SqliteLedger(db),
    signingKeys: oneKey(key('issuer-rs256.pem', 'RS256')),
    ledgerKey: key('ledger.pem', 'ES256'),
  });
  const minted = await issuer.mint(Buffer.from(JSON.stringify({ ...SIX_FIELDS, agent_name: 'newcomer' })));
  if (!minted.ok) throw new Error(minted.refusal.code);
  await issuer.integrate();
  const records = [...exportLedger(db)];
  expect(records.at(-1)).toMatchObject({ jti: minted.claims.jti, leaf_version: 2 });
  expect(records.slice(0, -1).map(({ leaf_version }) => leaf_version)).toEqual(Array(records.length - 1).fill(1));
  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
  for (const { jti, leaf_hash } of records) {
    const { leaf_index: index, tree_size: size, root_hash, hashes } = (await issuer.run(jti))!.proof!;
    const proof = hashes.map(bytes);
    expect(verifyInclusion({ index, size, leafHash: bytes(leaf_hash), root: bytes(root_hash), proof })).toBe(true);
  }
  await issuer.close();
  db.close();
  const { exitCode, stdout } = await run('ledger', 'verify', '--output', 'json');
  expect([exitCode, JSON.parse(stdout).checks]).toEqual([
    0,
    expect.arrayContaining([
      {
        check: 'rows',
        detail: `${records.length} leaves computed again from their rows, ${records.length - 1} of them of version 1; jti and time`,
      },
    ]),
  ]);
});
