import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Statuses whose answers have no body (Fetch §2.2.3). */
const BODILESS: readonly number[] = [204, 205, 304];

/**
 * A `fetch` for questions over TLS to a machine whose certificate a private authority signed. The authority counts for
 * these questions only, and is the only one that counts. It follows no redirect, decompresses nothing, and takes the
 * proxy that the process uses.
 *
 * @param authorities PEM; one certificate at least
 * @throws TypeError without a certificate; the question fails with one where its body is no bytes, or it is not over TLS
 */
export function fetchTrusting(authorities: string): typeof globalThis.fetch {
  // Node takes an empty text for none given, and would trust every public authority.
  if (!authorities.includes('-----BEGIN CERTIFICATE-----')) throw new TypeError('authorities are PEM certificates');
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (body != null && !(body instanceof Uint8Array)) throw new TypeError('a private authority is sent bytes');
    signal?.throwIfAborted();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      // Loaded where it is asked for: few processes have a private authority.
      const asked = process
        .getBuiltinModule('node:https')
        .request(url, { method, headers: Object.fromEntries(new Headers(headers)), ca: authorities }, resolve);
      // fetch keeps the system's error as the cause of its own.
      asked.once('error', (cause) => reject(signal?.aborted ? signal.reason : new TypeError('no answer', { cause })));
      signal?.addEventListener('abort', () => asked.destroy(), { once: true });
      // Sent whole, so that Node says its length.
      asked.end(body ?? undefined);
    });
    const status = answer.statusCode ?? 0;
    const names = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const isEmpty = BODILESS.includes(status) || method === 'HEAD';
    if (isEmpty) answer.resume();
    const stream = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
    return new Response(stream, { status, headers: names });
  };
}
