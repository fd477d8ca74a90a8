import type { RemediationRecord } from '@colophon/records';
import type { DocumentVerifier } from '@colophon/signers';
import { signedBytes } from '../desk/remediation-desk.ts';
import type { SignedClosings, SignedStatement } from './signature-states-result.ts';

/** These say that a signature is by another one than the flags name, and nothing against the signature. */
const BY_ANOTHER = /^(?:openpgp\.other_key|key\.(?:missing|mismatch)|identity\.\w+_mismatch|cli\.usage)$/;

/** Signatures over one document; somebody who names thousands of them wants nobody to see the end. */
const MOST_TRIED = 64;

/** How a record names a key, which has no subject. */
const KEY_PREFIX = 'the key ';

type Checked = Pick<SignedStatement, 'signer' | 'code'> & { readonly state: 'verified' | 'unchecked' | 'broken' };

/**
 * Verifies every VEX document of the records by a signature that is kept with it. A record rests on documents and on
 * signatures, and does not say which is over which; one that holds is enough.
 */
export async function verifyStatements(
  records: readonly RemediationRecord[],
  bytesOf: (digest: string) => Promise<Uint8Array>,
  verify: DocumentVerifier | undefined,
): Promise<SignedStatement[]> {
  const found: SignedStatement[] = [];
  for (const [digest, signatures] of [...signaturesByDocument(records)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (signatures.size === 0) found.push({ digest, state: 'unsigned' });
    else if (verify === undefined) found.push({ digest, state: 'unchecked' });
    else found.push({ digest, ...(await verifyOne(await bytesOf(digest), [...signatures].sort(), bytesOf, verify)) });
  }
  return found;
}

/** Verifies the signature with which each closed record was signed, over the record as it is now. */
export async function verifyClosings(
  records: readonly RemediationRecord[],
  bytesOf: (digest: string) => Promise<Uint8Array>,
  verify: DocumentVerifier | undefined,
): Promise<SignedClosings> {
  const counts = { verified: 0, unchecked: 0, unsigned: 0 };
  const broken: SignedClosings['broken'][number][] = [];
  for (const record of records.filter(({ state }) => state === 'closed')) {
    const { id, closing_signature: signature } = record;
    if (signature === null) counts.unsigned += 1;
    else if (verify === undefined) counts.unchecked += 1;
    else {
      const { state, code = '', signer } = await verifyOne(signedBytes(record), [signature.bundle], bytesOf, verify);
      if (state === 'broken') broken.push({ record_id: id, code });
      else if (signer !== undefined && isOther(signature.signer, signer)) {
        broken.push({ record_id: id, code: 'identity.subject_mismatch' });
      } else counts[state] += 1;
    }
  }
  const { verified, unchecked, unsigned } = counts;
  return { verified_count: verified, unchecked_count: unchecked, unsigned_count: unsigned, broken };
}

/** Whether a record names another signer than who signed it: the name itself is not among what is signed. */
function isOther(named: string, signer: string): boolean {
  return named !== signer && !named.startsWith(KEY_PREFIX);
}

async function verifyOne(
  document: Uint8Array,
  signatures: readonly string[],
  bytesOf: (digest: string) => Promise<Uint8Array>,
  verify: DocumentVerifier,
): Promise<Checked> {
  let another: string | undefined;
  let broken = '';
  for (const signature of signatures.slice(0, MOST_TRIED)) {
    try {
      const { signer } = await verify(document, await bytesOf(signature));
      return { state: 'verified', signer };
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (typeof code !== 'string') throw error;
      if (BY_ANOTHER.test(code)) another = code;
      else broken ||= code;
    }
  }
  // A signature over another document of the record is broken over this one; only where all are, something is wrong.
  if (another !== undefined && signatures.length <= MOST_TRIED) return { state: 'unchecked', code: another };
  return { state: 'broken', code: broken || (another ?? '') };
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
