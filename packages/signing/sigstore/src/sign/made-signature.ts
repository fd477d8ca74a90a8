import type { Statement } from '@colophon/records';
import { type ParsedBundle, parseBundle } from '../bundle/parse-bundle.ts';
import type { MadeSignature } from './signature-result.ts';

/**
 * What a bundle that was just made says of its signature: where the log has it, and the digest of the one thing that it
 * is about. Nothing of it is verified.
 * @throws VerificationError `bundle.*`
 */
export function signatureIn(bundle: Uint8Array): Omit<MadeSignature, 'certificate_identity'> {
  const { logEntries, content } = parseBundle(bundle);
  const digest = digestIn(content);
  return { ...(digest === undefined ? {} : { digest }), log_entry: logEntryIn(logEntries) };
}

/** A time that only a timestamp authority gave stands nowhere in the entry. */
function logEntryIn([entry]: ParsedBundle['logEntries']): MadeSignature['log_entry'] {
  const seconds = Number(entry?.integratedTime ?? 0);
  return {
    log_index: Number(entry?.logIndex),
    log_id: Buffer.from(entry?.logId?.keyId ?? []).toString('hex'),
    ...(seconds === 0 ? {} : { integrated_at: new Date(seconds * 1000).toISOString() }),
  };
}

/** Undefined for a statement about several things. */
function digestIn(content: ParsedBundle['content']): string | undefined {
  if (content.$case === 'messageSignature') {
    return `sha256:${Buffer.from(content.messageSignature.messageDigest?.digest ?? []).toString('hex')}`;
  }
  const { subject } = JSON.parse(Buffer.from(content.dsseEnvelope.payload).toString()) as Statement;
  const sha256 = subject.length === 1 ? subject[0]?.digest['sha256'] : undefined;
  return sha256 === undefined ? undefined : `sha256:${sha256}`;
}
