/** Whether an address is this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** An address as it may be shown: without login, query and fragment. */
export function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** Why nobody answered: the system's own code. Messages of fetch say only that it failed, and may hold a header. */
export function silenceReason(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown; message?: unknown } };
  if (name === 'TimeoutError') return 'no answer in time';
  // Ports of other protocols, such as 6000: nothing is sent there.
  if (cause?.message === 'bad port') return 'a port that HTTP is not sent to';
  return typeof cause?.code === 'string' ? cause.code : 'no connection';
}

/** The body of an answer, or undefined where it says or has more than so many bytes; the rest is not read. */
export async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    // Leaving the loop cancels the body.
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** The JSON value in a body, or undefined. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
