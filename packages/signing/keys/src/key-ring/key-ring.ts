import { KeyError } from '../key-error/key-error.ts';
import { openKeyFile } from '../key-file/key-file.ts';
import type { KeyAlgorithm, KeysInForce, SigningKeys } from '../signer/signer.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import type { RingEntry } from './ring-entry.ts';
import { readRingFile, readRingKey, ringEntries } from './ring-file.ts';
import { type RingPlace, ringFile } from './ring-place.ts';
import { keysAt, RING_TIMING, type RingTiming, ringTimes, stateOfKey, withEndsPutOff } from './ring-schedule.ts';

/** A stretch of time in which nothing changes. */
type Stretch = KeysInForce & { readonly from: number; readonly until: number };

/** The keys of a ring in this process. Asking it costs neither a file nor memory. */
export class KeyRing implements SigningKeys {
  readonly alg: KeyAlgorithm;
  readonly cacheSeconds: number;
  readonly tokenSeconds: number;
  readonly #place: RingPlace;
  /** Of the state file; undefined where there is none. */
  #bytes: Buffer | undefined;
  #keys = new Map<string, SigningKey>();
  #stretches: readonly Stretch[] = [];
  #last: Stretch;

  /**
   * Opens the ring; makes its first key where there is neither key nor state file.
   * @param now milliseconds since 1970: keys that have left the key set by then are not read
   * @throws KeyError `key.ring_invalid`; what `openKeyFile` throws
   */
  constructor(place: RingPlace, now: number, { cacheSeconds, tokenSeconds }: RingTiming = RING_TIMING) {
    this.#place = place;
    this.alg = place.alg;
    this.cacheSeconds = cacheSeconds;
    this.tokenSeconds = tokenSeconds;
    this.#bytes = readRingFile(place);
    this.#last = this.#open(now);
  }

  at(now: number): KeysInForce {
    const last = this.#last;
    if (now >= last.from && now < last.until) return last;
    this.#last = this.#stretches.find(({ until }) => now < until)!;
    return this.#last;
  }

  /**
   * Since when the key of `now` signs, and until when; infinite where the ring says nothing about it.
   * Times in milliseconds since 1970.
   */
  signing(now: number): { readonly from: number; readonly until: number } {
    const { signer } = this.at(now);
    const own = this.#stretches.filter((stretch) => stretch.signer === signer);
    return { from: own[0]?.from ?? Number.NEGATIVE_INFINITY, until: own.at(-1)?.until ?? Number.POSITIVE_INFINITY };
  }

  /**
   * Reads the state file again; true where it brought other keys into force. Where it throws, those that were in force
   * stay.
   * @throws KeyError `key.ring_invalid`; what `readKeyFile` throws
   */
  refresh(now: number): boolean {
    const bytes = readRingFile(this.#place);
    if (bytes === undefined) {
      if (this.#bytes === undefined) return false;
      // The first key alone would be in force again, revoked or not.
      throw new KeyError('key.ring_invalid', `${ringFile(this.#place, 'ring.json')} is no longer there`);
    }
    if (isSame(bytes, this.#bytes)) return false;
    this.#last = this.#load(bytes, now);
    this.#bytes = bytes;
    return true;
  }

  /** A change meanwhile may have deleted a key that the state still named when it was read. */
  #open(now: number): Stretch {
    for (;;) {
      let opened: Stretch | undefined;
      let failure: unknown;
      try {
        if (this.#bytes === undefined) openKeyFile(this.#place.firstKey, this.#place.alg);
        opened = this.#load(this.#bytes, now);
      } catch (error) {
        failure = error;
      }
      const bytes = readRingFile(this.#place);
      if (isSame(bytes, this.#bytes)) {
        if (opened === undefined) throw failure;
        return opened;
      }
      this.#bytes = bytes;
    }
  }

  #load(bytes: Buffer | undefined, now: number): Stretch {
    const all = withEndsPutOff(ringEntries(this.#place, bytes), this);
    const entries = all.filter((entry) => stateOfKey(all, entry, now) !== 'retired');
    const keys = new Map<string, SigningKey>();
    const keyOf = (entry: RingEntry) => {
      const key = keys.get(entry.kid) ?? this.#keys.get(entry.kid) ?? readRingKey(this.#place, entry);
      keys.set(entry.kid, key);
      return key;
    };
    const times = ringTimes(entries);
    const stretches = [Number.NEGATIVE_INFINITY, ...times].map((from, index) => {
      const { signing, published } = keysAt(entries, from);
      const until = times[index] ?? Number.POSITIVE_INFINITY;
      return { from, until, signer: keyOf(signing), published: published.map(keyOf) };
    });
    this.#keys = keys;
    this.#stretches = stretches;
    return stretches[0]!;
  }
}

function isSame(bytes: Buffer | undefined, others: Buffer | undefined): boolean {
  return bytes === undefined || others === undefined ? bytes === others : bytes.equals(others);
}
