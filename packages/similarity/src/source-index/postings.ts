/** Which files have a hash. */
export type Postings = {
  /** Calls for each file that has it, each once, ascending; for none where more than `most` have it. */
  readonly each: (hash: number, most: number, call: (file: number) => void) => void;
  /** The places that a hash has among all postings, from and up to. */
  readonly range: (hash: number) => readonly [from: number, to: number];
  /** The file at a place. */
  readonly fileAt: (place: number) => number;
};

// The postings of a hash are found among those with the same upper 16 bits.
const BUCKETS = 65_536;
const FILES = 2 ** 21;

/** Postings of files by their hashes, which may come more than once in a file; at most 2,097,152 files. */
export function createPostings(hashes: readonly Uint32Array[]): Postings {
  if (hashes.length > FILES) throw new TypeError(`at most ${FILES} files are indexed together`);
  // A hash and a file in one number, which sorts both at once: 32 and 21 of a double's 53 bits.
  const keys = new Float64Array(hashes.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  hashes.forEach((ofFile, file) => {
    for (const hash of ofFile) {
      keys[count] = hash * FILES + file;
      count += 1;
    }
  });
  keys.sort();
  const sortedHashes = new Uint32Array(count);
  const files = new Uint32Array(count);
  let length = 0;
  for (let at = 0; at < count; at += 1) {
    const key = keys[at]!;
    if (at > 0 && key === keys[at - 1]) continue;
    const hash = Math.floor(key / FILES);
    sortedHashes[length] = hash;
    files[length] = key - hash * FILES;
    length += 1;
  }
  const starts = new Uint32Array(BUCKETS + 1);
  for (let at = 0; at < length; at += 1) starts[(sortedHashes[at]! >>> 16) + 1]! += 1;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) starts[bucket + 1]! += starts[bucket]!;

  const range = (hash: number): readonly [number, number] => {
    const bucket = hash >>> 16;
    const end = starts[bucket + 1]!;
    let low = starts[bucket]!;
    for (let high = end; low < high; ) {
      const middle = (low + high) >>> 1;
      if (sortedHashes[middle]! < hash) low = middle + 1;
      else high = middle;
    }
    let to = low;
    while (to < end && sortedHashes[to] === hash) to += 1;
    return [low, to];
  };
  return {
    range,
    fileAt: (place) => files[place]!,
    each: (hash, most, call) => {
      const [from, to] = range(hash);
      if (to - from > most) return;
      for (let at = from; at < to; at += 1) call(files[at]!);
    },
  };
}
