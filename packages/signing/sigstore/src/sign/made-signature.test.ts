import { createHash } from 'node:crypto';
import { createStatement } from '@colophon/records';
import { FULCIO_URL, LocalSigstore, REKOR_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, test } from 'vitest';
import { signatureIn } from './made-signature.ts';
import { signBlob, signStatement } from './sign.ts';

const sigstore = new LocalSigstore();
const options = {
  fulcioUrl: FULCIO_URL,
  rekorUrl: REKOR_URL,
  fetch: sigstore.fetch,
  identityToken: async () => sigstore.token(),
};
const [ONE, OTHER] = ['a'.repeat(64), 'b'.repeat(64)];
const subject = (sha256: string) => ({ name: 'app', digest: { sha256 } });
const signed = async (...subjects: ReturnType<typeof subject>[]) => {
  const statement = createStatement({ subjects, predicateType: 'https://colophon.example/note/v1', predicate: {} });
  return signatureIn((await signStatement({ ...options, statement })).bundle);
};

test('the signature of a file has its digest, and the entry of the log', async () => {
  const { digest, log_entry } = signatureIn((await signBlob({ ...options, artifact: Buffer.from('blob') })).bundle);
  expect(digest).toBe(`sha256:${createHash('sha256').update('blob').digest('hex')}`);
  expect(log_entry.log_id).toMatch(/^[0-9a-f]{64}$/);
  expect(log_entry.integrated_at).toBe(sigstore.now.toISOString());
});

test('a statement about one thing has its digest, and one about several has none', async () => {
  expect((await signed(subject(ONE))).digest).toBe(`sha256:${ONE}`);
  expect((await signed(subject(ONE), subject(OTHER))).digest).toBeUndefined();
});
