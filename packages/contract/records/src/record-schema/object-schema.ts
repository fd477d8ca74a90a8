// As a type, a list of one name that is any of them: each of them is required.
const namesOf = <P extends object>(properties: P) => Object.keys(properties) as [keyof P & string];

/** An object that has all of these members, and may have others. */
export const having = <const P extends object>(description: string, properties: P) => ({
  type: 'object' as const,
  description,
  required: namesOf(properties),
  properties,
});

/** An object that has all of these members, and no others. */
export const exactly = <const P extends object>(description: string, properties: P) => ({
  ...having(description, properties),
  additionalProperties: false as const,
});

/** The same with members that may be absent. */
export const alsoHaving = <const O extends { readonly properties: object }, const P extends object>(
  known: O,
  more: P,
) => ({ ...known, properties: { ...known.properties, ...more } });

/** The same, or null. As a type, one of two: of a `type` with two names a reader of types makes no choice. */
export const orNull = <const O extends { readonly type: string }>(schema: O) =>
  ({ ...schema, type: [schema.type, 'null'] }) as unknown as {
    readonly anyOf: readonly [{ readonly type: 'null' }, O];
  };

export const listOf = <const I extends object>(description: string, items: I) => ({
  type: 'array' as const,
  description,
  items,
});
