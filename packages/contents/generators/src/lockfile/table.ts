import { GeneratorError } from '../generator-error/generator-error.ts';

/** What JSON, YAML and TOML call an object, a mapping and a table. */
export type Table = Readonly<Record<string, unknown>>;

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The table of a name, an empty one where there is none. */
export function optionalTable(holder: Table, name: string): Table {
  const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
  return isTable(value) ? value : {};
}

/** The tables of a list; what is no table is passed over. */
export function tablesOf(value: unknown): readonly Table[] {
  return Array.isArray(value) ? value.filter(isTable) : [];
}

/** A text that says something. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The tables of a list that a lockfile must have, each with a name.
 * @throws GeneratorError `feeds.lockfile_invalid`
 */
export function namedTables(value: unknown, what: string): ReadonlyArray<Table & { readonly name: string }> {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new GeneratorError('feeds.lockfile_invalid', `${what} is no list`);
  return value.map((one: unknown, index) => {
    if (isTable(one) && textOf(one['name']) !== undefined) return one as Table & { readonly name: string };
    throw new GeneratorError('feeds.lockfile_invalid', `${what} ${index + 1} has no name`);
  });
}
