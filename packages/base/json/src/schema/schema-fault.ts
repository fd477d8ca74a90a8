import { exactPointer } from '../strict-json/json-pointer.ts';
import type { JsonSchema } from './json-schema.ts';

/** Where a value stands: cheap to make on the way down, written out only for a fault. */
export type Place = { readonly above: Place | undefined; readonly name: string | number };

/** The keyword, or keywords, of a schema that a value breaks. */
type Broken =
  /** A schema that is `false`. */
  | { readonly rule: 'nothing' }
  | { readonly rule: 'type' | 'enum' | 'const' | 'pattern' | 'format' | 'not' }
  /** `minimum` and `maximum`. */
  | { readonly rule: 'range' }
  /** `minLength` and `maxLength`; `length` in code points, or in UTF-16 code units of a text of more than 1,000. */
  | { readonly rule: 'length'; readonly length: number }
  /** `minItems`, `maxItems` and `minProperties`; `size` is the number of items or members. */
  | { readonly rule: 'size'; readonly size: number }
  /** `uniqueItems`: the places in the list of two equal items. */
  | { readonly rule: 'distinct'; readonly equal: readonly [number, number] }
  /** The object lacks a member. */
  | { readonly rule: 'required'; readonly name: string }
  /** `additionalProperties: false`: the value is that of the member `name`. */
  | { readonly rule: 'unknown'; readonly name: string }
  /** `anyOf` and `oneOf`: no form fits, or with `oneOf` more than one. `forms` names them. */
  | { readonly rule: 'choice' | 'exclusive'; readonly forms: readonly string[] };

/** One place where a value breaks its schema. */
export type SchemaFault = Broken & {
  readonly place: Place | undefined;
  readonly value: unknown;
  /** The schema that is broken; for `unknown` that of the object around the value. */
  readonly schema: JsonSchema;
};

/** Names and indexes on the way from the document to a place. */
export function segmentsOf(place: Place | undefined): readonly (string | number)[] {
  const segments: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.above) segments.push(at.name);
  return segments.reverse();
}

/** JSON Pointer (RFC 6901), exact whatever the names hold. */
export function pointerOf(place: Place | undefined): string {
  return exactPointer(segmentsOf(place));
}
