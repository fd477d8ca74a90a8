/**
 * Every place of a JSON document, outer ones first, and what makes the document with another value there, or without the
 * place for `undefined`. Paths have the names as they are, unescaped.
 */
export function* changesOf(
  value: unknown,
  path = '',
): Generator<readonly [path: string, by: (other: unknown) => unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const rebuilt = (other: unknown): unknown => {
      const copy: object = Array.isArray(value) ? [...value] : { ...value };
      if (other === undefined) Reflect.deleteProperty(copy, name);
      else Reflect.set(copy, name, other);
      return copy;
    };
    yield [`${path}/${name}`, rebuilt];
    for (const [inner, by] of changesOf(member, `${path}/${name}`)) yield [inner, (other) => rebuilt(by(other))];
  }
}
