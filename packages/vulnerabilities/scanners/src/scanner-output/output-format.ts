import type { ScannerReading } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';

/** One shape that scanners write, and who reads it. */
export type OutputFormat = {
  /** Of the shape, e.g. `trivy` or `snyk issues`. */
  readonly name: string;
  /** By members that this shape has and no other; never by a file's name. */
  looksLike(root: unknown): boolean;
  /** Refused where the list of findings itself is missing or no list; what is wrong inside it is in `unread`. */
  read(root: unknown): ParseResult<readonly ScannerReading[]>;
};
