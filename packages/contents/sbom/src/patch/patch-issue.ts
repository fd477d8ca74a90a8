/** Why a change to a document is not made. */
export const PATCH_ISSUE_CODES = [
  /** The member is kept by the program itself: serial number, version, format. */
  'patch.protected',
  /** No operation of RFC 6902, or no JSON Pointer. */
  'patch.operation_invalid',
  /** There is nothing at the place. */
  'patch.place_missing',
  /** A `test` of the patch does not hold. */
  'patch.test_failed',
  /** No component has this bom-ref or purl. */
  'patch.component_unknown',
] as const;
export type PatchIssueCode = (typeof PATCH_ISSUE_CODES)[number];
