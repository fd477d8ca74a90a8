/** scan …, kev …, vex …, schedule … */
export const TRIAGE_RESULTS: Readonly<Record<string, object>> = {};

/** Commands whose result has no schema yet. */
export const TRIAGE_PENDING: readonly string[] = [
  'scan run',
  'scan import',
  'kev update',
  'kev enrich',
  'kev status',
  'kev show',
  'kev history',
  'kev diff',
  'vex show',
  'vex validate',
  'vex convert',
  'vex merge',
  'vex create',
  'vex set',
  'vex sign',
  'vex verify',
  'vex apply',
  'schedule run',
  'schedule list',
];
