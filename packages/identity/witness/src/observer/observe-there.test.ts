import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { observeThere } from './observe-there.ts';

const HASH = `sha256:${'a'.repeat(64)}`;
const ASKED = { agentName: 'code-writer', agentVersion: '1', promptHash: HASH, policyPackHash: HASH };

async function askedAt(answer: RequestListener) {
  const socket = join(temporaryFolder(onTestFinished), 'control.sock');
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return observeThere(ASKED, { address: `unix:${socket}`, credential: 'secret' });
}

test('an answer over a socket that does not end is given up, and is no witness', async () => {
  let sent = 0;
  const endless: RequestListener = (_, response) => {
    const more = () => {
      sent += 1;
      response.write('x'.repeat(64 * 1024), () => void (response.writable && more()));
    };
    more();
  };
  await expect(askedAt(endless)).rejects.toMatchObject({ code: 'witness.unavailable' });
  expect(sent).toBeLessThan(200);
});

test.each([
  ['no JSON'],
  ['[]'],
  ['{"run_id":"../x","base_urls":{}}'],
  ['{"run_id":"00000000-0000-4000-8000-000000000000"}'],
])('what answers %s is no witness', async (text) => {
  await expect(askedAt((_, response) => response.end(text))).rejects.toMatchObject({ code: 'witness.unavailable' });
});
