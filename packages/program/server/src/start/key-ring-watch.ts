import type { KeyRing } from '@colophon/keys';
import type { FastifyBaseLogger } from 'fastify';

/** A rotation counts with a server that has seen its state within five seconds. */
const INTERVAL_MS = 1000;

/** `problem`: code of why the state as it is now is not in force. */
export type KeyRingWatch = { readonly problem: () => string | undefined; close(): void };

/**
 * Looks at the ring's state file every second, by content: a file that is mounted is a link, whose changes nobody tells.
 * A state that cannot be used is logged once, and leaves the keys in force that were.
 */
export function watchKeyRing(ring: KeyRing, logger: FastifyBaseLogger): KeyRingWatch {
  let told: string | undefined;
  let problem: string | undefined;
  const timer = setInterval(() => {
    try {
      if (ring.refresh(Date.now())) logger.info({ kid: ring.at(Date.now()).signer.kid }, 'the token keys were changed');
      told = undefined;
      problem = undefined;
    } catch (error) {
      const { code, message } = error as Error & { readonly code?: string };
      problem = code ?? 'key.ring_invalid';
      if (message === told) return;
      told = message;
      logger.error({ code, err: error }, 'the token keys cannot be read again: those that are in force stay');
    }
  }, INTERVAL_MS);
  timer.unref();
  return { problem: () => problem, close: () => clearInterval(timer) };
}
