import { isObject, listOf, objectOf, textOf } from './members.ts';

/** Versions that only say that there is none. */
const NEVER = /^<\s*0(?:\.0)*$/;
const LEAST = /^>=\s*/;

/**
 * The versions in which a vulnerability is fixed, of what advisories write: one version, several with commas between,
 * or ranges such as `>=2.6.9 <3.0.0 || >=3.1.0`, of which each begins with a fixed version. A bound that names no
 * version of its own (`^1.2`, `>3`) stays as it stands.
 */
export function fixedVersions(text: string | undefined): string[] {
  if (text === undefined || text.trim() === '') return [];
  return text
    .replace(/([<>=~^])\s+/g, '$1')
    .split(/\s*(?:\|\||,)\s*|\s+/)
    .filter((bound) => bound !== '' && bound !== '*' && !NEVER.test(bound) && !bound.startsWith('<'))
    .map((bound) => bound.replace(LEAST, ''))
    .filter((bound) => bound !== '');
}

/**
 * The versions in which an OSV record says that a package is fixed: of the entries about that very package, or of all
 * where none names it. Commits, which stand there in the same place, are left out.
 */
export function osvFixedVersions(affected: unknown, name: string | undefined): string[] {
  const entries = listOf(affected).filter(isObject);
  const own = entries.filter((entry) => textOf(objectOf(entry['package'])['name']) === name);
  return (own.length > 0 ? own : entries)
    .flatMap((entry) => listOf(entry['ranges']).map(objectOf))
    .filter(({ type }) => type !== 'GIT')
    .flatMap(({ events }) => listOf(events).map((event) => textOf(objectOf(event)['fixed'])))
    .filter((version) => version !== undefined);
}
