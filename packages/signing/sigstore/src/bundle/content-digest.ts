import { createHash } from 'node:crypto';
import { TransparencyLogEntry } from '@sigstore/protobuf-specs';
import type { ParsedBundle } from './parse-bundle.ts';

/**
 * One digest for all spellings of a bundle: of what is signed, by whom, and of all that is said of it. Log entries and
 * timestamps are part of it: a copy with a broken one must not stand for the bundle that it was copied from.
 * @returns SHA-256, hex
 */
export function contentDigest({
  version,
  signer,
  furtherCertificates,
  content,
  logEntries,
  timestamps,
}: ParsedBundle): string {
  const parts: readonly (string | Uint8Array)[] = [
    version,
    ...('certificate' in signer ? ['certificate', signer.certificate] : ['key', signer.keyHint]),
    ...listed(furtherCertificates),
    ...signedParts(content),
    ...listed(logEntries.map((entry) => JSON.stringify(TransparencyLogEntry.toJSON(entry)))),
    ...listed(timestamps),
  ];
  const hash = createHash('sha256');
  // With their lengths, so that no two lists of parts are one text.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)} `).update(part);
  return hash.digest('hex');
}

function signedParts(content: ParsedBundle['content']): readonly (string | Uint8Array)[] {
  if (content.$case === 'dsseEnvelope') {
    const { payloadType, payload, signatures } = content.dsseEnvelope;
    return ['envelope', payloadType, payload, ...listed(signatures.map(({ sig }) => sig))];
  }
  const { messageDigest, signature } = content.messageSignature;
  return ['message', `${messageDigest?.algorithm}`, messageDigest?.digest ?? '', signature];
}

function listed<T>(parts: readonly T[]): readonly (string | T)[] {
  return [`${parts.length}`, ...parts];
}
