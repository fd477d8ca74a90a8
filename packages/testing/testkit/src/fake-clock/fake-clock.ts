/** A clock that stands still until it is moved; milliseconds since 1970-01-01T00:00:00Z. */
export type FakeClock = { now(): number; set(now: number): void; advance(ms: number): void };

/** A clock that shows `now`, in milliseconds or as an RFC 3339 time; by default 2026-11-21T12:00:00Z. */
export function fakeClock({ now = '2026-11-21T12:00:00Z' }: { now?: number | string } = {}): FakeClock {
  let current = typeof now === 'number' ? now : Date.parse(now);
  if (!Number.isFinite(current)) throw new TypeError('a clock shows a time');
  return {
    now: () => current,
    set: (next) => {
      current = next;
    },
    advance: (ms) => {
      current += ms;
    },
  };
}
