import {
  alsoHaving,
  bundleLogEntry,
  certificateIdentity,
  check,
  flag,
  having,
  listOf,
  oneOf,
  type ResultOf,
  string,
  timestamp,
} from '@colophon/records/result';

/** One signature over a document that verified. */
export const verifiedDocument = alsoHaving(
  having('one signature that verified', {
    kind: oneOf('a Sigstore bundle, or a detached OpenPGP signature', ['sigstore', 'openpgp']),
    signer: string('the certificate’s subject, the user id of an OpenPGP key, or the name of a bare key'),
    // The user id of an OpenPGP key is none, since whoever makes a key writes what they like into it; neither is the name
    // of a key's file.
    names: listOf(
      'names under which a policy may know the signers: the certificate’s subject, alone and with its issuer, or a fingerprint',
      string('one name'),
    ),
    is_person: flag('whether the signer is a person, not an agent, a machine or a key without a name'),
    checks: listOf('what was checked', check),
  }),
  {
    signed_at: { ...timestamp, description: 'as the log or the signer says' },
    certificate_identity: certificateIdentity,
    log_entry: bundleLogEntry,
    fingerprint: string('of the OpenPGP key'),
  },
);

export type VerifiedDocument = ResultOf<typeof verifiedDocument>;
