import { isTable } from './table.ts';

/** Places of a pattern; more would cost time and no project has them. */
const MOST_PATTERNS = 1000;

/**
 * Tells the workspaces of a project by its `workspaces`: texts, or an object with `packages`. Understood are `*` inside
 * a name and `**` as a name; whatever a pattern with other signs may match is taken for a workspace.
 * @param location folder, from the project's
 */
export function workspaceTest(workspaces: unknown): (location: string) => boolean {
  const listed = isTable(workspaces) ? workspaces['packages'] : workspaces;
  const patterns = (Array.isArray(listed) ? listed : [])
    .filter((pattern): pattern is string => typeof pattern === 'string' && !pattern.startsWith('!'))
    .slice(0, MOST_PATTERNS)
    .map((pattern) => pattern.split('/').filter((name) => name !== '' && name !== '.'));
  return (location) => {
    const names = location.split('/');
    return names[0] !== '..' && patterns.some((pattern) => matches(pattern, names));
  };
}

function matches(pattern: readonly string[], names: readonly string[]): boolean {
  if (pattern.some((name) => /[?[\]{}()!+@\\]/.test(name.replace(/^@/, '')))) return true;
  const deep = pattern.indexOf('**');
  if (deep < 0) return pattern.length === names.length && pattern.every((name, at) => matchesName(name, names[at]!));
  // One `**` is what people write; what stands after a second one is not looked at.
  const after = pattern.slice(deep + 1);
  const tail = after.includes('**') ? [] : after;
  return (
    names.length >= deep + tail.length &&
    pattern.slice(0, deep).every((name, at) => matchesName(name, names[at]!)) &&
    tail.every((name, at) => matchesName(name, names[names.length - tail.length + at]!))
  );
}

/** `*` is anything; the parts between have to follow each other. */
function matchesName(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === name;
  const last = rest.pop()!;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
