/**
 * What an error means for the exit code of the program and the status of the server, in the order below: a mistake of
 * the caller · not found · other content than expected · not trusted · not authorized · another machine is down ·
 * refused by a rule · nothing to check · this machine failed.
 */
export const KINDS = [
  'usage',
  'not-found',
  'mismatch',
  'untrusted',
  'unauthorized',
  'peer',
  'refused',
  'nothing',
  'machine',
] as const;
export type Kind = (typeof KINDS)[number];
