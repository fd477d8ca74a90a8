import { findFaults, type JsonSchema, type SchemaFault, segmentsOf } from '@colophon/json';
import { nearestNames } from '@colophon/notation';

/** How plain data can depart from its shape. */
export const POLICY_SHAPE_CODES = [
  'policy.unknown_key',
  'policy.field_missing',
  'policy.wrong_type',
  'policy.value',
] as const;
export type ShapeCode = (typeof POLICY_SHAPE_CODES)[number];

/** One place where a value departs from its schema. */
export type ShapeProblem = {
  readonly path: readonly (string | number)[];
  readonly code: ShapeCode;
  readonly message: string;
  readonly expected?: string;
};

type Words = Omit<ShapeProblem, 'path'>;

/** How the schemas of policies are read. */
const READING = {
  order: 'missing last',
  looksIntoWrongSize: false,
  lengthOf: (text: string) => text.trim().length,
} as const;

/** Every place where plain data departs from a schema whose objects are all closed; none means that it has its type. */
export function checkShape(schema: JsonSchema, value: unknown): ShapeProblem[] {
  const { faults } = findFaults(value, Number.POSITIVE_INFINITY, { ...READING, schema });
  return faults.flatMap((fault) => {
    const words = wordsOf(fault);
    const path = segmentsOf(fault.place);
    const missing = fault.rule === 'required' ? fault.name : fault.rule === 'choice' ? choicesOf(fault)[0] : undefined;
    return words === undefined ? [] : [{ path: missing === undefined ? path : [...path, missing], ...words }];
  });
}

/** Undefined for what is left to the compiler of the policy: which of two keys an object has. */
function wordsOf({ rule, schema, value, place }: SchemaFault): Words | undefined {
  switch (rule) {
    case 'unknown':
      return {
        code: 'policy.unknown_key',
        message: 'a key that is not known',
        expected: keyMeant(place?.name, schema),
      };
    case 'required':
      return { code: 'policy.field_missing', message: 'is missing' };
    case 'enum':
    case 'const':
      return notAllowed(schema);
    case 'type':
      return schema.enum === undefined && schema.const === undefined ? wrongType(typeName(schema)) : notAllowed(schema);
    case 'choice':
      if (choicesOf({ schema }).length > 0) {
        return { code: 'policy.field_missing', message: 'is missing', expected: choicesOf({ schema }).join(' or ') };
      }
      return schema.anyOf && wrongType(schema.anyOf.map((part) => typeName(part as JsonSchema)).join(' or '));
    case 'size':
      return outOfRange(`at least ${schema.minItems ?? schema.minProperties} item`);
    case 'length':
      return { code: 'policy.value', message: 'is blank', expected: 'text' };
    case 'pattern':
      return {
        code: 'policy.value',
        message: 'not of the form that it needs',
        expected: schema.description ?? `${schema.pattern}`,
      };
    case 'range':
      // No reader keeps a larger integer exactly.
      if (schema.type === 'integer' && !Number.isSafeInteger(value)) return wrongType(typeName(schema));
      return outOfRange(`${schema.minimum ?? value} to ${schema.maximum ?? value}`);
    default:
      return undefined;
  }
}

/** The keys of which an object needs one at least, where its schema says no more of the choice than that. */
function choicesOf({ schema }: Pick<SchemaFault, 'schema'>): string[] {
  const parts = (schema.anyOf ?? []) as readonly JsonSchema[];
  return parts.flatMap((part) => (part.type === undefined ? (part.required ?? []) : []));
}

/** The key that was probably meant, or all of them where none is near. */
function keyMeant(typed: string | number | undefined, { properties = {} }: JsonSchema): string {
  const keys = Object.keys(properties);
  const near = nearestNames(String(typed), keys);
  return near.length > 0 ? near.join(' or ') : keys.join(', ');
}

function notAllowed({ const: only, enum: allowed = [only] }: JsonSchema): Words {
  return { code: 'policy.value', message: 'not one of the allowed values', expected: allowed.join(', ') };
}

function wrongType(expected: string): Words {
  return { code: 'policy.wrong_type', message: 'a value of another type', expected };
}

function outOfRange(expected: string): Words {
  return { code: 'policy.value', message: 'out of range', expected };
}

function typeName({ type }: JsonSchema): string {
  return type === 'object' ? 'a map' : type === 'array' ? 'a list' : type === 'string' ? 'text' : `${type}`;
}
