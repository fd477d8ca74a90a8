import { textOf } from './members.ts';

/** `group:artifact` for Maven and `group/name` for others, as their own tools write it. */
export function groupedName(group: unknown, name: unknown, purl: unknown): unknown {
  const prefix = textOf(group);
  if (prefix === undefined || typeof name !== 'string') return name;
  return textOf(purl)?.startsWith('pkg:maven/') ? `${prefix}:${name}` : `${prefix}/${name}`;
}
