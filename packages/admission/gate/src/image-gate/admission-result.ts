import { DISAGREEMENT_KINDS } from '@colophon/admission';
import { ATTACHMENT_FORMATS, REVIEW_PROFILES } from '@colophon/records';
import {
  alsoHaving,
  certificateIdentity,
  check,
  count,
  digest,
  digestHex,
  documentOf,
  fieldBasis,
  flag,
  having,
  issue,
  listOf,
  logEntry,
  oneOf,
  type ResultOf,
  string,
  timestamp,
} from '@colophon/records/result';

/** Why something is refused. */
export const reason = alsoHaving(issue, {
  policy: string('the policy whose rule it is; absent where none was reached'),
});

export const certified_at = {
  ...timestamp,
  description: 'from when on the certificate is valid: the signature was made no earlier',
} as const;

/** A signature by which an image passes. */
const signature = alsoHaving(
  having('one signature', { certificate_identity: certificateIdentity, log_entry: logEntry, basis: fieldBasis }),
  {
    certified_at,
    bundle_digest: digest,
    artifact_digest: digest,
    format: oneOf('how it is attached', ATTACHMENT_FORMATS),
    statement: documentOf('the in-toto statement'),
    checks: listOf('what was checked, in order', check),
  },
);

export const rejection = alsoHaving(
  having('one rejection', {
    person: having('who rejected', { issuer: string('the OIDC issuer'), address: string('e-mail address') }),
    subject: string('the certificate’s subject'),
    content: { ...digestHex, description: 'who says what, the same for every copy, hex' },
    integrated_at: { ...timestamp, description: 'when the log, or a timestamp authority, first saw it' },
    images: listOf('digests of what was rejected', digest),
    commits: listOf('commits that were rejected', string('40 or 64 hex digits')),
  }),
  {
    id: { ...digestHex, description: 'SHA-256 of the bundle, hex: what review withdraw takes' },
    certified_at,
    stated_at: { ...timestamp, description: 'the person’s own word for when' },
    certificate_identity: certificateIdentity,
    predicate_type: string('of the statement'),
    target: having('what was rejected, where the rejection says it', {
      kind: oneOf('of what', ['image', 'file', 'commit']),
      digest: string('sha256:<64 hex>, or gitCommit:<commit id>'),
    }),
  },
);

const valid_until = {
  ...timestamp,
  description:
    'the earliest time at which a limit of the policies ends what the image passes by; absent where none does',
} as const;

export const disagreement = having('several signed values of one thing', {
  field: string('the claim, or the member of a run'),
  between: oneOf(
    'a run and its certificate, certificates and statements of one token, confirmed sources, or else documents',
    DISAGREEMENT_KINDS,
  ),
  said: listOf(
    'each value, and whose',
    having('one value', {
      value: string('what is said'),
      by: string('what says it, and its signer'),
      log_index: { ...count, description: 'in the log, of the signature that says so' },
    }),
  ),
});

const verdict = alsoHaving(
  having('what one policy says', {
    policy: string('its name'),
    mode: oneOf('what a refusal of it means', ['enforce', 'audit']),
    profile: oneOf('which rules were asked', REVIEW_PROFILES),
    admitted: flag('whether it admits the image'),
    reasons: listOf('why not; empty where it admits the image', reason),
    agent_signatures: listOf('of agents, by which the image passes', signature),
    reviews: listOf('of people, by which the image passes', signature),
    requirements: listOf(
      'what meets each rule of `require`',
      having('one rule', { rule: string('for people'), signatures: listOf('by which it is met', signature) }),
    ),
    withdrawn_rejections: listOf('of the image, withdrawn by an identity that the policy allows', rejection),
    contradictions: listOf('what signers that the policy names say and cannot all be true', disagreement),
    differences: listOf('what differs among them and may all be true; never refuses', disagreement),
  }),
  {
    human_signatures: listOf(
      'of people or their builds, by which the image passes; absent where the policy is for agents',
      signature,
    ),
    legacy: alsoHaving(
      having('who answers for an image that needs no signature', {
        owner: string('as the policy names them'),
        reason: string('why it needs none'),
      }),
      { until: { ...timestamp, description: 'from when on it is refused' } },
    ),
    exception: having('the exception by which the image passes although evidence is missing', {
      owner: string('who answers for it'),
      reason: string('why it is there'),
      until: { ...timestamp, description: 'when it ends' },
      excuses: listOf('codes of what is missing', string('of docs/errors.md')),
    }),
    valid_until,
    provenance: listOf(
      'SLSA provenance that ties the image to what was reviewed; absent where the policy names no build runner',
      signature,
    ),
    rejection_list: alsoHaving(
      having('the list of standing rejections that was read; absent where only the registry was', {
        from: string('its address'),
      }),
      {
        sequence: { ...count, description: 'its number' },
        signed_at: { ...timestamp, description: 'when it was signed' },
        incomplete: string('why it is not used'),
      },
    ),
  },
);

/** Whether an image may run: what each policy says, by which signatures, and what their names and hashes rest on. */
export const imageAdmission = alsoHaving(
  having('whether an image may run, and every reason why not', {
    admitted: flag('whether it may'),
    reasons: listOf('why not; empty where it is admitted', reason),
    warnings: listOf('for which a policy in audit mode would have refused, exceptions, and contradictions', reason),
    verdicts: listOf('one for each policy that covers the image', verdict),
  }),
  { digest: { ...digest, description: 'what it was resolved to; absent where no registry was asked' }, valid_until },
);
export type ImageAdmission = ResultOf<typeof imageAdmission>;
