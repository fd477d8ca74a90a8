/** How plain data can depart from its shape. */
export const POLICY_SHAPE_CODES = [
  'policy.unknown_key',
  'policy.field_missing',
  'policy.wrong_type',
  'policy.value',
] as const;
export type ShapeCode = (typeof POLICY_SHAPE_CODES)[number];

/** The part of JSON Schema that policies are declared in. */
export type PlainSchema = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** Told apart by their types. */
  readonly anyOf?: readonly PlainSchema[];
  readonly required?: readonly string[] | undefined;
  readonly properties?: { readonly [key: string]: PlainSchema };
  readonly items?: PlainSchema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};

/** One place where a value departs from its schema. */
export type ShapeProblem = {
  readonly path: readonly (string | number)[];
  readonly code: ShapeCode;
  readonly message: string;
  readonly expected?: string;
};

/** Every place where plain data departs from the schema; none means that the data has its type. */
export function checkShape(
  schema: PlainSchema,
  value: unknown,
  path: readonly (string | number)[] = [],
): ShapeProblem[] {
  if (schema.anyOf !== undefined) return checkAlternatives(schema.anyOf, value, path);
  const allowed = schema.const === undefined ? schema.enum : [schema.const];
  if (allowed !== undefined) {
    if (allowed.includes(value)) return [];
    return [{ path, code: 'policy.value', message: 'not one of the allowed values', expected: allowed.join(', ') }];
  }
  if (!hasType(schema.type, value)) {
    return [wrongType(path, typeName(schema))];
  }
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) return [outOfRange(path, `at least ${schema.minItems} item`)];
    return value.flatMap((item, index) => checkShape(schema.items ?? {}, item, [...path, index]));
  }
  if (typeof value === 'object' && value !== null) return checkMembers(schema, value, path);
  if (typeof value === 'string' && value.trim().length < (schema.minLength ?? 0)) return [outOfRange(path, 'text')];
  if (typeof value === 'number') {
    const { minimum = value, maximum = value } = schema;
    if (value < minimum || value > maximum) return [outOfRange(path, `${minimum} to ${maximum}`)];
  }
  return [];
}

function checkAlternatives(
  alternatives: readonly PlainSchema[],
  value: unknown,
  path: readonly (string | number)[],
): ShapeProblem[] {
  const fitting = alternatives.find(({ type }) => hasType(type, value));
  return fitting ? checkShape(fitting, value, path) : [wrongType(path, alternatives.map(typeName).join(' or '))];
}

function checkMembers(schema: PlainSchema, value: object, path: readonly (string | number)[]): ShapeProblem[] {
  const properties = schema.properties ?? {};
  const problems: ShapeProblem[] = [];
  for (const [key, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) {
      const expected = Object.keys(properties).join(', ');
      problems.push({ path: [...path, key], code: 'policy.unknown_key', message: 'a key that is not known', expected });
    } else problems.push(...checkShape(property, member, [...path, key]));
  }
  for (const key of schema.required ?? []) {
    if (Object.hasOwn(value, key)) continue;
    problems.push({ path: [...path, key], code: 'policy.field_missing', message: 'is missing' });
  }
  return problems;
}

function hasType(type: string | undefined, value: unknown): boolean {
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  return typeof value === type;
}

function typeName({ type }: PlainSchema): string {
  return type === 'object' ? 'a map' : type === 'array' ? 'a list' : type === 'string' ? 'text' : `${type}`;
}

function wrongType(path: readonly (string | number)[], expected: string): ShapeProblem {
  return { path, code: 'policy.wrong_type', message: 'a value of another type', expected };
}

function outOfRange(path: readonly (string | number)[], expected: string): ShapeProblem {
  return { path, code: 'policy.value', message: 'out of range', expected };
}
