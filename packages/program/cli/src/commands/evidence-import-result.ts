import {
  alsoHaving,
  count,
  digestHex,
  errorResult,
  flag,
  having,
  issue,
  listOf,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';

/** `colophon evidence import`: of one file that is not kept, the error is the whole answer. */
export const evidenceImportResult = resultOf('what became of several bundles', {
  bundles: listOf(
    'each of them, in the order of the command line',
    alsoHaving(having('one bundle', { ok: flag('whether it is kept'), bundle: string('its file') }), {
      id: { ...digestHex, description: 'SHA-256 of the bundle, hex: its name in the store' },
      kind: string('what was signed; decisions for a log of them'),
      stored: { ...count, description: 'of a log of decisions: those that are new' },
      known: { ...count, description: 'of a log of decisions: those that were there already' },
      unread: listOf('of a log of decisions: what is wrong with a last line that was cut off, and is not kept', issue),
      error: errorResult.properties.error,
    }),
  ),
});
export type EvidenceImportResult = ResultOf<typeof evidenceImportResult>;
