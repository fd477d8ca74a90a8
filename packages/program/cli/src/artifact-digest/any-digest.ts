import { decodeBase64 } from '@colophon/encoding';
import { parseHexDigest, parseImageReference, parseIntegrity } from '@colophon/notation';

/**
 * Reads a digest as a person may type it for any command, in every form that tools print: hex digits in either case, with
 * or without `sha256:` before them, base64, `sha256-<base64>` as subresource integrity writes it, or an image reference
 * with its digest.
 * @returns `<algorithm>:<hex>` in lower case; undefined for anything else
 */
export function parseAnyDigest(text: string): string | undefined {
  const [integrity] = /\s/.test(text) ? [] : parseIntegrity(text);
  return (
    ofHex(text.toLowerCase()) ??
    (integrity && ofBase64(integrity.value, `${integrity.algorithm}:`)) ??
    ofBase64(text) ??
    parseImageReference(text)?.digest
  );
}

/** The same of a SHA-256 alone that is not an image's: `sha256:<hex>`; undefined for anything else. */
export function parseAnySha256(text: string): string | undefined {
  const digest = text.includes('@') ? undefined : parseAnyDigest(text);
  return digest?.startsWith('sha256:') ? digest : undefined;
}

function ofHex(text: string): string | undefined {
  const digest = parseHexDigest(text);
  return digest && `${digest.algorithm}:${digest.hex}`;
}

function ofBase64(text: string, prefix = ''): string | undefined {
  const bytes = decodeBase64(text);
  return bytes && ofHex(prefix + Buffer.from(bytes).toString('hex'));
}
