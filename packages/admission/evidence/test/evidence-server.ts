import { createEvidence } from '@colophon/evidence';
import { evidenceSubject } from '@colophon/records';
import { type KeylessOptions, signStatement, verifyBundle } from '@colophon/sigstore';
import { openDatabase } from '@colophon/store';
import { FULCIO_URL, ISSUER, type LocalSigstore, REKOR_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import Fastify from 'fastify';
import { onTestFinished } from 'vitest';

/** How somebody signs, by the authority and log in memory. */
export const signingAs = (local: LocalSigstore, sub: string): KeylessOptions => ({
  fulcioUrl: FULCIO_URL,
  rekorUrl: REKOR_URL,
  identityToken: async () => local.token({ iss: ISSUER, sub, aud: 'sigstore', jti: 'test-1' }),
  fetch: local.fetch,
  retries: 0,
  trust: local.trust,
});

/** An evidence store on loopback that trusts the same roots; answers with its address. */
export async function startStore(local: LocalSigstore, peopleIssuers: readonly string[] = []): Promise<string> {
  const db = openDatabase(':memory:');
  const app = Fastify();
  onTestFinished(async () => {
    await app.close();
    db.close();
  });
  await createEvidence({
    db,
    peopleIssuers,
    verify: (bundle) => verifyBundle({ bundle, trust: local.trust, policy: 'gated-elsewhere' }).signature,
    sign: async (statement) =>
      (await signStatement({ ...signingAs(local, evidenceSubject(ISSUER)), statement })).bundle,
  }).register(app);
  return app.listen({ host: '127.0.0.1', port: 0 });
}
