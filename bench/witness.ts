// The witness between a client and a server of models on loopback: what it adds until the first byte of an answer, and how many
// requests it passes on in a second. Client, witness and server are processes of their own; the figures are ratios to the same requests without it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import { doing } from './measure/progress.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '4' } }, strict: false });
const SECONDS = Number(values.seconds);
const CONNECTIONS = 32;

/** Starts one of the two processes; answers with the base URL that it sends. */
async function started(part: string, ...args: string[]): Promise<{ url: string; stop(): void }> {
  const child = fork(new URL('./measure/witness-part.ts', import.meta.url), [part, ...args]);
  const [url] = (await once(child, 'message')) as [string];
  return { url, stop: () => child.kill() };
}

const BODY = JSON.stringify({
  model: 'model-4',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'x'.repeat(2000) }],
});

/** Milliseconds until the first byte of the answer, once it is read to its end. */
function ask(base: string, agent: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const before = performance.now();
  const asked = request(`${base}/v1/messages`, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json' },
  });
  asked.once('response', (answer) => {
    const firstByte = performance.now() - before;
    answer.resume().once('end', () => resolve(firstByte));
  });
  asked.once('error', reject);
  asked.end(BODY);
  return promise;
}

async function measure(base: string): Promise<{ readonly perSecond: number; readonly firstByteMs: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  for (let i = 0; i < 200; i++) await ask(base, agent);
  // One at a time: what a person waits for.
  const alone: number[] = [];
  for (let i = 0; i < 300; i++) alone.push(await ask(base, agent));
  alone.sort((a, b) => a - b);
  const until = performance.now() + SECONDS * 1000;
  let count = 0;
  const line = async () => {
    while (performance.now() < until) {
      await ask(base, agent);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, line));
  agent.destroy();
  return { perSecond: count / SECONDS, firstByteMs: alone[Math.floor(alone.length / 2)]! };
}

const server = await started('server');
const witness = await started('witness', server.url);
try {
  doing('without a witness');
  const direct = await measure(server.url);
  doing('through the witness');
  const observed = await measure(witness.url);
  const shown = (name: string, { perSecond, firstByteMs }: typeof direct) =>
    console.log(
      `${name.padEnd(20)} ${firstByteMs.toFixed(2)} ms to the first byte, ${Math.round(perSecond)} requests/s`,
    );
  shown('without a witness', direct);
  shown('through the witness', observed);
  console.log(
    `${(observed.firstByteMs - direct.firstByteMs).toFixed(2)} ms added (the aim is 5 or less); ` +
      `${(direct.perSecond / observed.perSecond).toFixed(1)} times fewer requests (the aim is 2000/s or more)`,
  );
} finally {
  witness.stop();
  server.stop();
}
