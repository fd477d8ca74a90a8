// One contender as a process: answers on a port of its own, and tells its parent what it has used.
import { rmSync } from 'node:fs';
import { makeScratchFolder } from '../measure/scratch-folder.ts';
import { startColophon } from './colophon-server.ts';
import type { Algorithm, Memory, ServerKind } from './contender.ts';
import { startFloor } from './floor-server.ts';
import { startOidcProvider } from './oidc-provider-server.ts';

export type Started = { readonly port: number; settle(): Promise<void>; stop(): Promise<void> };

const [kind, alg] = process.argv.slice(2) as [ServerKind, Algorithm];
const folder = makeScratchFolder(`${kind}-${alg}`);
const started = await { floor: startFloor, colophon: startColophon, 'oidc-provider': startOidcProvider }[kind](
  alg,
  folder,
);
process.on('message', async (message) => {
  if (message === 'cpu') {
    await started.settle();
    const { user, system } = process.cpuUsage();
    process.send!({ answer: user + system });
  }
  if (message === 'memory') {
    await started.settle();
    globalThis.gc!();
    const { rss, heapUsed } = process.memoryUsage();
    process.send!({ answer: { rssBytes: rss, heapBytes: heapUsed } satisfies Memory });
  }
  if (message === 'stop') {
    await started.stop();
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  }
});
process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(1);
});
process.send!({ port: started.port });
