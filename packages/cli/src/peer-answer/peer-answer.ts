/** Most bytes of a peer's answer that are read. */
export const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** What a peer said, whatever its status. */
export type PeerAnswer = { readonly status: number; readonly isOk: boolean; readonly body: string };

/** Nobody answered, or not as a peer may; `message` says why, and never what was sent. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * Sends one request and reads the whole answer. A redirect is no answer: what stands in the request is for this address.
 * @throws NoAnswer
 */
export async function askPeer(
  url: string,
  { timeoutMs, mostBytes = MOST_ANSWER_BYTES, ...init }: RequestInit & { timeoutMs: number; mostBytes?: number },
): Promise<PeerAnswer> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new NoAnswer(`HTTP ${status}, a redirect, which is not followed`);
    }
    return { status, isOk: response.ok, body: await readBounded(response, mostBytes) };
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    throw new NoAnswer(reasonOf(error));
  }
}

async function readBounded(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > mostBytes) throw new NoAnswer(`an answer of more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The system's own code; messages of fetch say only that it failed, and may hold a header. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as { name: string; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return 'no answer in time';
  return typeof cause?.code === 'string' ? cause.code : 'no connection';
}

/** The JSON object in an answer, or undefined where it holds something else. */
export function jsonObjectOf({ body }: PeerAnswer): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
