/** Which files have a hash. */
export type Postings = {
  /** Number of a hash among all that any file has; -1 where none has it. */
  readonly find: (hash: number) => number;
  /** Where the files of each found hash begin in `files`; they end where those of the next one begin. */
  readonly starts: Uint32Array;
  /** The files of each hash, each once, ascending. */
  readonly files: Uint32Array;
};

// A hash is found among those with the same upper 16 bits.
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
  const known = new Uint32Array(count);
  const starts = new Uint32Array(count + 1);
  const files = new Uint32Array(count);
  const buckets = new Uint32Array(BUCKETS + 1);
  let length = 0;
  let distinct = 0;
  for (let at = 0; at < count; at += 1) {
    const key = keys[at]!;
    if (at > 0 && key === keys[at - 1]) continue;
    const hash = Math.floor(key / FILES);
    if (distinct === 0 || known[distinct - 1] !== hash) {
      known[distinct] = hash;
      starts[distinct] = length;
      buckets[(hash >>> 16) + 1]! += 1;
      distinct += 1;
    }
    files[length] = key - hash * FILES;
    length += 1;
  }
  starts[distinct] = length;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) buckets[bucket + 1]! += buckets[bucket]!;

  const find = (hash: number): number => {
    const bucket = hash >>> 16;
    const end = buckets[bucket + 1]!;
    let low = buckets[bucket]!;
    for (let high = end; low < high; ) {
      const middle = (low + high) >>> 1;
      if (known[middle]! < hash) low = middle + 1;
      else high = middle;
    }
    return low < end && known[low] === hash ? low : -1;
  };
  return { find, starts: starts.slice(0, distinct + 1), files: files.slice(0, length) };
}
