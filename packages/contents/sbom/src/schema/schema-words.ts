import { type JsonSchema, pointerOf, type SchemaFault, type SchemaOrBoolean, typeName } from '@colophon/json';

export const SCHEMA_FAULT_CODES = [
  'sbom.schema_required',
  'sbom.schema_unknown_member',
  'sbom.schema_type',
  'sbom.schema_value',
  'sbom.schema_form',
  'sbom.schema_range',
  'sbom.schema_duplicate_item',
  'sbom.schema_choice',
] as const;
export type SchemaFaultCode = (typeof SCHEMA_FAULT_CODES)[number];

/** One thing that the schema of a document does not allow. */
export type WordedFault = {
  /** JSON Pointer, exact. */
  readonly path: string;
  readonly code: SchemaFaultCode;
  readonly message: string;
  readonly expected?: string;
};

type Words = Omit<WordedFault, 'path'>;

/** More allowed values than this are counted and not listed. */
const MOST_LISTED = 24;
const LONGEST_QUOTE = 60;

/** A fault in one sentence. */
export function inWords(fault: SchemaFault): WordedFault {
  return { path: pointerOf(fault.place), ...wordsOf(fault) };
}

function wordsOf(fault: SchemaFault): Words {
  const { schema, value } = fault;
  switch (fault.rule) {
    case 'nothing':
      return { code: 'sbom.schema_unknown_member', message: 'Nothing may stand here.' };
    case 'type': {
      const expected = [schema.type].flat().join(' or ');
      return { code: 'sbom.schema_type', message: `It is ${typeOf(value)} and has to be ${expected}.`, expected };
    }
    case 'enum': {
      const message = `${quote(value)} is none of the values that are allowed here.`;
      return { code: 'sbom.schema_value', message, expected: listed(schema, value) };
    }
    case 'const': {
      const message = `${quote(value)} is not the value that has to stand here.`;
      return { code: 'sbom.schema_value', message, expected: quote(schema.const) };
    }
    case 'range':
      return inRange(`${value} is out of range.`, schema.minimum ?? Number.NEGATIVE_INFINITY, schema.maximum);
    case 'length':
      return inRange(`The text has ${fault.length} characters.`, schema.minLength, schema.maxLength, ' characters');
    case 'size':
      return Array.isArray(value)
        ? inRange(`The list has ${fault.size} items.`, schema.minItems, schema.maxItems, ' items')
        : inRange(`The object has ${fault.size} members.`, schema.minProperties, undefined, ' members');
    case 'pattern': {
      const message = `${quote(value)} does not have the form that it needs.`;
      return { code: 'sbom.schema_form', message, expected: formOf(schema, schema.pattern as string) };
    }
    case 'format': {
      const format = schema.format as string;
      const message = `${quote(value)} is no ${FORMAT_NAMES[format] ?? format}.`;
      return { code: 'sbom.schema_form', message, expected: format };
    }
    case 'distinct': {
      const [first, second] = fault.equal;
      const message = `The same item stands at ${first} and at ${second} of the list.`;
      return { code: 'sbom.schema_duplicate_item', message, expected: 'items that differ' };
    }
    case 'required':
      return {
        code: 'sbom.schema_required',
        message: `The member "${fault.name}" is missing.`,
        expected: fault.name,
      };
    case 'unknown': {
      const message = `There is no member ${quote(fault.name)} here.`;
      return { code: 'sbom.schema_unknown_member', message, expected: didYouMean(fault.name, schema.properties ?? {}) };
    }
    case 'not':
      return { code: 'sbom.schema_choice', message: `This does not go together${membersNamed(schema.not)}.` };
    default: {
      const message =
        fault.rule === 'choice'
          ? 'This has none of the forms that are allowed here.'
          : 'Only one of several forms may stand here, and this is more than one of them.';
      return { code: 'sbom.schema_choice', message, expected: `one of: ${fault.forms.join(', ')}` };
    }
  }
}

function inRange(message: string, least = 0, most = Number.POSITIVE_INFINITY, unit = ''): Words {
  return { code: 'sbom.schema_range', message, expected: `${rangeOf(least, most)}${unit}` };
}

function rangeOf(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return `${least} or more`;
  return least <= 0 && !(least > Number.NEGATIVE_INFINITY) ? `at most ${most}` : `${least} to ${most}`;
}

function typeOf(value: unknown): string {
  const name = typeName(value);
  return name === 'null' ? name : /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `This ${typeName(value)}`;
  const text = String(value);
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
}

function listed(schema: JsonSchema, value: unknown): string {
  const values = schema.enum ?? [];
  const folded = String(value).toLowerCase().replaceAll(/[\s_]/g, '-');
  const near = values.find((one) => String(one).toLowerCase() === folded);
  if (near !== undefined) return `perhaps ${quote(near)}`;
  if (values.length <= MOST_LISTED) return values.map(String).join(', ');
  return `one of ${values.length} values${schema.title === undefined ? '' : ` of ${schema.title}`}`;
}

function didYouMean(name: string, properties: { readonly [name: string]: unknown }): string {
  const folded = name.toLowerCase().replaceAll(/[-_]/g, '');
  const near = Object.keys(properties).find((one) => one.toLowerCase().replaceAll(/[-_]/g, '') === folded);
  return near === undefined ? 'only members that the schema names' : `perhaps "${near}"`;
}

function membersNamed(part: SchemaOrBoolean | undefined): string {
  return typeof part === 'object' && part.required !== undefined ? `: ${part.required.join(', ')}` : '';
}

const FORMAT_NAMES: { readonly [format: string]: string } = {
  'date-time': 'time such as 2026-01-31T12:00:00Z (RFC 3339)',
  date: 'date such as 2026-01-31',
  'idn-email': 'e-mail address',
  uri: 'URI',
};

/** Patterns that people meet, in words. */
const FORMS: ReadonlyArray<readonly [start: string, form: string]> = [
  ['^urn:uuid:', 'urn:uuid: and a UUID in lower case'],
  ['^([a-fA-F0-9]{32}|', 'a hash in hex: 32, 40, 64, 96 or 128 digits'],
  ['^[-+a-z0-9.]+/', 'a media type such as text/plain'],
];

function formOf(schema: JsonSchema, pattern: string): string {
  return (
    FORMS.find(([start]) => pattern.startsWith(start))?.[1] ??
    `${schema.title === undefined ? '' : `${schema.title}: `}${pattern}`
  );
}
