import { hash } from 'node:crypto';

/** What a column may hold. */
export type RowValue = string | number | null | Uint8Array;

/**
 * SHA-256 over a row's values in their order: kept beside columns that nothing else in the file implies, so that a changed
 * bit in them is found. Whoever may write the file can compute it anew.
 */
export function rowDigest(values: readonly RowValue[]): Uint8Array {
  // Before JSON: a Buffer has a spelling of its own there.
  const text = JSON.stringify(
    values.map((value) => (value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value)),
  );
  return new Uint8Array(hash('sha256', text, 'buffer'));
}

/** Whether a digest is that of the values. */
export function isRowDigest(digest: Uint8Array, values: readonly RowValue[]): boolean {
  return Buffer.compare(digest, rowDigest(values)) === 0;
}
