import { expect, test } from 'vitest';
import type { LoggedCertificate } from './log-reading.ts';
import { reconcile } from './reconcile.ts';

const ISSUER = 'https://issuer.example';
const book = { issuer: ISSUER, claimArc: '1.2.3.4', findRow: () => undefined };

const logOf = (...certificates: LoggedCertificate[]) => ({
  kind: 'ct' as const,
  url: 'https://ct.example',
  read: async (visit: (logged: LoggedCertificate) => void) => {
    for (const logged of certificates) visit(logged);
    return { logId: Buffer.alloc(32, 1), start: 0, size: certificates.length, root: Buffer.alloc(32, 2) };
  },
});

const unreadable = (text: string, vouched = true): LoggedCertificate => ({
  index: 0,
  bytes: Buffer.from(text),
  certificate: undefined,
  vouched,
});

test('a certificate that cannot be read is found where it has the issuer’s address in it, and passed over else', async () => {
  expect(await reconcile(book, [logOf(unreadable('of https://other.example'))])).toMatchObject({
    ok: true,
    findings: [],
  });
  expect(await reconcile(book, [logOf(unreadable(`of ${ISSUER}, somehow`))])).toMatchObject({
    ok: false,
    findings: [{ code: 'certificate_unreadable', serial_number: '', log_index: 0 }],
  });
  expect(await reconcile(book, [logOf(unreadable(ISSUER, false))])).toMatchObject({ ok: true, unvouched_count: 1 });
});

test('of a log that cannot be read whole nothing is said', async () => {
  const broken = { ...logOf(), read: () => Promise.reject(new Error('it lies')) };
  await expect(reconcile(book, [logOf(unreadable(ISSUER)), broken])).rejects.toThrow('it lies');
});
