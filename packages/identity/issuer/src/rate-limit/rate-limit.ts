import { bareAddress, networksOf } from './address-networks.ts';

/** A bucket of `burst` requests that fills again at `perSecond`. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** For addresses of other machines: an agent mints one token per artifact. */
export const DEFAULT_RATE: Rate = { perSecond: 20, burst: 200 };

/** For loopback, where every local agent shares one address. */
export const DEFAULT_LOOPBACK_RATE: Rate = { perSecond: 5_000, burst: 20_000 };

/** Addresses remembered at once; the one that was quiet for longest is forgotten first. */
export const DEFAULT_TRACKED_ADDRESSES = 10_000;

type Bucket = { left: number; at: number };

/** Token buckets per address, or per caller, in bounded memory; for IPv6 see networksOf. */
export class RateLimiter {
  readonly #rate: Rate;
  readonly #loopbackRate: Rate;
  readonly #maxAddresses: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor({
    rate = DEFAULT_RATE,
    loopbackRate = DEFAULT_LOOPBACK_RATE,
    maxAddresses = DEFAULT_TRACKED_ADDRESSES,
  }: { readonly rate?: Rate; readonly loopbackRate?: Rate; readonly maxAddresses?: number } = {}) {
    this.#rate = rate;
    this.#loopbackRate = loopbackRate;
    this.#maxAddresses = maxAddresses;
  }

  /** Takes one request of `address` at `nowMs`: 0 where it may go on, else the seconds to wait. */
  take(address: string, nowMs: number): number {
    const networks = networksOf(address);
    const isLoopback = networks.some(({ key }) => key === '127.0.0.1') || bareAddress(address) === '::1';
    if (isLoopback) return this.#takeOf([['loopback', this.#loopbackRate]], nowMs);
    const { perSecond, burst } = this.#rate;
    const rates = networks.map(
      ({ key, times }) => [key, { perSecond: perSecond * times, burst: burst * times }] as const,
    );
    return this.#takeOf(rates, nowMs);
  }

  /** The same for a caller, by its name. */
  takeOfCaller(name: string, nowMs: number): number {
    return this.#takeOf([[name, this.#rate]], nowMs);
  }

  /** From all buckets or from none. */
  #takeOf(rates: ReadonlyArray<readonly [key: string, rate: Rate]>, nowMs: number): number {
    const filled = rates.map(([key, rate]) => ({ bucket: this.#filled(key, rate, nowMs), rate }));
    const empty = filled.filter(({ bucket }) => bucket.left < 1);
    if (empty.length > 0) {
      return Math.max(1, ...empty.map(({ bucket, rate }) => Math.ceil((1 - bucket.left) / rate.perSecond)));
    }
    for (const { bucket } of filled) bucket.left -= 1;
    return 0;
  }

  #filled(key: string, rate: Rate, nowMs: number): Bucket {
    const bucket = this.#buckets.get(key) ?? this.#add(key, rate, nowMs);
    // A clock that went back fills nothing.
    const elapsedSeconds = Math.max(0, nowMs - bucket.at) / 1000;
    bucket.left = Math.min(rate.burst, bucket.left + elapsedSeconds * rate.perSecond);
    bucket.at = nowMs;
    return bucket;
  }

  get size(): number {
    return this.#buckets.size;
  }

  #add(key: string, rate: Rate, nowMs: number): Bucket {
    if (this.#buckets.size >= this.#maxAddresses) this.#forgetQuietest();
    const bucket = { left: rate.burst, at: nowMs };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Looks at the oldest few only: a flood of addresses must not cost a scan of all. */
  #forgetQuietest(): void {
    let quietest: string | undefined;
    let at = Number.POSITIVE_INFINITY;
    let looked = 0;
    for (const [key, bucket] of this.#buckets) {
      if (bucket.at < at) {
        quietest = key;
        at = bucket.at;
      }
      looked += 1;
      if (looked === 16) break;
    }
    if (quietest !== undefined) this.#buckets.delete(quietest);
  }
}
