import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PutServer = {
  readonly url: string;
  /** Path → content. */
  readonly files: Map<string, { bytes: Buffer; modifiedAt: Date }>;
  /** What every request said. */
  readonly requests: Array<{ method: string; path: string; authorization: string | undefined }>;
  close(): Promise<void>;
};

/** A real web server that takes files by PUT, as WebDAV hosts do; with or without conditional requests. */
export async function startPutServer({ conditions = true, password = '' } = {}): Promise<PutServer> {
  const files: PutServer['files'] = new Map();
  const requests: PutServer['requests'] = [];
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, path: url, authorization: headers.authorization });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (password !== '' && headers.authorization !== `Bearer ${password}`) return response.writeHead(401).end();
    const found = files.get(url);
    const tag =
      found && `"${found.bytes.length}-${found.modifiedAt.getTime()}-${found.bytes.toString('base64').length}"`;
    if (method === 'GET' || method === 'HEAD') {
      if (found === undefined) return response.writeHead(404).end();
      response.setHeader('last-modified', found.modifiedAt.toUTCString());
      if (conditions) response.setHeader('etag', tag as string);
      return response.end(method === 'HEAD' ? undefined : found.bytes);
    }
    if (method === 'DELETE') return response.writeHead(files.delete(url) ? 204 : 404).end();
    if (method !== 'PUT') return response.writeHead(405).end();
    if (conditions) {
      const isTaken = headers['if-none-match'] === '*' && found !== undefined;
      const isOther = headers['if-match'] !== undefined && headers['if-match'] !== tag;
      if (isTaken || isOther) return response.writeHead(412).end();
    }
    const modifiedAt = new Date(Math.max(Date.now(), (found?.modifiedAt.getTime() ?? 0) + 1));
    files.set(url, { bytes: Buffer.concat(chunks), modifiedAt });
    return response.writeHead(found === undefined ? 201 : 204).end();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
