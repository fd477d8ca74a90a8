import { VerificationError } from './verification-error.ts';

/** What a bundle's signature is over: bytes as they are, or the encoding of an envelope. */
export type ContentKind = 'message' | 'envelope';

/**
 * The kinds of log entry that may prove each content. Rekor v1 has a kind for each, and was shown which of them it
 * logs. Rekor v2 has one kind for both, and cannot say.
 */
const ENTRY_KINDS: Readonly<Record<ContentKind, readonly string[]>> = {
  message: ['hashedrekord/0.0.1', 'hashedrekord/0.0.2'],
  envelope: ['dsse/0.0.1', 'intoto/0.0.2', 'hashedrekord/0.0.2'],
};

/**
 * Holds when the log may have seen such content under this kind of entry. Otherwise the signature was made for something
 * else, and somebody put it under another name.
 * @param kind with its version, e.g. `hashedrekord/0.0.1`.
 * @throws VerificationError `log_entry.kind_mismatch`
 */
export function assertEntryKind(kind: string, content: ContentKind): void {
  const kinds = ENTRY_KINDS[content];
  if (kinds.includes(kind)) return;
  throw new VerificationError(
    'log_entry.kind_mismatch',
    `the log entry was not made for an ${CONTENT_NAMES[content]}`,
    {
      expected: kinds.join(' or '),
      found: kind,
    },
  );
}

const CONTENT_NAMES: Readonly<Record<ContentKind, string>> = { message: 'artifact', envelope: 'envelope' };
