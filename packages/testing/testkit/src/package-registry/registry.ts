import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../cleanup/cleanup.ts';

type Answer = { status?: number; headers?: Record<string, string>; body?: string | Uint8Array } | 'never';

/** A registry on loopback that has what stands in `files`, by path; what is a function answers itself. */
export type Registry = {
  readonly url: string;
  readonly requests: IncomingMessage[];
  readonly files: Record<string, string | Uint8Array | ((request: IncomingMessage) => Answer)>;
};

export async function startRegistry(cleanup: Cleanup, files: Registry['files'] = {}): Promise<Registry> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const file = files[(request.url ?? '').split('?')[0] as string];
    const answer = typeof file === 'function' ? file(request) : file === undefined ? { status: 404 } : { body: file };
    if (answer === 'never') return;
    const { status = 200, headers = {}, body = '' } = answer;
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, files };
}
