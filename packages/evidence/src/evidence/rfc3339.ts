/** Milliseconds since the epoch as a time in UTC, without a fraction where it has none. */
export function rfc3339(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}
