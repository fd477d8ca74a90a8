import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { AuthorityError } from '../authority-error/authority-error.ts';

/** Bytes of a discovery document or a key set. */
export const MAX_METADATA_BYTES = 128 * 1024;
/** For the whole answer, headers and body. */
export const METADATA_TIMEOUT_MS = 5_000;

/**
 * Fetches one JSON object: no redirect is followed, nothing is sent but the request, and the answer is bounded in time
 * and size.
 * @throws AuthorityError `authority.issuer_unreachable`, `authority.issuer_metadata_invalid`; never with the peer's text
 */
export async function fetchJsonObject(url: string, fetcher: typeof fetch): Promise<JsonObject> {
  const body = await fetchBody(url, fetcher);
  const parsed = parseStrictJson(body, { maxBytes: MAX_METADATA_BYTES });
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    throw new AuthorityError('authority.issuer_metadata_invalid', 'the issuer’s metadata is not a JSON object');
  }
  return parsed.value;
}

async function fetchBody(url: string, fetcher: typeof fetch): Promise<Uint8Array> {
  try {
    const response = await fetcher(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(METADATA_TIMEOUT_MS),
      headers: { accept: 'application/json' },
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new AuthorityError('authority.issuer_unreachable', 'the issuer did not answer with its metadata');
    }
    return await readBounded(response);
  } catch (error) {
    if (error instanceof AuthorityError) throw error;
    throw new AuthorityError('authority.issuer_unreachable', 'the issuer could not be reached', { cause: error });
  }
}

async function readBounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_METADATA_BYTES) {
      throw new AuthorityError('authority.issuer_metadata_invalid', 'the issuer’s metadata is too large');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
