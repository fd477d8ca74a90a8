import { randomFillSync, randomUUID } from 'node:crypto';
import type { Clock, IssuerWatch, Logger, Random } from './ports.ts';

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** The machine's random numbers; small requests are cut from one larger draw, no byte is given out twice. */
export function createSystemRandom(): Random {
  let pool = new Uint8Array(0);
  return {
    bytes(length) {
      if (length > 1024) return randomFillSync(new Uint8Array(length));
      if (pool.length < length) pool = randomFillSync(new Uint8Array(4096));
      const taken = pool.subarray(0, length);
      pool = pool.subarray(length);
      return taken;
    },
    uuid: () => randomUUID(),
  };
}

/** Counts nothing. */
export const noWatch: IssuerWatch = { answered() {}, credential() {} };

/** Says nothing. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} };
