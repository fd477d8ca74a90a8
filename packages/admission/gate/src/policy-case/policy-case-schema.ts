import { ADMISSION_REASON_CODES } from '@colophon/admission';
import { SHA256_HEX_PATTERN, SHA256_PATTERN, TIMESTAMP_PATTERN } from '@colophon/notation';
import { ATTACHMENT_FORMATS, CLAIM_SOURCES, SOURCED_CLAIMS, TOKEN_PURPOSES } from '@colophon/records';
import type { ResultOf } from '@colophon/records/result';

const text = <const D extends string>(description: D) => ({ type: 'string', minLength: 1, description }) as const;
const time = <const D extends string>(description: D) =>
  ({ type: 'string', pattern: TIMESTAMP_PATTERN, description }) as const;
const digest = { type: 'string', pattern: SHA256_PATTERN, description: 'sha256:<64 hex>' } as const;
const hex = { type: 'string', pattern: SHA256_HEX_PATTERN, description: '64 hex digits' } as const;
const listOf = <const I extends object>(items: I) => ({ type: 'array', items }) as const;
const closed = <const P extends object, const R extends readonly string[]>(required: R, properties: P) =>
  ({ type: 'object', required, properties, additionalProperties: false }) as const;

const perClaim = <const S>(schema: S) =>
  Object.fromEntries(SOURCED_CLAIMS.map((claim) => [claim, schema])) as {
    readonly [claim in (typeof SOURCED_CLAIMS)[number]]: S;
  };

/** A fact that verification hands to a decision. */
const signature = closed(['time'], {
  issuer: text('The certificate OIDC issuer.'),
  subject: text('The certificate identity.'),
  subject_type: { enum: ['email'] },
  key: text('PEM of the bare key that signed, in place of issuer and subject.'),
  purpose: { enum: TOKEN_PURPOSES },
  claims: closed([], perClaim(text('The value in the certificate.'))),
  sources: closed([], perClaim({ enum: CLAIM_SOURCES } as const)),
  time: time('RFC 3339: when the log saw it.'),
  certified_at: time('RFC 3339: from when its certificate is valid; time when absent.'),
  format: { enum: ATTACHMENT_FORMATS },
  predicateType: text('Of the statement, whole or the short name of one of ours; a plain signature when absent.'),
  predicate: { description: 'Of the statement; empty when absent.' } as { readonly description: string },
  subjects: {
    type: 'array',
    minItems: 1,
    items: closed(['digest'], {
      name: text('For people.'),
      digest: { type: 'object', minProperties: 1, additionalProperties: text('Hex.') },
    }),
    description: 'What it names; the image when absent.',
  },
  id: hex,
});

const refused = closed(['code'], {
  code: text('Of the error.'),
  message: text('For people.'),
  predicate_type: text('Of the statement, where it is one.'),
});

const list = closed(['time'], {
  time: time('RFC 3339: when it was signed.'),
  rejections: listOf(
    closed(['issuer', 'subject', 'person', 'time'], {
      issuer: text('Of the signer.'),
      subject: text('Of the signer.'),
      person: text('The address of who rejected.'),
      time: time('RFC 3339: when it was signed.'),
      id: hex,
      images: listOf(digest),
      commits: listOf(text('40 or 64 hex digits.')),
      target: closed(['kind', 'digest'], {
        kind: { enum: ['image', 'file', 'commit'], type: 'string' },
        digest: text('sha256:<64 hex>, or gitCommit:<commit id>.'),
      }),
    }),
  ),
  withdrawals: listOf(
    closed(['issuer', 'subject', 'rejection'], {
      issuer: text('Of the signer.'),
      subject: text('Of the signer.'),
      rejection: hex,
    }),
  ),
  overflows: listOf(
    closed(['issuer', 'subject', 'person'], {
      issuer: text('Of the signer.'),
      subject: text('Of the signer.'),
      person: text('The address of who rejected more than the list holds.'),
    }),
  ),
});

// As text for the compiler, which has enough to do with the rest.
const code: { readonly type: 'string'; readonly enum: readonly string[] } = {
  type: 'string',
  enum: ADMISSION_REASON_CODES,
};
const codes = listOf(code);

/** A case of a policy: evidence, and what has to be decided by it. One declaration for the type and for the check. */
export const POLICY_CASE_SCHEMA = closed(['policy', 'evidence', 'expect'], {
  policy: {
    anyOf: [
      text('A policy file, relative to the case.'),
      { type: 'array', minItems: 1, items: text('A policy file.') },
    ],
  },
  evidence: {
    anyOf: [
      text('An evidence pack, relative to the case.'),
      closed([], {
        signatures: listOf(signature),
        rejected: listOf(refused),
        incomplete: listOf(refused),
        manifests: listOf(digest),
      }),
    ],
  },
  image: text('The image with its digest: of evidence that is written out.'),
  now: time('RFC 3339: when it is decided.'),
  negatives: { anyOf: [{ enum: ['list', 'missing', 'registry-only'], type: 'string' }, list] },
  expect: { enum: ['admitted', 'refused'] },
  reasons: codes,
  warnings: codes,
  valid_until: time('RFC 3339: until when an admission holds.'),
});

/** A case as it is written, after its shape was checked. */
export type PolicyCaseFile = ResultOf<typeof POLICY_CASE_SCHEMA>;
export type WrittenEvidence = Exclude<PolicyCaseFile['evidence'], string>;
export type WrittenSignature = NonNullable<WrittenEvidence['signatures']>[number];
export type WrittenList = Exclude<NonNullable<PolicyCaseFile['negatives']>, string>;
