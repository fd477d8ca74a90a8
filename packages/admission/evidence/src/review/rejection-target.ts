import { rejectionOf } from '@colophon/admission';
import type { Subject } from '@colophon/records';
import { type TrustMaterial, verifyBundle } from '@colophon/sigstore';
import { EvidenceClientError } from '../client-error/client-error.ts';

/**
 * What a rejection is about, by its own verified words.
 * @throws VerificationError; EvidenceClientError `evidence.no_rejection`
 */
export function rejectedSubjects(bundle: Uint8Array, trust: TrustMaterial): readonly Subject[] {
  const { signature } = verifyBundle({ bundle, trust, policy: 'gated-elsewhere' });
  // Whose it is, the store asked when it took it.
  if (rejectionOf(signature, 'any') !== undefined) return signature.statement!.subject;
  throw new EvidenceClientError('evidence.no_rejection', 'the bundle holds no rejection by a reviewer', {
    found: signature.statement?.predicateType ?? 'no statement',
    next: 'colophon review list',
  });
}

/**
 * Where nothing but a commit was rejected, there is nothing to attach a withdrawal to.
 * @param target what a person named
 * @param rejection its id
 * @throws EvidenceClientError `evidence.no_rejection`
 */
export function assertNamesArtifact(target: string, rejected: readonly Subject[], rejection: string): void {
  if (rejected.some(({ digest }) => digest['sha256'] !== undefined)) return;
  throw new EvidenceClientError('evidence.no_rejection', 'the rejection names a commit, and no image and no file', {
    checked: `rejection ${rejection}`,
    expected: rejected.map(({ digest }) => `commit ${digest['gitCommit']}`).join(', '),
    found: target,
    next: `colophon review withdraw --rejection ${rejection} …`,
  });
}

/**
 * A withdrawal is attached only to what the rejection is about.
 * @param target none where it is attached to nothing
 * @param rejection its id
 * @throws EvidenceClientError `evidence.no_rejection`
 */
export function assertRejected(target: Subject | undefined, rejected: readonly Subject[], rejection: string): void {
  const sha256 = target?.digest['sha256'];
  if (sha256 === undefined || rejected.some(({ digest }) => digest['sha256'] === sha256)) return;
  throw new EvidenceClientError('evidence.no_rejection', 'the rejection is about something else', {
    checked: `rejection ${rejection}`,
    expected: rejected.flatMap(({ digest }) => digest['sha256'] ?? []).join(', '),
    found: sha256,
  });
}
