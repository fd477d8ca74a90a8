import type { SpecVersion } from '../document/bom.ts';
import { officialSchema, referredSchemas, type SchemaSource } from './official-schema.ts';
import { compileSchema, type SchemaCheck } from './schema-check.ts';

/** The official schema of one version, ready to decide. */
export function compileOfficialSchema(read: SchemaSource, version: SpecVersion): SchemaCheck {
  return compileSchema(officialSchema(read, version, 'standard'), referredSchemas(read));
}
