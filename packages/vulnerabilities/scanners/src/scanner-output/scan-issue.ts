import type { Issue } from '@colophon/json';

/** Why a file is not read at all: the codes of the issues that `readScannerOutput` gives. */
export const SCAN_FILE_CODES = [
  /** No bytes, or blanks alone. */
  'scan.empty',
  /** More bytes than an output may have. */
  'scan.too_large',
  /** The bytes are no UTF-8. */
  'scan.not_utf8',
  /** No JSON: a page, a table, YAML, several documents. */
  'scan.not_json',
  /** It begins as JSON does and ends before its end. */
  'scan.truncated',
  /** Lists and objects inside each other without end. */
  'scan.too_deep',
  /** `null` is the whole document. */
  'scan.null_document',
  /** JSON that none of the readers knows. */
  'scan.unknown_format',
  /** Known, and no list of vulnerable dependencies. */
  'scan.not_a_scan',
  /** A scanner's report in a shape that says too little. */
  'scan.format_unsupported',
  /** A known output without the list that its findings stand in. */
  'scan.list_missing',
  /** That list is no list. */
  'scan.list_invalid',
  /** The scanner says that it failed. */
  'scan.scanner_failed',
] as const;

/** Why a part of an output is no finding, or is one with a gap: the codes of `unread`. */
export const SCAN_ENTRY_CODES = [
  /** Not the object that stands there otherwise. */
  'scan.entry_invalid',
  /** It does not say which vulnerability. */
  'scan.id_missing',
  /** It does not say in what. */
  'scan.component_missing',
  /** It names a component that the document does not have; the finding is kept. */
  'scan.component_unresolved',
  /** A member of another type than it has; the finding is kept without it. */
  'scan.member_invalid',
  /** No vulnerability: secrets, misconfigurations, licences and the like. */
  'scan.other_kind',
  /** A component that the scanner could not look up. */
  'scan.not_scanned',
  /** A package that is affected through another one, which has the finding. */
  'scan.through_dependency',
  /** One part of an output that has more. */
  'scan.incomplete',
  /** It does not say which scanner wrote it. */
  'scan.scanner_unknown',
] as const;

/** One of {@link SCAN_FILE_CODES}. */
export type ScanFileCode = (typeof SCAN_FILE_CODES)[number];
/** One of {@link SCAN_ENTRY_CODES}. */
export type ScanEntryCode = (typeof SCAN_ENTRY_CODES)[number];

/** A file that is refused, for one reason. */
export type Refusal = { readonly ok: false; readonly issues: readonly Issue[] };

/** Refuses a file. */
export function refuse(code: ScanFileCode, message: string, more: { path?: string; expected?: string } = {}): Refusal {
  const { path = '', expected } = more;
  return { ok: false, issues: [{ path, code, message, ...(expected !== undefined && { expected }) }] };
}
