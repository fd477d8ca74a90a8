import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, createAuthority, type KeyProof, StoredTokenLedger } from '@colophon/authority';
import { createIssuer } from '@colophon/issuer';
import { oneKey, openKeyFile } from '@colophon/keys';
import type { Jwk } from '@colophon/oidc';
import { openDatabase, SqliteLedger } from '@colophon/store';
import { SIX_FIELDS } from '@colophon/testkit';
import { makeScratchFolder } from '../measure/scratch-folder.ts';

/** Issuer, and name of the logs; nothing listens there. */
export const ISSUER = 'http://localhost:7080';

/** A token and the proof that goes with it: what buys one certificate. */
export type Purchase = { readonly token: string; readonly proof: KeyProof; readonly privateKey: KeyObject };

/** Our issuer and our authority on a real file; nothing else of the server. */
export type ScratchAuthority = {
  readonly authority: Authority;
  /** An identity token; ES256, so that all its cryptography is P-256's. */
  mint(): Promise<string>;
  /** Mints a token for a key of its own. */
  preparePurchase(): Promise<Purchase>;
  close(): Promise<void>;
};

export async function openScratchAuthority(): Promise<ScratchAuthority> {
  const folder = makeScratchFolder('authority');
  const db = openDatabase(join(folder, 'colophon.db'));
  // The issuer has a file of its own: what it still does about its tokens is not the authority's.
  const issuerDb = openDatabase(join(folder, 'issuer.db'));
  const signingKey = openKeyFile(join(folder, 'token.pem'), 'ES256');
  const ledgerKey = openKeyFile(join(folder, 'ledger.pem'), 'ES256');
  const issuer = await createIssuer({
    issuerUrl: ISSUER,
    ledger: new SqliteLedger(issuerDb),
    signingKeys: oneKey(signingKey),
    ledgerKey,
  });
  const authority = await createAuthority({
    db,
    dataDir: folder,
    clock: { now: () => new Date() },
    baseUrl: ISSUER,
    trustedIssuers: [ISSUER],
    tokenLedger: new StoredTokenLedger(issuerDb),
    keySource: { findKey: (_, kid) => issuer.jwks.keys.find((key) => key['kid'] === kid) as Jwk | undefined },
  });
  const mint = async () => {
    const minted = await issuer.mint(Buffer.from(JSON.stringify(SIX_FIELDS)));
    if (!minted.ok) throw new Error('the issuer refuses the token request of the bench');
    return minted.token;
  };
  return {
    authority,
    mint,
    async preparePurchase() {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const proof = {
        publicKey: publicKey.export({ type: 'spki', format: 'der' }),
        proofOfPossession: sign('sha256', Buffer.from(`agent:${SIX_FIELDS.agent_name}`), privateKey),
      };
      return { token: await mint(), proof, privateKey };
    },
    async close() {
      await issuer.close();
      issuerDb.close();
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
