import type { JsonSchema } from '@colophon/json';

/** What a field has to be, in words for people, as its schema declares it. */
export function expectedForm(schema: JsonSchema): string {
  const { type, anyOf } = schema;
  if (anyOf !== undefined) return either((anyOf as readonly JsonSchema[]).map(expectedForm));
  if (Array.isArray(type)) return either(type.map((one: string) => expectedForm({ ...schema, type: one })));
  if (type === 'null') return NULL;
  if (schema.enum !== undefined) return schema.enum.join(', ');
  if (type === 'array') return `a list, each ${expectedForm(schema.items as JsonSchema)}`;
  if (type === 'object') return `an object with ${schema.required?.join(', ')}`;
  if (type === 'number') return `a number from ${schema.minimum} to ${schema.maximum}`;
  return (schema.pattern === undefined ? undefined : schema.description) ?? PLAIN[type as string] ?? String(type);
}

const NULL = 'null';
const PLAIN: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'an integer',
};

/** That it may be null is said last. */
function either(forms: readonly string[]): string {
  return [...forms.filter((form) => form !== NULL), ...forms.filter((form) => form === NULL)].join(', or ');
}
