// Signatures of everybody over everything, good and bad.
import type { CertificateIdentity, Subject, VerifiedSignature } from '@colophon/records';
import fc from 'fast-check';
import type { NegativesList } from '../src/negatives/negatives-view.ts';
import type { WrittenPolicy } from './any-policy.ts';
import {
  attestation,
  BASE,
  COMMIT,
  COSIGN,
  imageSignature,
  OTHER_COMMIT,
  OTHER_SHA256,
  REVIEW,
  RUN,
  SHA256,
} from './image-evidence.ts';
import { SIGNERS, type SignerName, STRANGERS } from './signers.ts';

const SLSA = 'https://slsa.dev/provenance/v1';
const TYPES = [
  COSIGN,
  `${BASE}/agent-run/v1`,
  `${BASE}/agent-review/v1`,
  `${BASE}/review-withdrawal/v1`,
  'https://other.example/agent-run/v1',
  SLSA,
  'https://slsa.dev/verification_summary/v1',
  'https://in-toto.io/attestation/test-result/v0.1',
  'https://x.example/scan',
  'constructor',
] as const;

const HOURS = ['2026-11-21T09:00:00Z', '2026-11-21T10:00:00Z', '2026-11-21T11:00:00Z', '2026-11-21T11:30:00Z'] as const;

/** Mostly the first, which is the good one. */
const mostly = <T>(good: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 25, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: fc.constantFrom(good, ...others) });

const claims = fc.record({
  commit_sha: mostly<string | undefined>(COMMIT, OTHER_COMMIT, 'unknown', '', undefined),
  model_id: mostly<string | undefined>('m', 'claude-4', 'unknown', undefined),
  model_provider: mostly<string | undefined>('p', 'unknown', undefined),
  policy_pack_hash: mostly<string | undefined>(`sha256:${'d'.repeat(64)}`, 'unknown', undefined),
});
const sources = fc.record({ commit_sha: mostly<'caller-token' | 'declared'>('caller-token', 'declared') });

function withClaims(by: CertificateIdentity): fc.Arbitrary<CertificateIdentity> {
  if (by.key !== undefined || by.subject.startsWith('reviewer:')) return fc.constant(by);
  const purposes = mostly<object>({}, { purpose: 'artifact' }, { purpose: 'commit' }, { purpose: 'review' });
  return fc.tuple(claims, sources, purposes).map(([some, vouched, purpose]): CertificateIdentity => {
    const known = Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined));
    return { ...by, claims: known, sources: vouched, ...purpose };
  });
}

const blank = fc.constantFrom<unknown>(undefined, null, '', ' ', '\u200b', 7, [], {});
/** A predicate with one member of it missing, null, blank or of another type; mostly the predicate itself. */
const mangled = (predicate: Readonly<Record<string, unknown>>) =>
  fc.oneof(
    { weight: 40, arbitrary: fc.constant<unknown>(predicate) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...Object.keys(predicate)), blank)
        .map(([key, value]) => JSON.parse(JSON.stringify({ ...predicate, [key]: value }))),
    },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], 'text', {}) },
  );

const addressOf = ({ subject }: CertificateIdentity) => subject.replace('reviewer:', '');
const reviewBy = (by: CertificateIdentity) =>
  mostly<object>(
    { review_duration_seconds: 700 },
    {},
    { review_duration_seconds: 5 },
    { commit_sha: OTHER_COMMIT },
  ).chain((more) => mangled({ ...REVIEW, human_reviewer: addressOf(by), ...more }));
const run = mostly<object>(
  { model: { ...RUN.model, requested: 'm' } },
  {},
  { model: { ...RUN.model, requested: 'mini' } },
  { git: { commit_sha: OTHER_COMMIT } },
).chain((more) => mangled({ ...RUN, ...more }));
const provenance = mostly(COMMIT, OTHER_COMMIT).chain((gitCommit) =>
  mangled({
    buildDefinition: {
      buildType: 'https://x.example/build',
      externalParameters: {},
      resolvedDependencies: [{ uri: 'git+https://github.com/acme/app', digest: { gitCommit } }],
    },
    runDetails: { builder: { id: 'https://x.example/builder' } },
  }),
);
const withdrawal = fc
  .constantFrom('1', '2', '3')
  .map((digit) => ({ rejection: digit.repeat(64), reason: 'left', withdrawn_at: '2026-11-21T11:00:00Z' }));

/** What somebody says in a statement of a type, when they say yes. */
function predicateOf(type: string, by: CertificateIdentity): fc.Arbitrary<unknown> {
  if (type.endsWith('/agent-run/v1')) return run;
  if (type.endsWith('/agent-review/v1')) return reviewBy(by);
  if (type.endsWith('/review-withdrawal/v1')) return withdrawal;
  if (type === SLSA) return provenance;
  return fc.constantFrom({ verificationResult: 'PASSED' }, { result: 'PASSED' }, {});
}

const subjects = mostly<Subject[]>(
  [{ digest: { sha256: SHA256 } }],
  [{ digest: { sha256: OTHER_SHA256 } }],
  [{ digest: { gitCommit: COMMIT } }],
  [{ digest: { sha256: SHA256 } }, { digest: { gitCommit: OTHER_COMMIT } }],
);

/** Where, when and how a signature came. */
const circumstances = fc.tuple(
  fc.constantFrom(...HOURS),
  mostly<VerifiedSignature['format']>('bundle', 'older-signature', undefined),
  fc.constantFrom('1', '2', '3', undefined),
);
function found(signature: VerifiedSignature): fc.Arbitrary<VerifiedSignature> {
  return circumstances.map(([time, format, digit]) => ({
    ...signature,
    ...(signature.certificate_identity.key === undefined ? { certified_at: time } : {}),
    log_entry: { ...signature.log_entry, integrated_at: time },
    ...(format === undefined ? {} : { format }),
    ...(digit === undefined ? {} : { bundle_digest: `sha256:${digit.repeat(64)}` }),
  }));
}

function plainBy(by: CertificateIdentity): fc.Arbitrary<VerifiedSignature> {
  return fc
    .tuple(withClaims(by), mostly(SHA256, OTHER_SHA256))
    .chain(([one, sha256]) => found(imageSignature(one, sha256)));
}
function statementBy(by: CertificateIdentity, type: string): fc.Arbitrary<VerifiedSignature> {
  return fc
    .tuple(withClaims(by), predicateOf(type, by), subjects)
    .chain(([one, predicate, about]) => found(attestation(one, type, predicate, about)));
}

/** Anything that somebody may sign. */
export function anythingBy(by: CertificateIdentity): fc.Arbitrary<VerifiedSignature> {
  return fc.oneof(
    plainBy(by),
    fc.constantFrom(...TYPES).chain((type) => statementBy(by, type)),
    negativeBy(by),
  );
}

const named = (names: readonly SignerName[] = Object.keys(SIGNERS) as SignerName[]) =>
  fc.constantFrom(...names.map((name) => SIGNERS[name]));

/** Signatures that nobody whom a policy names made. */
export const byStranger: fc.Arbitrary<VerifiedSignature> = fc.constantFrom(...STRANGERS).chain(anythingBy);

/** A no: no copy of another, and withdrawn by nobody. */
export function negativeBy(by: CertificateIdentity): fc.Arbitrary<VerifiedSignature> {
  const verdicts = fc.constantFrom<[string, object]>(
    [`${BASE}/agent-review/v1`, { ...REVIEW, human_reviewer: addressOf(by), decision: 'rejected' }],
    [`${BASE}/agent-review/v1`, { decision: null }],
    [`${BASE}/agent-run/v1`, { ...RUN, human_review: { approved: false } }],
    [`${BASE}/agent-run/v1`, { ...RUN, model: { ...RUN.model, requested: 'm' }, human_review: { approved: false } }],
    ['https://slsa.dev/verification_summary/v1', { verificationResult: 'FAILED' }],
    ['https://in-toto.io/attestation/test-result/v0.1', { result: 'FAILED' }],
  );
  return fc
    .tuple(verdicts, subjects, withClaims(by), fc.uuid())
    .chain(([[type, predicate], about, one, nonce]) =>
      found(attestation(one, type, { ...predicate, nonce }, about)).map(({ bundle_digest: _, ...rest }) => rest),
    );
}

/** A no of anybody whom policies name. */
export const anyNegative: fc.Arbitrary<VerifiedSignature> = named().chain(negativeBy);

/** What the pipeline of a policy leaves: now and then a part is missing. */
function evidenceFor({
  makers,
  reviewers,
  builders,
  required,
  file,
}: WrittenPolicy): fc.Arbitrary<VerifiedSignature[]> {
  const runs = makers.filter((name) => name === 'agentKey' || (file['modelAsRequested'] === true && 'agent' in file));
  const parts = [
    ...makers.filter((name) => name !== 'agentKey').map((name) => plainBy(SIGNERS[name])),
    ...runs.map((name) => statementBy(SIGNERS[name], TYPES[1])),
    ...reviewers.map((name) => statementBy(SIGNERS[name], TYPES[2])),
    ...builders.map((name) => statementBy(SIGNERS[name], SLSA)),
    ...required.map(({ name, predicateType }) => {
      const type = predicateType ?? (SIGNERS[name].subject.startsWith('reviewer:') ? TYPES[2] : undefined);
      return type === undefined ? plainBy(SIGNERS[name]) : statementBy(SIGNERS[name], type);
    }),
  ];
  const here = fc.array(mostly(true, false), { minLength: parts.length, maxLength: parts.length });
  return fc.tuple(fc.tuple(...parts), here).map(([found, isHere]) => found.filter((_, index) => isHere[index]));
}

/** What is found where policies ask for it, and now and then something beside it. */
export function anyEvidence(policies: readonly WrittenPolicy[]): fc.Arbitrary<readonly VerifiedSignature[]> {
  const beside = fc.oneof({ weight: 3, arbitrary: named().chain(anythingBy) }, byStranger);
  const more = fc.oneof(
    { weight: 3, arbitrary: fc.constant<VerifiedSignature[]>([]) },
    { weight: 1, arbitrary: fc.array(beside, { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(more, ...policies.map(evidenceFor)).map((all) => all.flat());
}

/** Rejections as a list holds them. */
export const anyRejections: fc.Arbitrary<NegativesList['rejections']> = fc.array(
  fc
    .tuple(named(['dana', 'eve', 'lead', 'writer', 'build']), subjects, fc.constantFrom(...HOURS), fc.uuid())
    .map(([by, about, integrated_at, nonce]) => ({
      certificate_identity: by,
      person: { issuer: by.issuer, address: addressOf(by) },
      subject: by.subject,
      integrated_at,
      images: about.flatMap(({ digest }) => (digest['sha256'] === undefined ? [] : [`sha256:${digest['sha256']}`])),
      commits: about.flatMap(({ digest }) => digest['gitCommit'] ?? []),
      content: nonce,
    })),
  { maxLength: 3 },
);

/** What nobody could verify, or read. */
export const anyUnread = fc.constantFrom(
  { code: 'signature.invalid', message: 'forged' },
  { code: 'signature.invalid', message: 'forged', predicate_type: TYPES[2] },
  { code: 'image.attachment_unreadable', message: 'too large', predicate_type: SLSA },
);
