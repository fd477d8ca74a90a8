/** What a source package may need at most. */
export type SourceLimits = {
  /** Bytes of one answer of a registry, archives among them. */
  readonly maxDownloadBytes: number;
  /** Bytes of everything in an archive or folder, also of what is not kept. */
  readonly maxExpandedBytes: number;
  /** Expanded bytes for each byte of an archive, beyond the first 16 MiB. */
  readonly maxRatio: number;
  readonly maxFiles: number;
  /** A longer file is not kept. */
  readonly maxFileBytes: number;
};

const MIB = 1024 * 1024;

/** Enough for every package in use but a kernel or a browser. */
export const DEFAULT_SOURCE_LIMITS: SourceLimits = {
  maxDownloadBytes: 128 * MIB,
  maxExpandedBytes: 512 * MIB,
  maxRatio: 100,
  maxFiles: 100_000,
  maxFileBytes: 8 * MIB,
};

/** Bytes that an archive may expand to, whatever its own size. */
const ANY_RATIO_BYTES = 16 * MIB;

/** The most bytes that an archive of `archiveBytes` bytes may expand to. */
export function maxExpandedBytesOf(archiveBytes: number, { maxExpandedBytes, maxRatio }: SourceLimits): number {
  return Math.min(maxExpandedBytes, Math.max(ANY_RATIO_BYTES, archiveBytes * maxRatio));
}
