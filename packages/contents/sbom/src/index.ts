export {
  type AttributedBom,
  attributeBom,
  type RunEvidence,
} from './attribute/attribute-bom.ts';
export { repositoryPath } from './attribute/repository-path.ts';
export { shownMark } from './attribute/shown-mark.ts';
export type { Attribution } from './attribution/attribution.ts';
export { AI_FIELDS } from './attribution/attribution-names.ts';
export { readAttribution } from './attribution/read-attribution.ts';
export { VARIANTS, type Variant } from './attribution/write-attribution.ts';
export { BOM_CHECK_CODES } from './check/checks.ts';
export { formatBom } from './complete/bom-text.ts';
export {
  type Completion,
  type CompletionNote,
  completeBom,
} from './complete/complete-bom.ts';
export { withCompleteness } from './complete/compositions.ts';
export { type BomDiff, diffBoms } from './diff/diff-boms.ts';
export * from './document/bom.ts';
export { MAX_BOM_BYTES, parseBom } from './document/parse-bom.ts';
export { walkComponents } from './document/walk-components.ts';
export { carriesLicenceText } from './licence-gate/carried-text.ts';
export { decideLicences, type LicenceOffence } from './licence-gate/decide-licences.ts';
export type { Edit } from './patch/apply-operation.ts';
export type { ComponentChange } from './patch/component-change.ts';
export { parsePatch } from './patch/operation.ts';
export { type Patched, patchBom } from './patch/patch-bom.ts';
export { type Conversion, type Converted, convertBom } from './profile/convert-bom.ts';
export { type Loss, WRITTEN_PROFILES, type WrittenProfile } from './profile/loss.ts';
export { compileOfficialSchema } from './schema/official-check.ts';
export { OFFICIAL_SCHEMA_FILES, type Profile, type SchemaSource } from './schema/official-schema.ts';
export { ATTRIBUTED_VERSIONS, type AttributedVersion } from './upgrade/change-version.ts';
export type { DocumentReader } from './validate/document-reader.ts';
export {
  type BomValidator,
  createBomValidator,
} from './validate/validator.ts';
export { parseSourcePurl, type SourcePurl } from './vendored/source-purl.ts';
export { type Vendored, vendoredComponent } from './vendored/vendored-component.ts';
export { vendoredEdits } from './vendored/vendored-edits.ts';
export { vendoredLicence } from './vendored/vendored-licence.ts';
export { parseVendoredPath } from './vendored/vendored-path.ts';
