import { parsePointer } from '../strict-json/json-pointer.ts';
import type { JsonSchema, SchemaOrBoolean } from './json-schema.ts';
import { type Pattern, schemaPattern } from './pattern.ts';
import { type Place, type SchemaFault, segmentsOf } from './schema-fault.ts';
import { equalItems } from './unique-items.ts';

/** What a walk needs to know beside the value. */
export type SchemaGrounds = {
  readonly schema: JsonSchema;
  /** The schemas that it refers to, by their addresses; a `$ref` names the end of one. */
  readonly referred?: ReadonlyMap<string, JsonSchema>;
  /** Whether a text has a format; every text has every format where it is not given. */
  isOfFormat?(name: string, text: string): boolean;
  /** A pattern ready to be tried; the engine's own where it is not given. */
  compilePattern?(source: string): Pattern;
  /** How long a text is, in code points where it is not given. */
  lengthOf?(text: string): number;
  /** In which order the faults of an object come: missing members first (the default), last, or all as declared. */
  readonly order?: 'missing first' | 'missing last' | 'declared';
  /** Whether one looks into a list or an object of a wrong size; one does where it is not given. */
  readonly looksIntoWrongSize?: boolean;
};

/** The faults that were found; not all of them where there may be more than were asked for. */
export type FaultList = { readonly faults: readonly SchemaFault[]; readonly isComplete: boolean };

/** Faults that a branch of a choice is looked at for: enough to see which one was meant. */
const MOST_OF_BRANCH = 20;
const SURROGATE = /[\ud800-\udfff]/;
/** Limits of schemas are in the tens. */
const LONGEST_COUNTED = 1_000;

/**
 * Finds what a schema does not allow in a value, up to `most` places, in the order of the document. Where one of
 * several forms is asked for, the form that was meant is looked at, and not all of them. Work and memory are bounded
 * by the document and by `most`, however much is wrong.
 */
export function findFaults(value: unknown, most: number, grounds: SchemaGrounds): FaultList {
  const faults: SchemaFault[] = [];
  const walk = new SchemaWalk(grounds);
  walk.check({ schema: grounds.schema, file: grounds.schema }, value, undefined, { faults, most });
  return { faults, isComplete: faults.length < most };
}

/** A schema, and the file that its references are relative to. */
export type Placed = { readonly schema: SchemaOrBoolean; readonly file: JsonSchema };
type Sink = { readonly faults: SchemaFault[]; readonly most: number };
type Members = { readonly [name: string]: unknown };

/** Our own reading of a schema: what a value breaks, and where its references lead. */
export class SchemaWalk {
  private readonly grounds: SchemaGrounds;
  private readonly patterns = new Map<string, Pattern>();
  private readonly placed = new Map<JsonSchema, Map<string, Placed>>();
  private readonly lists = new Map<readonly unknown[], ReadonlySet<unknown>>();

  constructor(grounds: SchemaGrounds) {
    this.grounds = grounds;
  }

  /** True for a value that the schema allows; without a sink it stops at the first fault. */
  check({ schema, file }: Placed, value: unknown, place: Place | undefined, sink?: Sink): boolean {
    if (schema === true) return true;
    if (schema === false) return note(sink, { rule: 'nothing', place, value, schema: {} });
    if (schema.type !== undefined && !isOfType(schema.type, value)) {
      return note(sink, { rule: 'type', place, value, schema });
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
    if (schema.enum !== undefined && !this.isListed(schema.enum, value))
      return note(sink, { rule: 'enum', place, value, schema });
    if (schema.const !== undefined && schema.const !== value)
      return note(sink, { rule: 'const', place, value, schema });
    if (typeof value === 'string') return this.text(schema, value, place, sink);
    if (typeof value === 'number') {
      const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
      if (value < minimum || value > maximum) return note(sink, { rule: 'range', place, value, schema });
    }
    return true;
  }

  private text(schema: JsonSchema, value: string, place: Place | undefined, sink?: Sink): boolean {
    const { minLength, maxLength, pattern, format } = schema;
    if (minLength !== undefined || maxLength !== undefined) {
      const length = this.grounds.lengthOf?.(value) ?? codePoints(value);
      if (length < (minLength ?? 0) || length > (maxLength ?? Number.POSITIVE_INFINITY))
        return note(sink, { rule: 'length', length, place, value, schema });
    }
    if (pattern !== undefined && !this.pattern(pattern).test(value))
      return note(sink, { rule: 'pattern', place, value, schema });
    if (format !== undefined && this.grounds.isOfFormat?.(format, value) === false)
      return note(sink, { rule: 'format', place, value, schema });
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
      isValid = note(sink, { rule: 'size', size: items.length, place, value: items, schema });
      if (isFull(sink) || this.grounds.looksIntoWrongSize === false) return false;
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
    const at = { above: place, name: equal[1] };
    return note(sink, { rule: 'distinct', equal, place: at, value: items[equal[1]], schema });
  }

  private members(
    schema: JsonSchema,
    file: JsonSchema,
    members: Members,
    place: Place | undefined,
    sink?: Sink,
  ): boolean {
    const names = Object.keys(members);
    let isValid = true;
    if (names.length < (schema.minProperties ?? 0)) {
      isValid = note(sink, { rule: 'size', size: names.length, place, value: members, schema });
      if (isFull(sink) || this.grounds.looksIntoWrongSize === false) return false;
    }
    for (const name of inOrder(this.grounds.order, names, members, schema)) {
      const isAllowed = Object.hasOwn(members, name)
        ? this.member(schema, file, members[name], { above: place, name }, sink)
        : note(sink, { rule: 'required', name, place, value: members, schema });
      if (isAllowed) continue;
      isValid = false;
      if (isFull(sink)) return false;
    }
    return isValid;
  }

  private member(
    schema: JsonSchema,
    file: JsonSchema,
    value: unknown,
    place: Place & { readonly name: string },
    sink?: Sink,
  ): boolean {
    const { properties = {}, additionalProperties } = schema;
    const { name } = place;
    const part = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (part === undefined || part === true) return true;
    if (part === false) return note(sink, { rule: 'unknown', name, place, value, schema });
    return this.check({ schema: part, file }, value, place, sink);
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
    if (schema.anyOf !== undefined && !this.choice(schema, schema.anyOf, file, value, place, sink)) isValid = false;
    if (schema.oneOf !== undefined && !this.choice(schema, schema.oneOf, file, value, place, sink)) isValid = false;
    if (schema.not !== undefined && this.check({ schema: schema.not, file }, value, place)) {
      isValid = note(sink, { rule: 'not', place, value, schema });
    }
    if (schema.if !== undefined) {
      const part = this.check({ schema: schema.if, file }, value, place) ? schema.then : schema.else;
      if (part !== undefined && !this.check({ schema: part, file }, value, place, sink)) isValid = false;
    }
    return isValid;
  }

  /** One of several forms: where none fits, the one that was meant is looked at. */
  private choice(
    schema: JsonSchema,
    parts: readonly SchemaOrBoolean[],
    file: JsonSchema,
    value: unknown,
    place: Place | undefined,
    sink?: Sink,
  ): boolean {
    const fitting = parts.filter((part) => this.check({ schema: part, file }, value, place));
    if (fitting.length === 1 || (fitting.length > 1 && parts !== schema.oneOf)) return true;
    if (sink === undefined) return false;
    const forms = [...new Set(parts.map((part) => this.describe(part, file)))];
    if (fitting.length > 1) return note(sink, { rule: 'exclusive', forms, place, value, schema });
    const depth = segmentsOf(place).length;
    const tries = parts.map((part) => {
      const own: Sink = { faults: [], most: MOST_OF_BRANCH };
      this.check({ schema: part, file }, value, place, own);
      const depths = own.faults.map((fault) => segmentsOf(fault.place).length);
      return { schema: part, faults: own.faults, depths };
    });
    // The form was meant whose faults lie deepest: the value follows it the furthest.
    const [deepest] = tries
      .filter(({ faults, depths }) => faults.every(({ rule }, at) => depths[at] !== depth || IS_OF_FORMS.has(rule)))
      .sort((a, b) => Math.min(...b.depths) - Math.min(...a.depths) || a.faults.length - b.faults.length);
    // Where the forms differ in type alone, one of the right type was meant.
    const ofType = tries.filter(
      ({ faults, depths }) => !faults.some(({ rule }, at) => depths[at] === depth && rule === 'type'),
    );
    const meant = deepest ?? (ofType.length === 1 ? ofType[0] : undefined);
    if (meant !== undefined) return this.check({ schema: meant.schema, file }, value, place, sink);
    return note(sink, { rule: 'choice', forms, place, value, schema });
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
      address === '' ? file : [...(this.grounds.referred ?? [])].find(([known]) => known.endsWith(`/${address}`))?.[1];
    const names = parsePointer(pointer);
    if (target === undefined || names === undefined)
      throw new TypeError(`the schema refers to ${reference}, which is not there`);
    let schema: unknown = target;
    for (const name of names) schema = (schema as Members)[name];
    return { schema: schema as SchemaOrBoolean, file: target };
  }

  private pattern(source: string): Pattern {
    const known = this.patterns.get(source);
    if (known !== undefined) return known;
    const pattern = this.grounds.compilePattern?.(source) ?? schemaPattern(source, 'u');
    this.patterns.set(source, pattern);
    return pattern;
  }

  private isListed(list: readonly unknown[], value: unknown): boolean {
    const known = this.lists.get(list) ?? new Set(list);
    this.lists.set(list, known);
    return known.has(value);
  }
}

/** Faults of a choice between forms, which lie at the place of the choice itself. */
const IS_OF_FORMS: ReadonlySet<SchemaFault['rule']> = new Set(['choice', 'exclusive', 'not']);

/** Writes a fault down; always false, as the answer of the caller. */
function note(sink: Sink | undefined, fault: SchemaFault): false {
  if (sink !== undefined && !isFull(sink)) sink.faults.push(fault);
  return false;
}

/** Without a sink the first fault is enough. */
function isFull(sink: Sink | undefined): boolean {
  return sink === undefined || sink.faults.length >= sink.most;
}

function isOfType(type: string | readonly string[], value: unknown): boolean {
  if (typeof type !== 'string') return type.some((one) => isOfType(one, value));
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeName(value) === type;
}

/** The type of a value as JSON Schema calls it. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The names that an object has and those that it lacks, in the order in which their faults are to come. */
function inOrder(
  order: SchemaGrounds['order'] = 'missing first',
  names: readonly string[],
  members: Members,
  { required = [], properties = {} }: JsonSchema,
): readonly string[] {
  const missing = required.filter((name) => !Object.hasOwn(members, name));
  if (order === 'missing first') return missing.length === 0 ? names : [...missing, ...names];
  if (order === 'missing last') return [...names, ...missing];
  const declared = Object.keys(properties).filter((name) => Object.hasOwn(members, name) || missing.includes(name));
  return [...new Set([...declared, ...names])];
}

/** Not of a text that is too long in any case. */
function codePoints(text: string): number {
  if (text.length > LONGEST_COUNTED || !SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
