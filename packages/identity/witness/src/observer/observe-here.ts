import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderApi } from '../agent-environment/agent-environment.ts';
import { agentBaseUrl, type Upstream } from '../upstream/upstream.ts';
import { Witness, type WitnessOptions } from '../witness/witness.ts';
import type { AskedRun, Observation } from './observer.ts';

/**
 * Observes a run in this process, on a free port of the loopback interface: a witness of place `same-host`.
 * @param options with one upstream for each API, whose slot is the API's name
 */
export async function observeHere(asked: AskedRun, options: Omit<WitnessOptions, 'place'>): Promise<Observation> {
  const witness = new Witness({ ...options, place: 'same-host' });
  const server = witness.createProxyServer();
  const port = await listening(server);
  const opened = witness.open(asked);
  const base = (upstream: Upstream) => agentBaseUrl(`http://127.0.0.1:${port}`, opened.token, upstream);
  return {
    baseUrls: Object.fromEntries(options.upstreams.map((upstream) => [upstream.slot as ProviderApi, base(upstream)])),
    addsCredentials: false,
    receipt: () => witness.receipt(opened.run),
    async end(outcome) {
      await witness.end(opened, outcome);
      return witness.receipt(opened.run);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function listening(server: Server): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', reject);
  server.listen({ host: '127.0.0.1', port: 0 }, () => resolve((server.address() as AddressInfo).port));
  return promise;
}
