import {
  alsoHaving,
  bundleLogEntry,
  certificateIdentity,
  count,
  digest,
  listOf,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';
import { checkedDocument } from '../document-signature/checked-document-result.ts';

/** `colophon vex sign`. */
export const vexSignResult = resultOf(
  'what was signed, and the signer',
  { file: string('the document'), accepted_draft_count: count },
  {
    bundle: string('path of the bundle'),
    certificate_identity: certificateIdentity,
    log_entry: bundleLogEntry,
    signature: string('path of the OpenPGP signature'),
    fingerprint: string('of the OpenPGP key'),
  },
);
export type VexSignResult = ResultOf<typeof vexSignResult>;

const signature = alsoHaving(checkedDocument, { file: string('path of the bundle or of the OpenPGP signature') });

/** `colophon vex verify`. */
export const vexVerifyResult = resultOf('whose signatures a document has', {
  file: string('the document'),
  digest: { ...digest, description: 'of the signed bytes' },
  statement_count: count,
  draft_count: { ...count, description: 'statements that a machine proposed and no person has accepted' },
  signatures: listOf('each signature that verified', {
    ...signature,
    required: [...signature.required, 'file' as const],
  }),
  not_checked: listOf('signatures for which no flag names an accepted signer', string('a path')),
});
export type VexVerifyResult = ResultOf<typeof vexVerifyResult>;
