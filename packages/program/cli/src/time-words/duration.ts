const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** `90s`, `15m`, `6h`, `1d` in seconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(number) * SECONDS[unit as keyof typeof SECONDS];
}
