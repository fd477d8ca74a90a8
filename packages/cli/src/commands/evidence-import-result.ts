import {
  alsoHaving,
  digestHex,
  errorResult,
  flag,
  having,
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
      kind: string('what was signed'),
      error: errorResult.properties.error,
    }),
  ),
});
export type EvidenceImportResult = ResultOf<typeof evidenceImportResult>;
