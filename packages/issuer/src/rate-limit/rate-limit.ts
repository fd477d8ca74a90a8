/** A bucket of `burst` requests that fills again at `perSecond`. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** For addresses of other machines: an agent mints one token per artifact. */
export const DEFAULT_RATE: Rate = { perSecond: 20, burst: 200 };

/** For loopback, where every local agent shares one address. */
export const DEFAULT_LOOPBACK_RATE: Rate = { perSecond: 5_000, burst: 20_000 };

/** Addresses remembered at once; the one that was quiet for longest is forgotten first. */
export const DEFAULT_TRACKED_ADDRESSES = 10_000;

type Bucket = { left: number; at: number };

/** Token buckets per address, or per caller, in bounded memory; one IPv6 /64 counts as one address. */
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
    const isLoopback = address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1';
    const rate = isLoopback ? this.#loopbackRate : this.#rate;
    return this.#takeOf(isLoopback ? 'loopback' : network(address), rate, nowMs);
  }

  /** The same for a caller, by its name. */
  takeOfCaller(name: string, nowMs: number): number {
    return this.#takeOf(name, this.#rate, nowMs);
  }

  #takeOf(key: string, rate: Rate, nowMs: number): number {
    const bucket = this.#buckets.get(key) ?? this.#add(key, rate, nowMs);
    // A clock that went back fills nothing.
    const elapsedSeconds = Math.max(0, nowMs - bucket.at) / 1000;
    bucket.left = Math.min(rate.burst, bucket.left + elapsedSeconds * rate.perSecond);
    bucket.at = nowMs;
    if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / rate.perSecond));
    bucket.left -= 1;
    return 0;
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

/** The first four groups of an IPv6 address, an IPv4 address as it is. */
function network(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  if (tail === undefined) return left.slice(0, 4).join(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
