import { decideAdmission, type Policy, parsePolicy } from '@colophon/admission';
import type { RejectedSignature, VerifiedSignature } from '@colophon/records';
import {
  agent,
  attestation,
  CI,
  COMMIT,
  COSIGN,
  DANA,
  ISSUER,
  identity,
  image,
  imageSignature,
  OTHER_COMMIT,
  OTHER_SHA256,
  REVIEW,
  RUN,
  review,
  run,
  runAt,
  SHA256,
} from '../../../../admission/policy/test/image-evidence.ts';

const policy = (more: string, agents = 'subjectRegExp: agent:(writer|fixer)'): readonly Policy[] => {
  const text = `version: 1\nname: production\nimages: [ghcr.io/acme/**]\nagent: { issuer: ${ISSUER}, ${agents} }\n${more}`;
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return [parsed.value];
};

const POLICIES: Readonly<Record<string, readonly Policy[]>> = {
  'the default': policy(''),
  'profile spec': policy('profile: spec'),
  'mode audit': policy('mode: audit'),
  'a review of a minute': policy('review: { minDurationSeconds: 60 }'),
  'a condition': policy('review: { conditions: [\'predicate.repo == "acme/app"\'] }'),
  'a source of the commit': policy('sources: { commit_sha: [caller-token] }'),
  'a source that nobody is': policy('sources: { commit_sha: [review-event] }'),
  'a signature by the build': policy(`require: [{ issuer: ${CI}, subject: build }]`),
  'one agent': policy('', 'subject: agent:writer'),
  'withdrawals by Eve': policy(`review: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "reviewer:eve@example.com" }] }`),
  'no policy': [],
};

const BUILD = identity('build', { issuer: CI });
const SIGNATURES: Readonly<Record<string, readonly VerifiedSignature[]>> = {
  unsigned: [],
  'signed by the writer': [imageSignature()],
  'signed by cosign': [attestation(agent(), COSIGN, {})],
  'signed by a run': [run(RUN)],
  'signed by a run of another commit': [runAt(OTHER_COMMIT)],
  'signed by the fixer': [imageSignature(agent('agent:fixer'))],
  'signed by another agent': [imageSignature(agent('agent:other'))],
  'signed by the writer of another issuer': [imageSignature(identity('agent:writer', { issuer: CI }))],
  'signed for another image': [imageSignature(agent(), OTHER_SHA256)],
  'signed by a person': [imageSignature(identity(DANA))],
  'signed by writer and build': [imageSignature(), imageSignature(BUILD)],
  'signed without a commit': [imageSignature(agent('agent:writer', {}))],
};

const REVIEWED = { ...REVIEW, review_duration_seconds: 90, repo: 'acme/app' };
const at = (time: string) => [identity(DANA), undefined, time] as const;
const REVIEWS: Readonly<Record<string, readonly VerifiedSignature[]>> = {
  'no review': [],
  'a review': [review()],
  'a review of 90 seconds': [review(REVIEWED)],
  'a review of 30 seconds': [review({ ...REVIEWED, review_duration_seconds: 30 })],
  'an approval': [review({ ...REVIEWED, decision: 'approved' })],
  'a rejection': [review({ ...REVIEWED, decision: 'rejected' })],
  'a decision of other words': [review({ ...REVIEWED, decision: 'Approved' })],
  'a rejection, then an approval': [
    review({ ...REVIEWED, decision: 'rejected' }, ...at('2026-11-21T10:00:00Z')),
    review(
      { ...REVIEWED, decision: 'approved', review_timestamp: '2026-11-21T11:00:00Z' },
      ...at('2026-11-21T12:00:00Z'),
    ),
  ],
  'an approval, then a rejection': [
    review({ ...REVIEWED, decision: 'approved' }, ...at('2026-11-21T10:00:00Z')),
    review(
      { ...REVIEWED, decision: 'rejected', review_timestamp: '2026-11-21T11:00:00Z' },
      ...at('2026-11-21T12:00:00Z'),
    ),
  ],
  'an approval, and a rejection by Eve': [
    review(REVIEWED),
    review(
      { ...REVIEWED, human_reviewer: 'eve@example.com', decision: 'rejected' },
      identity('reviewer:eve@example.com'),
    ),
  ],
  'a rejection of the commit alone': [
    review(REVIEWED),
    review({ ...REVIEWED, decision: 'rejected' }, identity(DANA), [{ digest: { gitCommit: COMMIT } }]),
  ],
  'a review by the agent': [review(REVIEW, agent())],
  'a review by another issuer': [review(REVIEW, identity(DANA, { issuer: CI }))],
  'a review by somebody else than it says': [review(REVIEW, identity('reviewer:eve@example.com'))],
  'a review of another image': [review(REVIEW, identity(DANA), [{ name: 'app', digest: { sha256: OTHER_SHA256 } }])],
  'a review of another commit': [review({ ...REVIEW, commit_sha: OTHER_COMMIT })],
  'a review without a commit': [review({ ...REVIEW, commit_sha: undefined })],
  'a review without a time': [review({ ...REVIEW, review_timestamp: undefined })],
  'a review of tomorrow': [review({ ...REVIEW, review_timestamp: '2026-11-22T09:00:00Z' })],
  'a review that is no object': [review('approved')],
  'a review of another type': [attestation(identity(DANA), 'https://other.example/review/v1', REVIEW)],
};

const REFUSED: RejectedSignature = { code: 'signature.invalid', message: 'It does not verify.' } as never;
const MORE: Readonly<Record<string, object>> = {
  'a signature that does not verify': { rejected: [REFUSED] },
  'evidence that was not fetched': { incomplete: [REFUSED] },
  'a list without rejections': {
    negatives: () => ({
      kind: 'list',
      list: { from: 'https://x.example', sequence: 1, time: '2026-11-21T12:00:00Z', rejections: [], withdrawals: [] },
    }),
  },
  'a list that could not be had': {
    negatives: () => ({ kind: 'incomplete', from: 'https://x.example', message: 'gone' }),
  },
  'no list': { negatives: () => ({ kind: 'registry-only' }) },
  'the profile spec': { profile: 'spec' },
  'another tag': { image: { ...image, reference: 'ghcr.io/acme/app:v2' } },
  'another registry': { image: { ...image, reference: 'docker.io/acme/app:v1' } },
  'a registry in capitals': { image: { ...image, reference: 'GHCR.io/acme/app:v1' } },
  'a repository with two dots': { image: { ...image, reference: 'ghcr.io/acme/a..b:v1' } },
  'no name of an image': { image: { ...image, reference: 'ghcr.io/acme/App' } },
  'the digest in its name': { image: { ...image, reference: `ghcr.io/acme/app@sha256:${SHA256}` } },
  'another digest in its name': { image: { ...image, reference: `ghcr.io/acme/app@sha256:${OTHER_SHA256}` } },
  'a digest in capitals': { image: { ...image, digest: `sha256:${SHA256.toUpperCase()}` } },
  'a digest without its algorithm': { image: { ...image, digest: SHA256 } },
  'a thousand signatures': { rejected: Array.from({ length: 999 }, () => REFUSED) },
};

function decided(name: string, signatures: readonly VerifiedSignature[], policies: readonly Policy[], more = {}) {
  const { admitted, reasons, warnings } = decideAdmission({ image, signatures, rejected: [], policies, ...more });
  const codes = reasons.map(({ code }) => code);
  const warned = warnings.map(({ code }) => `warning:${code}`);
  return [name, [admitted ? 'admitted' : 'refused', ...codes, ...warned].join(' ')] as const;
}

/** Every case with its verdict: admitted or refused, and every reason. */
export function* admissionCases(): Generator<readonly [name: string, verdict: string]> {
  const signed = SIGNATURES['signed by the writer'] ?? [];
  const reviewed = REVIEWS['a review of 90 seconds'] ?? [];
  for (const [by, policies] of Object.entries(POLICIES)) {
    for (const [name, signatures] of Object.entries(SIGNATURES))
      yield decided(`${by}: ${name}, a review of 90 seconds`, [...signatures, ...reviewed], policies);
    for (const [name, reviews] of Object.entries(REVIEWS).filter(([one]) => one !== 'a review of 90 seconds'))
      yield decided(`${by}: signed by the writer, ${name}`, [...signed, ...reviews], policies);
  }
  const standard = POLICIES['the default'] ?? [];
  for (const [name, more] of Object.entries(MORE)) {
    yield decided(`signed and reviewed, ${name}`, [...signed, ...reviewed], standard, more);
    yield decided(`signed alone, ${name}`, signed, standard, more);
  }
}
