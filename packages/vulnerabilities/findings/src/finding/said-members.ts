/** Members some of which may turn out to say nothing. */
type Members<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/**
 * An object without the members that say nothing: those that are undefined, and blank text. What comes from outside may have a
 * blank where a record has either text or no member at all. A member that must be there is the caller's to check.
 */
export function saidMembers<T extends object>(members: Members<T>): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => isSaid(value))) as T;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'string' || value.trim() !== '');
}
