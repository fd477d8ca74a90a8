import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createIssuer } from '@colophon/issuer';
import { oneKey, SigningKey } from '@colophon/keys';
import { dataPaths } from '@colophon/server/data-folder';
import { openDatabase, SqliteLedger } from '@colophon/store';

const ISSUER = 'http://localhost:7080';
const AGENTS = 50;
const AT_ONCE = 500;

const newKey = () => new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

/** Makes a data folder whose issuer has issued so many tokens, all of them under checkpoints. */
export async function fillLedger(dataDir: string, tokens: number): Promise<void> {
  const paths = dataPaths(dataDir);
  mkdirSync(paths.trust, { recursive: true });
  writeFileSync(paths.installation, JSON.stringify({ issuer_url: ISSUER, token_algorithm: 'ES256' }));
  const ledgerKey = newKey();
  const spki = ledgerKey.publicKey.export({ type: 'spki', format: 'pem' });
  writeFileSync(paths.ledgerPublicKey, spki);
  const db = openDatabase(paths.database);
  // What is measured is the reading.
  db.sqlite.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
  const ledger = new SqliteLedger(db);
  const issuer = await createIssuer({ issuerUrl: ISSUER, ledger, signingKeys: oneKey(newKey()), ledgerKey });
  for (let from = 0; from < tokens; from += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, tokens - from) }, (_, i) => from + i);
    await Promise.all(indexes.map((index) => issuer.mint(requestOf(index))));
    await issuer.integrate();
  }
  await issuer.close();
  db.close();
}

function requestOf(index: number): Uint8Array {
  const digest = `sha256:${index.toString(16).padStart(64, '0')}`;
  const request = {
    agent_name: `agent-${index % AGENTS}`,
    agent_version: '1.4.0',
    model_id: 'large-model-2026-05-14',
    model_provider: 'anthropic',
    prompt_hash: digest,
    policy_pack_hash: digest,
    human_reviewer: `reviewer-${index % 1000}@example.com`,
    repo: 'acme/webshop',
    commit_sha: index.toString(16).padStart(40, '0'),
  };
  return Buffer.from(JSON.stringify(request));
}
