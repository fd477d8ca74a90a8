/** Marks of a token stream that another stream is recognised by; both arrays have one entry per mark, ascending place. */
export type Fingerprint = {
  readonly hashes: Uint32Array;
  /** The token at which the run of {@link GRAM} tokens begins. */
  readonly places: Uint32Array;
};

/** Tokens in a run that is hashed: shorter runs in common are coincidence. */
export const GRAM = 16;
/** Of as many runs in a row at least one is kept. */
export const WINDOW = 4;

/**
 * The fingerprint of a stream by winnowing: of every {@link WINDOW} runs in a row the one with the smallest hash, the
 * last of equal ones. Two streams that have `WINDOW + GRAM - 1` tokens in a row in common have a mark in common, and
 * no run shorter than `GRAM` is ever one. A stream of at least one run has at least one mark.
 * @see Schleimer, Wilkerson, Aiken: Winnowing, local algorithms for document fingerprinting (2003)
 */
export function fingerprintOf(symbols: Uint32Array): Fingerprint {
  const runs = hashRuns(symbols);
  const hashes: number[] = [];
  const places: number[] = [];
  let last = -1;
  const windows = runs.length === 0 ? 0 : Math.max(1, runs.length - WINDOW + 1);
  for (let window = 0; window < windows; window += 1) {
    const end = Math.min(window + WINDOW, runs.length);
    let smallest = window;
    for (let run = window + 1; run < end; run += 1) if (runs[run]! <= runs[smallest]!) smallest = run;
    if (smallest === last) continue;
    last = smallest;
    hashes.push(runs[smallest]!);
    places.push(smallest);
  }
  return { hashes: Uint32Array.from(hashes), places: Uint32Array.from(places) };
}

const BASE = 0x01000193;

/** A hash for each run of `GRAM` tokens, rolled on from the one before. */
function hashRuns(symbols: Uint32Array): Uint32Array {
  const count = symbols.length - GRAM + 1;
  if (count < 1) return new Uint32Array(0);
  let leaving = 1;
  for (let power = 1; power < GRAM; power += 1) leaving = Math.imul(leaving, BASE);
  const runs = new Uint32Array(count);
  let hash = 0;
  for (let place = 0; place < symbols.length; place += 1) {
    if (place >= GRAM) hash = (hash - Math.imul(symbols[place - GRAM]!, leaving)) | 0;
    hash = (Math.imul(hash, BASE) + symbols[place]!) | 0;
    if (place >= GRAM - 1) runs[place - GRAM + 1] = mix(hash);
  }
  return runs;
}

/** Spreads a hash over all its bits: the smallest of a window is to be any of them. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
