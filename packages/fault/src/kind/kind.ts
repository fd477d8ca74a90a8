/**
 * What an error says to a program that ends with it, or to a server that answers with it:
 * the caller's mistake · nothing there · other content than expected · not to be believed · not let in · another
 * machine is down · refused by a rule · nothing to look at · this machine failed.
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
