import type { RemediationRecord } from '@colophon/triage';
import type { DocumentVerifier, VerifiedDocument } from '../../document-signature/document-verifier.ts';

/** What is known of the signatures over one VEX document. */
export type SignedStatement = {
  readonly digest: string;
  /** `unsigned`: none is kept. `unchecked`: no flag says whose counts, or they are by somebody else. */
  readonly state: 'verified' | 'unsigned' | 'unchecked';
  readonly signer?: string;
  /** Why it was not checked; a code. */
  readonly code?: string;
};

/** These say that a signature is by another one than the flags name, and nothing against the signature. */
const BY_ANOTHER = /^(?:openpgp\.other_key|key\.(?:missing|mismatch)|identity\.\w+_mismatch|cli\.usage)$/;

/**
 * Verifies every VEX document of the records by a signature that is kept with it. A record rests on documents and on
 * signatures, and does not say which is over which; one that holds is enough.
 * @throws VerificationError, OpenPgpError where every signature that the flags speak of is broken
 */
export async function verifyStatements(
  records: readonly RemediationRecord[],
  bytesOf: (digest: string) => Promise<Uint8Array>,
  verify: DocumentVerifier | undefined,
): Promise<SignedStatement[]> {
  const candidates = signaturesByDocument(records);
  const found: SignedStatement[] = [];
  for (const [digest, signatures] of [...candidates].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (signatures.size === 0) found.push({ digest, state: 'unsigned' });
    else if (verify === undefined) found.push({ digest, state: 'unchecked' });
    else found.push({ digest, ...(await verifyOne(digest, [...signatures].sort(), bytesOf, verify)) });
  }
  return found;
}

async function verifyOne(
  digest: string,
  signatures: readonly string[],
  bytesOf: (digest: string) => Promise<Uint8Array>,
  verify: DocumentVerifier,
): Promise<Omit<SignedStatement, 'digest'>> {
  const document = await bytesOf(digest);
  let another: string | undefined;
  let broken: unknown;
  for (const signature of signatures) {
    try {
      const { signer }: VerifiedDocument = await verify(document, await bytesOf(signature));
      return { state: 'verified', signer };
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (typeof code === 'string' && BY_ANOTHER.test(code)) another = code;
      else broken ??= error;
    }
  }
  // A signature over another document of the record is broken over this one; only where all are, something is wrong.
  if (another === undefined) throw broken;
  return { state: 'unchecked', code: another };
}

function signaturesByDocument(records: readonly RemediationRecord[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { evidence, closing_signature } of records) {
    const signatures = evidence.filter(
      ({ kind, digest }) => kind === 'signature' && digest !== closing_signature?.bundle,
    );
    for (const { kind, digest } of evidence) {
      if (kind !== 'vex') continue;
      const known = found.get(digest) ?? new Set();
      for (const signature of signatures) known.add(signature.digest);
      found.set(digest, known);
    }
  }
  return found;
}
