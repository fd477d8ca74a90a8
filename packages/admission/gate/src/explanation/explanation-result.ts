import { ATTACHMENT_FORMATS, BASIS_SOURCES } from '@colophon/records';
import {
  alsoHaving,
  certificateIdentity,
  count,
  digest,
  documentOf,
  flag,
  having,
  listOf,
  logEntry,
  oneOf,
  type ResultOf,
  string,
  timestamp,
} from '@colophon/records/result';
import { loggedEntry, rejectedSignature } from '@colophon/sigstore/result';
import { certified_at, disagreement, imageAdmission, rejection } from '../image-gate/admission-result.ts';

/** What a verified signature says, in one word. */
export const SIGNED_KINDS = ['signature', 'agent-run', 'review', 'review-withdrawal', 'statement'] as const;
export type SignedKind = (typeof SIGNED_KINDS)[number];

/** Where evidence is looked for. */
export const EVIDENCE_PLACES = ['registry', 'files', 'evidence-store', 'log', 'rejection-list', 'pack'] as const;
export type EvidencePlace = (typeof EVIDENCE_PLACES)[number];

/** Whether somebody else than the one who profits vouches for a value. */
export const STANDINGS = ['confirmed', 'claimed'] as const;

const standing = oneOf('confirmed: somebody other than the signing agent vouches for it', STANDINGS);
const log_index = { ...count, description: 'in the log, of the signature that says so' } as const;
const source = oneOf('who vouches for it', BASIS_SOURCES);
const signer = string('the certificate’s subject');
const issuer = string('the OIDC issuer of the signer');
const root = string('name of the trusted root that vouches for the signer; absent where it has no name');

const fact = alsoHaving(
  having('a value that agents’ certificates and runs state', {
    field: string('the claim'),
    value: string('as it is stated'),
    standing,
    source,
    log_index,
  }),
  { signer, issuer, root },
);
export type ExplainedFact = ResultOf<typeof fact>;

const review = alsoHaving(
  having('a signed review', {
    decision: string('approved or rejected, as it stands there; none where it says nothing'),
    standing: oneOf('confirmed: the certified person is the reviewer', STANDINGS),
    signer,
    issuer,
    about: oneOf('what it names', ['subject', 'commit', 'other']),
    log_index,
  }),
  {
    root,
    reviewer: string('whom it names'),
    reviewed_at: string('the reviewer’s own word for when'),
    duration_seconds: { type: 'number' as const, description: 'how long it took, by the one who signed it' },
    commit_sha: string('the commit that it names'),
    comment: string('what the reviewer wrote'),
  },
);
export type ExplainedReview = ResultOf<typeof review>;

const claimedReview = alsoHaving(
  having('a review of which an agent’s run or certificate speaks', {
    standing,
    source,
    signer,
    issuer,
    log_index,
  }),
  {
    root,
    reviewer: string('whom it names'),
    reviewed_at: string('when'),
    duration_seconds: { type: 'number' as const, description: 'how long it took' },
    approved: flag('what it says the reviewer decided'),
  },
);
export type ClaimedReview = ResultOf<typeof claimedReview>;

const signature = alsoHaving(
  having('a signature that verified', {
    kind: oneOf('what was signed', SIGNED_KINDS),
    about: oneOf('what it names', ['subject', 'commit', 'other']),
    certificate_identity: certificateIdentity,
    log_entry: logEntry,
    found_in: listOf('where it was found', oneOf('a place', EVIDENCE_PLACES)),
  }),
  {
    certificate_serial: string('serial number of the certificate, hex'),
    certified_at,
    bundle_digest: digest,
    format: oneOf('how it is attached', ATTACHMENT_FORMATS),
    predicate_type: string('of the statement'),
    statement: documentOf('the in-toto statement'),
  },
);
export type ExplainedSignature = ResultOf<typeof signature>;

const place = alsoHaving(
  having('a place where evidence may be', {
    place: oneOf('which', EVIDENCE_PLACES),
    state: oneOf('not-asked and incomplete say nothing about what is there', ['asked', 'not-asked', 'incomplete']),
  }),
  { address: string('where it is'), detail: string('why') },
);
export type AskedPlace = ResultOf<typeof place>;

const rejectionList = alsoHaving(having('a list of standing rejections', { from: string('its address') }), {
  sequence: { ...count, description: 'its number' },
  signed_at: { ...timestamp, description: 'when it was signed: it says nothing of what came later' },
  incomplete: string('why it is not used'),
  overflows: listOf(
    'identities with more rejections than it holds of them; absent where there are none',
    having('an identity', { issuer: string('of its certificate'), subject: string('of its certificate') }),
  ),
});
export type SeenList = ResultOf<typeof rejectionList>;

const { body: _, ...loggedFacts } = loggedEntry.properties;

/** What is known about an artifact, and what each part of it rests on. */
export const evidenceExplanation = alsoHaving(
  having('what is known about an artifact, and what each part of it rests on', {
    subject: having('what it is about', {
      kind: oneOf('what was named', ['image', 'file', 'digest']),
      name: string('as it was asked for'),
      digest,
    }),
    facts: listOf('what agents’ certificates and runs state, each value once', fact),
    reviews: listOf('signed reviews', review),
    claimed_reviews: listOf('reviews that agents speak of', claimedReview),
    contradictions: listOf('what cannot all be true', disagreement),
    differences: listOf('what differs and may all be true', disagreement),
    rejections: listOf(
      'what rejects it and no later approval of the same person takes back, attached or in a list: what a policy hears, and reviews',
      rejection,
    ),
    rejection_lists: listOf('lists of standing rejections that were looked for', rejectionList),
    signatures: listOf('every signature that verified, in the order of signed time', signature),
    log_entries: listOf(
      'entries of the log whose signature is not at hand',
      having(loggedEntry.description, loggedFacts),
    ),
    unverified: listOf('what was found and does not verify', rejectedSignature),
    unread: listOf('what may be a signature and was not read', rejectedSignature),
    places: listOf('where was looked', place),
  }),
  { admission: imageAdmission },
);
export type EvidenceExplanation = ResultOf<typeof evidenceExplanation>;
