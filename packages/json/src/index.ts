export { canonicalJson } from './canonical-json/canonical-json.ts';
export type { Issue, ParseResult } from './parse-result/parse-result.ts';
export type { JsonSchema, SchemaOrBoolean } from './schema/json-schema.ts';
export { schemaPattern } from './schema/pattern.ts';
export { type Place, pointerOf, type SchemaFault, segmentsOf } from './schema/schema-fault.ts';
export { findFaults, type Placed, type SchemaGrounds, SchemaWalk, typeName } from './schema/schema-walk.ts';
export { equalItems } from './schema/unique-items.ts';
export { JSON_ISSUE_CODES, type JsonIssueCode } from './strict-json/json-issue.ts';
export { jsonPointer } from './strict-json/json-pointer.ts';
export { isJsonObject, type JsonObject, type JsonValue } from './strict-json/json-value.ts';
export {
  DEFAULT_MAX_JSON_BYTES,
  DEFAULT_MAX_JSON_DEPTH,
  HIGHEST_JSON_DEPTH,
  parseStrictJson,
} from './strict-json/strict-json.ts';
export { placesOf, type TextPlace } from './text-place/text-place.ts';
