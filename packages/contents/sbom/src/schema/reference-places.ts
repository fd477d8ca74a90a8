import {
  type JsonSchema,
  type Place,
  type Placed,
  pointerOf,
  type SchemaGrounds,
  type SchemaOrBoolean,
  SchemaWalk,
} from '@colophon/json';

/** A text where an `iri-reference` has to stand. */
export type ReferencePlace = {
  /** JSON Pointer, exact. */
  readonly path: string;
  readonly text: string;
};

type Members = { readonly [name: string]: unknown };

/**
 * The references of a document that are odd, each once, up to `most`. Nothing is decided: the forms of a choice that a
 * value has are followed, and so is everything else that a schema names. Linear in the document.
 */
export function findReferences(
  document: unknown,
  most: number,
  isOdd: (text: string) => boolean,
  grounds: SchemaGrounds,
): readonly ReferencePlace[] {
  const search = new ReferenceSearch(grounds, isOdd, most);
  search.follow({ schema: grounds.schema, file: grounds.schema }, document, undefined);
  return Array.from(search.found, ([path, text]) => ({ path, text }));
}

class ReferenceSearch {
  /** By path. */
  readonly found = new Map<string, string>();
  private readonly walk: SchemaWalk;
  private readonly isOdd: (text: string) => boolean;
  private readonly most: number;
  /** Whether a schema has references anywhere below it: most have none, and need not be followed. */
  private readonly leads = new Map<SchemaOrBoolean, boolean>();

  constructor(grounds: SchemaGrounds, isOdd: (text: string) => boolean, most: number) {
    this.walk = new SchemaWalk(grounds);
    this.isOdd = isOdd;
    this.most = most;
  }

  follow(placed: Placed, value: unknown, place: Place | undefined): void {
    const { schema, file } = placed;
    if (typeof schema === 'boolean' || this.found.size >= this.most || !this.leadsSomewhere(placed)) return;
    if (typeof value === 'string') {
      if (schema.format === 'iri-reference' && this.isOdd(value)) this.found.set(pointerOf(place), value);
    } else if (Array.isArray(value)) {
      const part = Array.isArray(schema.items) ? undefined : (schema.items as SchemaOrBoolean | undefined);
      if (part !== undefined)
        for (const [index, item] of value.entries())
          this.follow({ schema: part, file }, item, { above: place, name: index });
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, part] of Object.entries(schema.properties ?? {})) {
        if (Object.hasOwn(value, name))
          this.follow({ schema: part, file }, (value as Members)[name], { above: place, name });
      }
    }
    if (schema.$ref !== undefined) this.follow(this.walk.resolve(schema.$ref, file), value, place);
    for (const part of schema.allOf ?? []) this.follow({ schema: part, file }, value, place);
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
      const form = { schema: part, file };
      if (this.leadsSomewhere(form) && this.walk.check(form, value, undefined)) this.follow(form, value, place);
    }
    if (schema.if !== undefined) {
      const part = this.walk.check({ schema: schema.if, file }, value, undefined) ? schema.then : schema.else;
      if (part !== undefined) this.follow({ schema: part, file }, value, place);
    }
  }

  private leadsSomewhere(placed: Placed): boolean {
    const known = this.leads.get(placed.schema);
    if (known !== undefined) return known;
    const seen = new Set<SchemaOrBoolean>();
    const isSo = this.reaches(placed, seen);
    // Schemas refer to each other in circles: only when nothing at all was found is that true of all that were seen.
    if (isSo) this.leads.set(placed.schema, true);
    else for (const schema of seen) this.leads.set(schema, false);
    return isSo;
  }

  private reaches({ schema, file }: Placed, seen: Set<SchemaOrBoolean>): boolean {
    if (typeof schema === 'boolean' || seen.has(schema)) return false;
    seen.add(schema);
    if (schema.format === 'iri-reference') return true;
    if (schema.$ref !== undefined && this.reaches(this.walk.resolve(schema.$ref, file), seen)) return true;
    return partsOf(schema).some((part) => this.reaches({ schema: part, file }, seen));
  }
}

function partsOf({ items, properties, allOf, anyOf, oneOf, if: condition, then, else: otherwise }: JsonSchema) {
  const parts = [items, ...Object.values(properties ?? {}), ...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])];
  return [...parts, condition, then, otherwise].filter(
    (part): part is SchemaOrBoolean => part !== undefined && !Array.isArray(part),
  );
}
