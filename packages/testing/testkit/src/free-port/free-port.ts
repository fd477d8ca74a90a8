import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port that nobody listens on. It is none that the system gives out by itself (32768 and above): between now and the
 * start of the server, any other program that asks for whatever port could get it, and would answer in its place.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
