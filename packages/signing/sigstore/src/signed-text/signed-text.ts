import { readDerElements, readDerSequence, readOid } from '@colophon/encoding';

/**
 * What signed bytes are, by how they begin and what they hold: the encoding of a DSSE envelope, the payload of an older
 * image signature, the signed attributes of a CMS message (a git commit's signature), or a file like any other.
 */
export type SignedTextKind = 'envelope' | 'image' | 'commit' | 'file';

/** Longer bytes are never read as an image's payload or as a commit's attributes. */
export const MAX_SIGNED_TEXT_BYTES = 1024 * 1024;

const ENVELOPE_PREFIX = Buffer.from('DSSEv1 ');
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SET_TAG = 0x31;

/**
 * Says of which kind of signature the bytes are the signed text. A log entry cannot always say so: in Rekor v2 all kinds
 * look alike, and in v1 anybody may log a signature once more under another kind.
 * @param bytes all of them, or more than MAX_SIGNED_TEXT_BYTES from the beginning.
 * @see https://github.com/secure-systems-lab/dsse/blob/v1.0.2/protocol.md (PAE), RFC 5652 §5.3 (signedAttrs)
 */
export function signedTextKind(bytes: Uint8Array): SignedTextKind {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (text.subarray(0, ENVELOPE_PREFIX.length).equals(ENVELOPE_PREFIX)) return 'envelope';
  if (text.length > MAX_SIGNED_TEXT_BYTES) return 'file';
  if (namesImage(text)) return 'image';
  return isSignedAttributes(text) ? 'commit' : 'file';
}

/** Read as loosely as the loosest reader does: member names in any case, and whatever stands beside them. */
function namesImage(text: Buffer): boolean {
  let json: unknown;
  try {
    json = JSON.parse(text.toString());
  } catch {
    // No JSON, so no payload.
  }
  return typeof member(member(member(json, 'critical'), 'image'), 'docker-manifest-digest') === 'string';
}

function member(value: unknown, name: string): unknown {
  return Object.entries(value ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
}

function isSignedAttributes(text: Buffer): boolean {
  let isDigested = false;
  try {
    isDigested = readDerSequence(text, SET_TAG).some(({ content }) => {
      const [type] = readDerElements(content);
      return type !== undefined && readOid(type) === MESSAGE_DIGEST;
    });
  } catch {
    // No DER, so no attributes.
  }
  return isDigested;
}
