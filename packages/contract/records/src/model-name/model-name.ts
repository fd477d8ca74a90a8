/**
 * What a provider appends where a name stands for its newest version: a day, a month and day, or a short number
 * (`-20250929`, `-2024-08-06`, `-0613`, `-002`, `@20250514`).
 */
const VERSION = /^[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|\d{3})$/;
/** How a request asks for the newest version. */
const NEWEST = /-(?:latest|0)$/;

/**
 * Whether another model answered than was requested. The same name is none, nor is a name that the provider completed by a
 * version; every other difference is one, also where two names may mean one model: nobody but the provider could know.
 */
export function isSubstituted(requested: string, served: string): boolean {
  if (requested === served) return false;
  return !completes(served, requested) && !completes(served, requested.replace(NEWEST, ''));
}

function completes(served: string, name: string): boolean {
  return served === name || (served.startsWith(name) && VERSION.test(served.slice(name.length)));
}
