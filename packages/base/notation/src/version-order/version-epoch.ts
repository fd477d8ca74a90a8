/** A version of Debian or RPM, cut at its epoch. */
export type EpochedVersion = {
  /** Digits as they are written; none where nothing stands before the colon, which RPM takes for zero. */
  readonly epoch: string;
  readonly rest: string;
};

/** Cuts the epoch off: `1:2.3-4` is `1` and `2.3-4`. Undefined for a version that states none. */
export function splitEpoch(text: string): EpochedVersion | undefined {
  const epoch = /^([0-9]*):/.exec(text)?.[1];
  return epoch === undefined ? undefined : { epoch, rest: text.slice(epoch.length + 1) };
}
