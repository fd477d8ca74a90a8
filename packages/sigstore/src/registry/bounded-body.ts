import { RegistryError } from './registry-error.ts';

/**
 * The body of an answer, at most `maxBytes`: what is declared or sent beyond is not read.
 * @throws RegistryError `registry.too_large`, `registry.timeout`, `registry.unreachable`
 */
export async function boundedBody(response: Response, maxBytes: number, url: URL): Promise<Uint8Array> {
  const tooLarge = () => new RegistryError('registry.too_large', `the answer has more than ${maxBytes} bytes`, { url });
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel();
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      // Leaving the loop cancels the rest of the body.
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof RegistryError ? error : transportError(error, url);
  }
  return new Uint8Array(Buffer.concat(chunks, size));
}

/** What a failed request or a broken body means. */
export function transportError(error: unknown, url: URL): RegistryError {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return isTimeout
    ? new RegistryError('registry.timeout', `${url.host} did not answer in time`, { url })
    : new RegistryError('registry.unreachable', `cannot reach ${url.host}`, { url, cause: error });
}
