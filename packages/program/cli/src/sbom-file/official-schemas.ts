import { readAsset } from '@colophon/assets';
import {
  type AttributedVersion,
  type BomValidator,
  type Conversion,
  compileOfficialSchema,
  createBomValidator,
  type SchemaSource,
} from '@colophon/sbom';

/** Reads a schema file that the CycloneDX library ships, by its name. */
export const readOfficialSchema: SchemaSource = (file) => {
  const bytes = readAsset(`@cyclonedx/cyclonedx-library/res/schema/${file}`, () => locateSchema(file));
  return JSON.parse(new TextDecoder().decode(bytes));
};

/** The library does not export them; its package.json it does, and they stand beside it. */
function locateSchema(file: string): string {
  return new URL(`res/schema/${file}`, import.meta.resolve('@cyclonedx/cyclonedx-library/package.json')).href;
}

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
