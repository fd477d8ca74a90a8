import type { JsonSchema, SchemaOrBoolean } from './json-schema.ts';
import { type Pattern, schemaPattern } from './pattern.ts';
import { equalItems } from './unique-items.ts';

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

/** One thing that the schema does not allow. */
export type SchemaFault = {
  /** JSON Pointer, exact. */
  readonly path: string;
  readonly code: SchemaFaultCode;
  readonly message: string;
  readonly expected?: string;
};

export type Explanation = {
  readonly faults: readonly SchemaFault[];
  /** False where there may be more faults than were asked for. */
  readonly isComplete: boolean;
};

export type Grounds = {
  readonly schema: JsonSchema;
  readonly referred: ReadonlyMap<string, JsonSchema>;
  isOfFormat(name: string, text: string): boolean;
};

/** Faults that a branch of a choice is looked at for: enough to see which one was meant. */
const MOST_OF_BRANCH = 20;
/** More allowed values than this are counted and not listed. */
const MOST_LISTED = 24;
const LONGEST_QUOTE = 60;
/** Limits of the schemas are in the tens. */
const LONGEST_COUNTED = 1_000;

/**
 * Finds what a schema does not allow in a document: one sentence for every place, up to `most` of them, in the order of
 * the document. Where one of several forms is asked for, the form that was meant is explained, and not all of them.
 * Work and memory are bounded by the document and by `most`, however much is wrong.
 */
export function explainFaults(document: unknown, most: number, grounds: Grounds): Explanation {
  const faults: SchemaFault[] = [];
  const walk = new SchemaWalk(grounds);
  walk.check({ schema: grounds.schema, file: grounds.schema }, document, undefined, { faults, most });
  return { faults, isComplete: faults.length < most };
}

/** A schema, and the file that its references are relative to. */
export type Placed = { readonly schema: SchemaOrBoolean; readonly file: JsonSchema };
/** Where a value stands: cheap to make on the way down, written out only for a fault. */
export type Place = { readonly above: Place | undefined; readonly name: string | number };
type Sink = { readonly faults: SchemaFault[]; readonly most: number };
type Members = { readonly [name: string]: unknown };

/** Our own reading of a schema: what a value breaks, and where its references lead. */
export class SchemaWalk {
  private readonly grounds: Grounds;
  private readonly patterns = new Map<string, Pattern>();
  private readonly placed = new Map<JsonSchema, Map<string, Placed>>();
  private readonly lists = new Map<readonly unknown[], ReadonlySet<unknown>>();

  constructor(grounds: Grounds) {
    this.grounds = grounds;
  }

  /** True for a value that the schema allows; without a sink it stops at the first fault. */
  check({ schema, file }: Placed, value: unknown, place: Place | undefined, sink?: Sink): boolean {
    if (schema === true) return true;
    if (schema === false) return note(sink, place, 'sbom.schema_unknown_member', 'Nothing may stand here.');
    if (schema.type !== undefined && !isOfType(schema.type, value)) {
      const expected = [schema.type].flat().join(' or ');
      return note(sink, place, 'sbom.schema_type', `It is ${typeOf(value)} and has to be ${expected}.`, expected);
    }
    let isValid = true;
    const also = (isAllowed: boolean): boolean => {
      isValid &&= isAllowed;
      return isValid || (sink !== undefined && sink.faults.length < sink.most);
    };
    if (schema.$ref !== undefined && !also(this.check(this.resolve(schema.$ref, file), value, place, sink)))
      return false;
    if (!also(this.scalar(schema, value, place, sink))) return false;
    if (Array.isArray(value)) {
      if (!also(this.items({ schema, file }, schema, value, place, sink))) return false;
    } else if (typeof value === 'object' && value !== null) {
      if (!also(this.members(schema, file, value as Members, place, sink))) return false;
    }
    also(this.combinations(schema, file, value, place, sink));
    return isValid;
  }

  private scalar(schema: JsonSchema, value: unknown, place: Place | undefined, sink?: Sink): boolean {
    if (schema.enum !== undefined && !this.isListed(schema.enum, value)) {
      return note(
        sink,
        place,
        'sbom.schema_value',
        `${quote(value)} is none of the values that are allowed here.`,
        listed(schema, value),
      );
    }
    if (schema.const !== undefined && schema.const !== value) {
      return note(
        sink,
        place,
        'sbom.schema_value',
        `${quote(value)} is not the value that has to stand here.`,
        quote(schema.const),
      );
    }
    if (typeof value === 'string') return this.text(schema, value, place, sink);
    if (typeof value === 'number') {
      const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
      if (value < minimum || value > maximum) {
        return note(sink, place, 'sbom.schema_range', `${value} is out of range.`, rangeOf(minimum, maximum));
      }
    }
    return true;
  }

  private text(schema: JsonSchema, value: string, place: Place | undefined, sink?: Sink): boolean {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
    // Code points are counted, but not of a text that is too long in any case.
    const length = value.length > LONGEST_COUNTED ? value.length : codePoints(value);
    if (length < minLength || length > maxLength) {
      const expected = `${rangeOf(minLength, maxLength)} characters`;
      return note(sink, place, 'sbom.schema_range', `The text has ${length} characters.`, expected);
    }
    if (pattern !== undefined && !this.pattern(pattern).test(value)) {
      return note(
        sink,
        place,
        'sbom.schema_form',
        `${quote(value)} does not have the form that it needs.`,
        formOf(schema, pattern),
      );
    }
    if (format !== undefined && !this.grounds.isOfFormat(format, value)) {
      return note(sink, place, 'sbom.schema_form', `${quote(value)} is no ${FORMAT_NAMES[format] ?? format}.`, format);
    }
    return true;
  }

  private items(
    { file }: Placed,
    schema: JsonSchema,
    items: readonly unknown[],
    place: Place | undefined,
    sink?: Sink,
  ): boolean {
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
    let isValid = true;
    if (items.length < minItems || items.length > maxItems) {
      isValid = note(
        sink,
        place,
        'sbom.schema_range',
        `The list has ${items.length} items.`,
        `${rangeOf(minItems, maxItems)} items`,
      );
      if (isFull(sink)) return false;
    }
    for (const [index, item] of items.entries()) {
      const part = Array.isArray(schema.items)
        ? (schema.items[index] ?? schema.additionalItems)
        : (schema.items as SchemaOrBoolean);
      if (part === undefined) break;
      if (this.check({ schema: part, file }, item, { above: place, name: index }, sink)) continue;
      isValid = false;
      if (isFull(sink)) return false;
    }
    const equal = schema.uniqueItems === true ? equalItems(items) : undefined;
    if (equal === undefined) return isValid;
    const [first, second] = equal;
    const at = { above: place, name: second };
    return note(
      sink,
      at,
      'sbom.schema_duplicate_item',
      `The same item stands at ${first} and at ${second} of the list.`,
      'items that differ',
    );
  }

  private members(
    schema: JsonSchema,
    file: JsonSchema,
    members: Members,
    place: Place | undefined,
    sink?: Sink,
  ): boolean {
    let isValid = true;
    for (const name of schema.required ?? []) {
      if (Object.hasOwn(members, name)) continue;
      isValid = note(sink, place, 'sbom.schema_required', `The member "${name}" is missing.`, name);
      if (isFull(sink)) return false;
    }
    const { properties = {}, additionalProperties } = schema;
    for (const name of Object.keys(members)) {
      const isKnown = Object.hasOwn(properties, name);
      const part = isKnown ? properties[name] : additionalProperties;
      if (part === undefined || part === true) continue;
      const at = { above: place, name };
      if (part === false)
        isValid = note(
          sink,
          at,
          'sbom.schema_unknown_member',
          `There is no member ${quote(name)} here.`,
          didYouMean(name, properties),
        );
      else if (!this.check({ schema: part, file }, members[name], at, sink)) isValid = false;
      if (!isValid && isFull(sink)) return false;
    }
    return isValid;
  }

  private combinations(
    schema: JsonSchema,
    file: JsonSchema,
    value: unknown,
    place: Place | undefined,
    sink?: Sink,
  ): boolean {
    let isValid = true;
    for (const part of schema.allOf ?? []) {
      if (!this.check({ schema: part, file }, value, place, sink)) isValid = false;
      if (!isValid && isFull(sink)) return false;
    }
    if (schema.anyOf !== undefined && !this.choice(schema.anyOf, file, value, place, false, sink)) isValid = false;
    if (schema.oneOf !== undefined && !this.choice(schema.oneOf, file, value, place, true, sink)) isValid = false;
    if (schema.not !== undefined && this.check({ schema: schema.not, file }, value, place)) {
      isValid = note(sink, place, 'sbom.schema_choice', `This does not go together${membersNamed(schema.not)}.`);
    }
    if (schema.if !== undefined) {
      const part = this.check({ schema: schema.if, file }, value, place) ? schema.then : schema.else;
      if (part !== undefined && !this.check({ schema: part, file }, value, place, sink)) isValid = false;
    }
    return isValid;
  }

  /** One of several forms: where none fits, the one that was meant is explained. */
  private choice(
    parts: readonly SchemaOrBoolean[],
    file: JsonSchema,
    value: unknown,
    place: Place | undefined,
    isExclusive: boolean,
    sink?: Sink,
  ): boolean {
    const fitting = parts.filter((schema) => this.check({ schema, file }, value, place));
    if (fitting.length === 1 || (fitting.length > 1 && !isExclusive)) return true;
    if (sink === undefined) return false;
    const forms = parts.map((part) => this.describe(part, file));
    const expected = `one of: ${[...new Set(forms)].join(', ')}`;
    if (fitting.length > 1) {
      return note(
        sink,
        place,
        'sbom.schema_choice',
        'Only one of several forms may stand here, and this is more than one of them.',
        expected,
      );
    }
    const path = pointerOf(place);
    const tries = parts.map((schema) => {
      const own: Sink = { faults: [], most: MOST_OF_BRANCH };
      this.check({ schema, file }, value, place, own);
      return { schema, faults: own.faults };
    });
    // The form was meant whose faults lie deepest: whoever got that far had it in mind.
    const [deepest] = tries
      .filter(({ faults }) => faults.every((fault) => fault.path !== path || fault.code === 'sbom.schema_choice'))
      .sort((a, b) => leastDepth(b.faults) - leastDepth(a.faults) || a.faults.length - b.faults.length);
    // Where the forms differ in type alone, one of the right type was meant.
    const ofType = tries.filter(
      ({ faults }) => !faults.some((fault) => fault.path === path && fault.code === 'sbom.schema_type'),
    );
    const meant = deepest ?? (ofType.length === 1 ? ofType[0] : undefined);
    if (meant !== undefined) return this.check({ schema: meant.schema, file }, value, place, sink);
    return note(sink, place, 'sbom.schema_choice', 'This has none of the forms that are allowed here.', expected);
  }

  private describe(part: SchemaOrBoolean, file: JsonSchema): string {
    if (typeof part === 'boolean') return 'anything';
    if (part.$ref !== undefined) {
      const { schema, file: other } = this.resolve(part.$ref, file);
      const title = part.title ?? (typeof schema === 'object' ? schema.title : undefined);
      return title ?? this.describe(schema, other);
    }
    if (part.required !== undefined && part.title === undefined)
      return `an object with ${part.required.map((name) => `"${name}"`).join(' and ')}`;
    return part.title ?? (part.type === undefined ? 'another form' : [part.type].flat().join(' or '));
  }

  /** What a `$ref` in a file means. */
  resolve(reference: string, file: JsonSchema): Placed {
    const known = this.placed.get(file)?.get(reference);
    if (known !== undefined) return known;
    const found = this.find(reference, file);
    const ofFile = this.placed.get(file) ?? new Map<string, Placed>();
    this.placed.set(file, ofFile.set(reference, found));
    return found;
  }

  private find(reference: string, file: JsonSchema): Placed {
    const [address = '', pointer = ''] = reference.split('#');
    const target =
      address === '' ? file : [...this.grounds.referred].find(([known]) => known.endsWith(`/${address}`))?.[1];
    if (target === undefined) throw new TypeError(`the schema refers to ${reference}, which is not there`);
    let schema: unknown = target;
    for (const name of pointer.split('/').slice(1))
      schema = (schema as Members)[name.replaceAll('~1', '/').replaceAll('~0', '~')];
    return { schema: schema as SchemaOrBoolean, file: target };
  }

  private pattern(source: string): Pattern {
    const known = this.patterns.get(source);
    if (known !== undefined) return known;
    const pattern = schemaPattern(source, 'u');
    this.patterns.set(source, pattern);
    return pattern;
  }

  private isListed(list: readonly unknown[], value: unknown): boolean {
    const known = this.lists.get(list) ?? new Set(list);
    this.lists.set(list, known);
    return known.has(value);
  }
}

/** Writes a fault down; always false, as the answer of whoever found it. */
function note(
  sink: Sink | undefined,
  place: Place | undefined,
  code: SchemaFaultCode,
  message: string,
  expected?: string,
): false {
  if (sink !== undefined && !isFull(sink)) {
    sink.faults.push({ path: pointerOf(place), code, message, ...(expected === undefined ? {} : { expected }) });
  }
  return false;
}

/** Without a sink the first fault is enough. */
function isFull(sink: Sink | undefined): boolean {
  return sink === undefined || sink.faults.length >= sink.most;
}

function leastDepth(faults: readonly SchemaFault[]): number {
  return Math.min(...faults.map(({ path }) => path.split('/').length));
}

/** JSON Pointer. */
export function pointerOf(place: Place | undefined): string {
  const names: string[] = [];
  for (let at = place; at !== undefined; at = at.above)
    names.push(`/${String(at.name).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return names.reverse().join('');
}

function isOfType(type: string | readonly string[], value: unknown): boolean {
  if (typeof type !== 'string') return type.some((one) => isOfType(one, value));
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeName(value) === type;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
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

function membersNamed(part: SchemaOrBoolean): string {
  return typeof part === 'object' && part.required !== undefined ? `: ${part.required.join(', ')}` : '';
}

function rangeOf(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return `${least} or more`;
  return least <= 0 && !(least > Number.NEGATIVE_INFINITY) ? `at most ${most}` : `${least} to ${most}`;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
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
