import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { FULL_REQUEST, freePort, type Installation, startColophon } from './colophon-up.ts';

const KILLS = 20;

let installation: Installation | undefined;
afterEach(() => installation?.stop());

test(`after ${KILLS} kills at random moments under load, every token that a caller received is in the ledger`, async () => {
  const port = await freePort();
  installation = await startColophon({ port });
  const received: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const { issuer, process: server, folder } = installation;
    const exited = new Promise((resolve) => server.once('exit', resolve));
    const callers = Array.from({ length: 8 }, async (_, caller) => {
      for (let request = 0; request < 500; request++) {
        try {
          const response = await fetch(`${issuer}/oauth/token`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ ...FULL_REQUEST, agent_version: `${kill}.${caller}.${request}` }),
          });
          if (response.ok) received.push(await response.text());
        } catch {
          return;
        }
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 300));
    server.kill('SIGKILL');
    await exited;
    await Promise.all(callers);
    installation = await startColophon({ port, folder });
  }
  const ledger = await installation.colophon(['ledger', 'verify', '--output', 'json']);
  expect(ledger, ledger.stdout + ledger.stderr).toMatchObject({ code: 0 });
  const log = await installation.colophon(['log', 'verify', '--output', 'json']);
  expect(log, log.stdout + log.stderr).toMatchObject({ code: 0 });
  const exported = `${installation.folder}/ledger.json`;
  expect((await installation.colophon(['ledger', 'export', '--file', exported])).code).toBe(0);
  const inLedger = new Set(
    (JSON.parse(readFileSync(exported, 'utf8')) as Array<{ jti: string }>).map(({ jti }) => jti),
  );
  expect(received.length).toBeGreaterThan(KILLS);
  const missing = received.map(jtiOf).filter((jti) => !inLedger.has(jti));
  expect(missing).toEqual([]);
});

function jtiOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).jti;
}
