/** What is said of a whole document, beside the codes of its JSON, its schema and the checks. */
export const BOM_DOCUMENT_CODES = [
  'sbom.not_cyclonedx',
  'sbom.spec_version_unknown',
  'sbom.more_issues',
  'sbom.reference_invalid',
  'sbom.reader_version',
] as const;

export type BomDocumentCode = (typeof BOM_DOCUMENT_CODES)[number];
