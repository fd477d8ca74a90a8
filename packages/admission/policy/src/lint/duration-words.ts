const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A number of whole seconds as a person says it: `90 days`, `90 seconds`. */
export function durationWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, of]) => seconds % of === 0) ?? UNITS[3];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
