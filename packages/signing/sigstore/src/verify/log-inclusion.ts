import { verify } from 'node:crypto';
import { hashLeaf, parseCheckpoint, parseNote, verifyInclusion } from '@colophon/merkle';
import type { ParsedBundle } from '../bundle/parse-bundle.ts';
import type { TrustedLog } from '../trusted-root/trust-material.ts';
import { VerificationError } from './verification-error.ts';

/** Lines of a checkpoint that claim to be the log's own: it signs once. */
const MOST_LINES_OF_LOG = 4;

type LogEntry = ParsedBundle['logEntries'][number];
type InclusionProof = NonNullable<LogEntry['inclusionProof']>;

/**
 * Verifies that a leaf is in the tree whose checkpoint the log signed.
 * @throws VerificationError `log_entry.checkpoint_invalid`, `log_entry.inclusion_proof_invalid`
 * @see RFC 6962 §2.1.1, c2sp.org/tlog-checkpoint
 */
export function assertIncluded(body: Uint8Array, proof: InclusionProof, log: TrustedLog): void {
  const { size, root } = verifyCheckpoint(proof.checkpoint?.envelope ?? '', log);
  // Both repeat what the checkpoint says; a bundle that contradicts itself was put together by somebody.
  if (Number(proof.treeSize) !== size || !proof.rootHash.equals(root)) {
    throw new VerificationError('log_entry.inclusion_proof_invalid', 'the inclusion proof is for another tree');
  }
  assertLeadsToRoot(body, proof);
}

/** Verifies that the path of a proof leads from the leaf to the root that the proof itself names. @throws as above */
export function assertLeadsToRoot(body: Uint8Array, { logIndex, treeSize, rootHash, hashes }: InclusionProof): void {
  const leafHash = hashLeaf(body);
  const claim = { index: Number(logIndex), size: Number(treeSize), root: rootHash, leafHash, proof: hashes };
  if (verifyInclusion(claim)) return;
  throw new VerificationError('log_entry.inclusion_proof_invalid', 'the path does not lead from the entry to the root');
}

/**
 * Verifies the signature of a log on its checkpoint: by the pinned key, under the log's own name.
 * @throws VerificationError `log_entry.checkpoint_invalid`
 */
export function verifyCheckpoint(
  envelope: string,
  log: TrustedLog,
): { readonly size: number; readonly root: Uint8Array } {
  const note = parseNote(envelope);
  const checkpoint = note.ok ? parseCheckpoint(note.value.text) : note;
  if (!note.ok || !checkpoint.ok) throw invalid('it cannot be read');
  const names = logNames(log);
  const signed = Buffer.from(note.value.text, 'utf8');
  const signatures = note.value.signatures
    .filter(({ name, keyHash }) => names.includes(name) && Buffer.compare(keyHash, log.logId.subarray(0, 4)) === 0)
    .slice(0, MOST_LINES_OF_LOG);
  const algorithm = log.publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const valid = signatures.find(({ signature }) => verify(algorithm, signed, log.publicKey, signature));
  if (valid === undefined) throw invalid('no signature on it is by the log');
  const { origin, size, root } = checkpoint.value;
  // Rekor v1 adds the number of its tree to its name.
  const suffix = origin.startsWith(valid.name) ? origin.slice(valid.name.length) : undefined;
  if (suffix === undefined || !/^( - \d+)?$/.test(suffix)) throw invalid('it is of another log');
  log.onCheckpoint?.({ log, note: envelope });
  return { size, root };
}

/** The names under which a log may sign: its host, with or without port, with or without path. */
function logNames({ baseUrl }: TrustedLog): readonly string[] {
  if (!URL.canParse(baseUrl)) return [baseUrl];
  const { hostname, host, pathname } = new URL(baseUrl);
  return [hostname, host, `${host}${pathname.replace(/\/+$/, '')}`];
}

function invalid(reason: string): VerificationError {
  return new VerificationError('log_entry.checkpoint_invalid', `the checkpoint of the log does not count: ${reason}`);
}
