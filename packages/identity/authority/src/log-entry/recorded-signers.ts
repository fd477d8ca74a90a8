import { decodeBase64 } from '@colophon/encoding';
import { parseStrictJson } from '@colophon/json';
import { logEntrySigners } from '@colophon/records';
import { readVerifier, type Verifier } from './verifier.ts';

/**
 * Who signed an entry, read from what the log recorded of it.
 * @throws AuthorityError `authority.entry_invalid` for a body that this log did not write
 */
export function recordedSigners(body: Uint8Array): Verifier[] {
  const parsed = parseStrictJson(body, { maxBytes: body.length, maxDepth: 32 });
  if (!parsed.ok) return [];
  return logEntrySigners(parsed.value).flatMap((pem) => {
    const bytes = decodeBase64(pem);
    return bytes === undefined ? [] : [readVerifier(bytes)];
  });
}
