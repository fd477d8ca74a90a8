import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../time-words/duration.ts';

const SECONDS = { m: 60, h: 3600, d: 86_400 } as const;
/** Seconds. Nobody is asked more often, and nothing that is kept is older. */
const SHORTEST = 60;
const LONGEST = 31 * SECONDS.d;

/** `15m`, `6h`, `1d` in seconds, from a minute to a month. @throws InvalidArgumentError */
export function parseInterval(text: string): number {
  const seconds = parseDuration(text) ?? 0;
  if (seconds >= SHORTEST && seconds <= LONGEST) return seconds;
  throw new InvalidArgumentError('A time such as 15m, 6h or 1d is expected, from 60s to 31d.');
}

/** Seconds as a person says them: `45 s`, `15 min`, `6 h 30 min`, `2 d 3 h`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  const [days, hours, minutes] = [
    Math.floor(whole / SECONDS.d),
    Math.floor((whole % SECONDS.d) / SECONDS.h),
    Math.floor((whole % SECONDS.h) / SECONDS.m),
  ];
  if (days > 0) return `${days} d${hours > 0 ? ` ${hours} h` : ''}`;
  if (hours > 0) return `${hours} h${minutes > 0 ? ` ${minutes} min` : ''}`;
  return minutes > 0 ? `${minutes} min` : `${whole} s`;
}
