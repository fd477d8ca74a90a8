import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { askPeer, NoAnswer } from '@colophon/peer';
import { TokenRefused } from '../token/token-refused.ts';

/** Bytes of a discovery document or a key set. */
export const MAX_METADATA_BYTES = 128 * 1024;
/** For the whole answer, headers and body. */
export const METADATA_TIMEOUT_MS = 5_000;

/**
 * Fetches one JSON object: no redirect is followed, nothing is sent but the request and `headers`, and the answer is
 * bounded in time and size.
 * @throws TokenRefused `issuer_unreachable`, `issuer_metadata_invalid`; never with the peer's text
 */
export async function fetchMetadata(
  url: string,
  fetcher: typeof fetch,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonObject> {
  const { status, body } = await ask(url, fetcher, headers);
  if (status !== 200) throw new TokenRefused('issuer_unreachable', 'the issuer did not answer with its metadata');
  const parsed = parseStrictJson(body, { maxBytes: MAX_METADATA_BYTES });
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new TokenRefused('issuer_metadata_invalid', 'the issuer’s metadata is not a JSON object');
}

function ask(url: string, fetcher: typeof fetch, headers: Readonly<Record<string, string>>) {
  const limits = { timeoutMs: METADATA_TIMEOUT_MS, mostBytes: MAX_METADATA_BYTES };
  const reads = ({ status }: { readonly status: number }) => status === 200;
  const question = { headers: { accept: 'application/json', ...headers } };
  return askPeer(url, question, { ...limits, fetch: fetcher, reads }).catch((cause: unknown) => {
    if (cause instanceof NoAnswer && cause.kind === 'too-large') {
      throw new TokenRefused('issuer_metadata_invalid', 'the issuer’s metadata is too large');
    }
    throw new TokenRefused('issuer_unreachable', 'the issuer could not be reached', { cause });
  });
}
