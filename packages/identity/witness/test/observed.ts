import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SigningKey } from '@colophon/keys';
import type { WitnessReceipt } from '@colophon/records';
import type { Cleanup } from '@colophon/testkit';
import { agentBaseUrl, type Upstream } from '../src/upstream/upstream.ts';
import { Witness, type WitnessOptions } from '../src/witness/witness.ts';

export const PROMPT = 'Fix the bug in the parser.';
export const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** A witness with one open run, and the base URLs of its agent. */
export async function observedRun(
  cleanup: Cleanup,
  upstreams: readonly Upstream[],
  more: Partial<WitnessOptions> = {},
) {
  const key = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const witness = new Witness({
    key,
    place: 'same-host',
    upstreams,
    random: { bytes: (length) => randomBytes(length), uuid: () => randomUUID() },
    ...more,
  });
  const server = witness.createProxyServer();
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  cleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  const opened = witness.open({
    agentName: 'code-writer',
    agentVersion: '1.2.3',
    promptHash: hashOf(PROMPT),
    policyPackHash: hashOf('rules'),
  });
  const { port } = server.address() as AddressInfo;
  const base = (slot: string) => {
    const upstream = upstreams.find((one) => one.slot === slot)!;
    return agentBaseUrl(`http://127.0.0.1:${port}`, opened.token, upstream);
  };
  const receipt = async (): Promise<WitnessReceipt> => {
    await opened.run.settled(5_000);
    return opened.run.receipt({ key_id: key.kid, place: 'same-host' }, Date.now());
  };
  return { witness, key, opened, base, receipt, port, server };
}

export function upstreamAt(slot: string, url: string, more: Partial<Upstream> = {}): Upstream {
  return { slot, name: slot, base: new URL(url), ...more };
}
