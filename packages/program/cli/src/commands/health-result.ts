import { count, type ResultOf, resultOf, string } from '@colophon/records/result';

/** `colophon health`. */
export const healthResult = resultOf(
  'a server that answers',
  { issuer: string('its address') },
  { entry_count: { ...count, description: 'entries of its transparency log; absent where it serves none' } },
);
export type HealthResult = ResultOf<typeof healthResult>;
