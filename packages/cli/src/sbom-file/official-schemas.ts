import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AttributedVersion,
  type BomValidator,
  type Conversion,
  compileOfficialSchema,
  createBomValidator,
  type SchemaSource,
} from '@colophon/sbom';

// The library ships the official schemas and does not export them; its package.json it does, and they stand beside it.
const LIBRARY = dirname(fileURLToPath(import.meta.resolve('@cyclonedx/cyclonedx-library/package.json')));

/** Reads a schema file that the CycloneDX library ships, by its name. */
export const readOfficialSchema: SchemaSource = (file) =>
  JSON.parse(readFileSync(join(LIBRARY, 'res', 'schema', file), 'utf8'));

let validator: BomValidator | undefined;

/** The one validator of this process, which compiles each schema once. */
export function bomValidator(): BomValidator {
  validator ??= createBomValidator(readOfficialSchema);
  return validator;
}

/** The version of CycloneDX that a document is to be changed to, with its official schema. */
export function targetVersion(specVersion: AttributedVersion): NonNullable<Conversion['version']> {
  return { specVersion, schema: compileOfficialSchema(readOfficialSchema, specVersion) };
}
