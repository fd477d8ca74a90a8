import {
  alsoHaving,
  bundleLogEntry,
  certificateIdentity,
  check,
  documentOf,
  fieldBasis,
  having,
  listOf,
} from '@colophon/records/result';

/** One signature that verified: what was checked, and what is known through it. */
export const verifiedSignature = alsoHaving(
  having('one that verified', { basis: fieldBasis, checks: listOf('what was checked, in order', check) }),
  {
    certificate_identity: certificateIdentity,
    log_entry: bundleLogEntry,
    statement: documentOf('the in-toto statement'),
  },
);
