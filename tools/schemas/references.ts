/** Members that say nothing about what is valid: a place that differs from a part in them alone still has its shape. */
const WORDS = ['$schema', 'title', 'description'];

/** Keywords whose value is a schema, or a list of them; and those whose value has one under each name. */
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'not']);
const NAMED_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs']);

export type Referring = {
  /** A schema that refers to parts, also where it is one itself. */
  readonly whole: (schema: object) => object;
  /** A part that refers to the others. */
  readonly inside: (part: object) => object;
};

/**
 * Writes schemas with a reference (JSON Schema 2020-12 §8.2.3) wherever they say what one of the parts says. What a place
 * says in its own words stands beside the reference.
 * @param address what comes before the name of a part
 */
export function referring(parts: Readonly<Record<string, object>>, address: string): Referring {
  const names = new Map<string, string>();
  for (const [name, part] of Object.entries(parts)) if (!names.has(shapeOf(part))) names.set(shapeOf(part), name);

  const of = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(of);
    if (typeof schema !== 'object' || schema === null) return schema;
    const name = names.get(shapeOf(schema));
    if (name === undefined) return inside(schema);
    const said = Object.entries(schema).filter(
      ([key, value]) => WORDS.includes(key) && value !== (parts[name] as Record<string, unknown>)[key],
    );
    return { $ref: `${address}${name}`, ...Object.fromEntries(said) };
  };
  const inside = (schema: object): object =>
    mapped(schema, (value, key) => {
      if (SCHEMAS.has(key)) return of(value);
      return NAMED_SCHEMAS.has(key) ? mapped(value as object, of) : value;
    });
  return { whole: (schema) => of(schema) as object, inside };
}

/** What a schema allows, as text: the same for two that differ in words at their top, or in the order of members. */
function shapeOf(schema: object): string {
  const members = Object.entries(schema).filter(([key]) => !WORDS.includes(key));
  return JSON.stringify(Object.fromEntries(members), (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

function mapped(members: object, of: (value: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, of(value, name)]));
}
