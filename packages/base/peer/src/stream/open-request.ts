import type { ClientRequest, IncomingMessage } from 'node:http';
import { reachDirectly, trustMachineStore } from '../network/machine-network.ts';

/** A request whose body and answer pass as streams. */
export type StreamedRequest = {
  readonly method: string;
  /** Names and values in turn, as they are to be sent. */
  readonly headers: readonly string[];
  /** Path and query, byte for byte; it begins with `/`. */
  readonly path: string;
  /** PEM: the only authority that counts for this machine; those of the machine where absent. */
  readonly ca?: string | undefined;
};

/**
 * Opens a request to another machine, through the proxy and with the authorities that the process uses. Nothing is
 * followed, decompressed or repeated; its body is to be written, and ended.
 * @param origin its path counts for nothing
 */
export function openRequest(
  origin: URL,
  { method, headers, path, ca }: StreamedRequest,
  onAnswer: (answer: IncomingMessage) => void,
): ClientRequest {
  if (!path.startsWith('/')) throw new TypeError('a path begins with /');
  const isTls = origin.protocol === 'https:';
  if (isTls) trustMachineStore();
  reachDirectly(origin);
  const { request } = process.getBuiltinModule(isTls ? 'node:https' : 'node:http');
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  return request(
    {
      host,
      ...(origin.port === '' ? {} : { port: origin.port }),
      method,
      path,
      headers: ['Host', origin.host, ...headers],
      ...(ca === undefined ? {} : { ca }),
    },
    onAnswer,
  );
}
