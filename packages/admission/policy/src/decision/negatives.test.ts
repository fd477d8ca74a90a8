import type { CertificateIdentity, Subject, VerifiedSignature } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agent,
  attestation,
  BASE,
  CI,
  COMMIT,
  codes,
  DANA,
  decide,
  ISSUER,
  identity,
  image,
  imageSignature,
  OTHER_COMMIT,
  OTHER_SHA256,
  policy,
  REVIEW,
  RUN,
  review,
  run,
  SHA256,
} from '../../test/image-evidence.ts';
import type { NegativesList, NegativesView } from '../negatives/negatives-view.ts';
import { rejectionOf } from '../rejection/rejection.ts';
import type { AdmissionInput } from './decision.ts';

const BOB = 'reviewer:bob@example.com';
const EARLY = '2026-11-21T09:00:00Z';
const NOON = '2026-11-21T12:00:00Z';
const LATE = '2026-11-21T18:00:00Z';
const REJECTION = { ...REVIEW, decision: 'rejected' };
const bobs = (predicate: object) => ({ ...predicate, human_reviewer: 'bob@example.com' });
/** By a certificate that may sign whatever there is: here it is what he says that counts. */
const byBob = identity(BOB, { purpose: 'artifact' });
const about = (sha256: string): Subject[] => [{ digest: { sha256 } }];
const commitOnly: Subject[] = [{ digest: { gitCommit: COMMIT } }];
const good = () => [imageSignature(), review(REVIEW, identity(DANA), undefined, '2026-11-21T10:00:00Z')];

describe('an identity that a policy requires', () => {
  const needsBob = [policy(`require: [{ issuer: ${ISSUER}, subject: "${BOB}" }]`)];
  const needsAgent = [policy(`require: [{ issuer: ${ISSUER}, subject: agent:checker }]`)];
  const needsCi = [policy(`require: [{ issuer: ${CI}, subject: builder }]`)];
  const byCi = identity('builder', { issuer: CI });
  const vsa = (verificationResult: unknown) =>
    attestation(byCi, 'https://slsa.dev/verification_summary/v1', { verificationResult });

  it.each<[string, VerifiedSignature, string[]]>([
    ['a plain signature', imageSignature(byBob), []],
    ['an approving review', review(bobs(REVIEW), byBob), []],
    [
      'an approving review of another base',
      attestation(byBob, 'https://acme.example/agent-review/v1', bobs(REVIEW)),
      [],
    ],
    ['a rejection', review(bobs(REJECTION), byBob), ['review_rejected', 'required_signature_missing']],
    [
      'a rejection of another base',
      attestation(byBob, 'https://acme.example/agent-review/v1', bobs(REJECTION)),
      ['review_rejected', 'required_signature_missing'],
    ],
    [
      'a rejection that names another commit beside the image',
      review(bobs({ ...REJECTION, commit_sha: OTHER_COMMIT }), byBob),
      ['review_rejected', 'required_signature_missing'],
    ],
    [
      'a rejection of another image',
      review(bobs(REJECTION), byBob, about(OTHER_SHA256)),
      ['required_signature_missing'],
    ],
    [
      'an approval of another commit',
      review(bobs({ ...REVIEW, commit_sha: OTHER_COMMIT }), byBob),
      ['required_signature_missing'],
    ],
    ['an approval of another image', review(bobs(REVIEW), byBob, about(OTHER_SHA256)), ['required_signature_missing']],
    ['an approval that names another person', review(REVIEW, byBob), ['required_signature_missing']],
    ['a review that says nothing', review({}, byBob), ['required_signature_missing']],
    ['a run of an agent', run(RUN, byBob), ['required_signature_missing']],
    [
      'a withdrawal',
      attestation(byBob, `${BASE}/review-withdrawal/v1`, {
        rejection: 'a'.repeat(64),
        reason: 'x',
        withdrawn_at: NOON,
      }),
      ['required_signature_missing'],
    ],
    ['a list of rejections', attestation(byBob, `${BASE}/standing-negatives/v1`, {}), ['required_signature_missing']],
  ])('is met or not by what it says: %s', (_title, signature, expected) => {
    expect(codes([...good(), signature], { policies: needsBob })).toEqual(expected);
  });

  it('says by which codes a signature of theirs does not count', () => {
    const decision = decide([...good(), review(bobs({ ...REVIEW, commit_sha: OTHER_COMMIT }), byBob)], {
      policies: needsBob,
    });
    expect(decision.reasons[0]!.found).toBe('admission.review_other_commit');
    const met = decide([...good(), imageSignature(byBob)], { policies: needsBob });
    expect(met.verdicts[0]!.requirements).toMatchObject([
      { rule: `${BOB} of ${ISSUER}`, signatures: [{ certificate_identity: { subject: BOB } }] },
    ]);
  });

  it('is an agent that approves, and no agent reviews', () => {
    const byAgent = agent('agent:checker');
    expect(codes([...good(), imageSignature(byAgent)], { policies: needsAgent })).toEqual([]);
    expect(codes([...good(), review(REVIEW, byAgent)], { policies: needsAgent })).toEqual([
      'required_signature_missing',
    ]);
    expect(codes([...good(), review(REJECTION, byAgent)], { policies: needsAgent })).toEqual([
      'review_rejected',
      'required_signature_missing',
    ]);
    const checked = run({ ...RUN, agent: { name: 'checker', version: '1' } }, byAgent);
    expect(codes([...good(), checked], { policies: needsAgent })).toEqual([]);
    const not = run({ ...RUN, human_review: { approved: false } }, byAgent);
    expect(codes([...good(), not], { policies: needsAgent })).toEqual([
      'run_not_approved',
      'required_signature_missing',
    ]);
  });

  it.each([
    ['PASSED', []],
    ['FAILED', ['verdict_failed', 'required_signature_missing']],
    [undefined, ['verdict_failed', 'required_signature_missing']],
    [['PASSED'], ['verdict_failed', 'required_signature_missing']],
  ])('that verifies builds says %j', (verificationResult, expected) => {
    expect(codes([...good(), vsa(verificationResult)], { policies: needsCi })).toEqual(expected);
  });

  it('speaks of the commit in the agent’s certificate by the letter of the contract too', () => {
    const spec = [policy(`profile: spec\nrequire: [{ issuer: ${ISSUER}, subject: "${BOB}" }]`)];
    const yes = review({ ...bobs(REVIEW), commit_sha: OTHER_COMMIT }, byBob, undefined, EARLY);
    const no = review(bobs(REJECTION), byBob, commitOnly, NOON);
    const inside = [imageSignature(), review(REVIEW, agent()), yes];
    expect(codes(inside, { policies: spec })).toEqual([]);
    expect(codes([...inside, no], { policies: spec })).toEqual(['review_rejected']);
  });

  it('meets nothing by a run that its certificate denies, by the letter of the contract too', () => {
    const needsRun = [
      policy(
        `profile: spec\nrequire: [{ issuer: ${ISSUER}, subject: agent:checker, predicateType: ${BASE}/agent-run/v1 }]`,
      ),
    ];
    const ofChecker = (commit_sha: string) => run({ git: { commit_sha } }, agent('agent:checker'));
    const inside = [imageSignature(), review(REVIEW, agent())];
    expect(codes([...inside, ofChecker(COMMIT)], { policies: needsRun })).toEqual([]);
    expect(codes([...inside, ofChecker(OTHER_COMMIT)], { policies: needsRun })).toEqual(['required_signature_missing']);
  });

  it('says why a signature of theirs does not count', () => {
    const found = (signature: VerifiedSignature, policies = needsBob) =>
      decide([...good(), signature], { policies }).reasons.find(({ code }) =>
        code.endsWith('required_signature_missing'),
      )!.found;
    expect(found(attestation(byBob, `${BASE}/standing-negatives/v1`, {}))).toBe('a statement about other statements');
    expect(found(review(bobs(REJECTION), byBob))).toBe('a negative statement');
    expect(found(review(REVIEW, agent('agent:checker')), needsAgent)).toBe('admission.review_signed_by_agent');
    expect(decide(good(), { policies: needsBob }).reasons[0]).not.toHaveProperty('found');
    const failed = decide([...good(), vsa('FAILED')], { policies: needsCi }).reasons[0]!;
    expect(failed.expected).toBe('https://slsa.dev/verification_summary/v1 that passed');
  });

  it('is judged by the types that the policy itself names', () => {
    const own = [
      policy(
        `review: { predicateType: https://acme.example/code-review }\nnegatives: none\nrequire: [{ issuer: ${ISSUER}, subject: "${BOB}" }]`,
      ),
    ];
    const by = (who: CertificateIdentity, predicate: object) =>
      attestation(who, 'https://acme.example/code-review', predicate);
    const inside = [imageSignature(), by(identity(DANA), REVIEW)];
    expect(codes([...inside, by(byBob, bobs(REVIEW))], { policies: own })).toEqual([]);
    expect(codes([...inside, by(byBob, bobs(REJECTION))], { policies: own })).toEqual([
      'review_rejected',
      'required_signature_missing',
    ]);
    expect(codes([...inside, by(byBob, {})], { policies: own })).toEqual(['required_signature_missing']);
  });

  it('may be an agent that reviews and runs by the letter of the contract', () => {
    const policies = [policy(`profile: spec\nrequire: [{ issuer: ${ISSUER}, subject: agent:checker }]`)];
    const inside = [imageSignature(), review(REVIEW, agent())];
    expect(codes([...inside, review(REVIEW, agent('agent:checker'))], { policies })).toEqual([]);
    expect(codes([...inside, run({}, agent('agent:checker'))], { policies })).toEqual([]);
  });

  it('is judged by what it says also under the letter of the contract', () => {
    const policies = [policy(`profile: spec\nrequire: [{ issuer: ${ISSUER}, subject: "${BOB}" }]`)];
    const inside = [imageSignature(), review(REVIEW, agent())];
    expect(codes([...inside, imageSignature(byBob)], { policies })).toEqual([]);
    expect(codes([...inside, review(bobs(REJECTION), byBob)], { policies })).toContain('review_rejected');
  });
});

describe('a rejection', () => {
  const rejected = (subject?: Subject[], time = NOON, by = byBob, predicate: object = bobs(REJECTION)) =>
    review(predicate, by, subject, time);
  const approved = (time: string, by = byBob, predicate: object = bobs(REVIEW)) =>
    review(predicate, by, undefined, time);

  it.each<[string, VerifiedSignature[], string[]]>([
    ['names the image', [rejected()], ['review_rejected']],
    ['names nothing but the commit that the image was made from', [rejected(commitOnly)], ['review_rejected']],
    [
      'names the commit in its predicate only',
      [rejected([{ name: 'the change', digest: { gitTree: 'x' } }])],
      ['review_rejected'],
    ],
    [
      'names nothing but another commit',
      [
        rejected(
          [{ digest: { gitCommit: OTHER_COMMIT } }],
          NOON,
          byBob,
          bobs({ ...REJECTION, commit_sha: OTHER_COMMIT }),
        ),
      ],
      [],
    ],
    ['names another image of the commit', [rejected([...about(OTHER_SHA256), ...commitOnly])], []],
    ['was taken back', [rejected(), approved(LATE)], []],
    ['was taken back, read in the other order', [approved(LATE), rejected()], []],
    ['was signed in the same second as an approval', [rejected(), approved(NOON)], ['review_rejected']],
    ['came after an approval', [rejected(), approved(EARLY)], ['review_rejected']],
    ['of the commit alone was taken back', [rejected(commitOnly), approved(LATE)], []],
    [
      'was followed by an approval of another commit',
      [rejected(commitOnly), approved(LATE, byBob, bobs({ ...REVIEW, commit_sha: OTHER_COMMIT }))],
      ['review_rejected'],
    ],
    ['was followed by a malformed approval', [rejected(), approved(LATE, byBob, {})], ['review_rejected']],
    [
      'was followed by somebody else’s approval',
      [rejected(), approved(LATE, identity(DANA), REVIEW)],
      ['review_rejected'],
    ],
    [
      'was followed by an approval that was signed before and logged again',
      [
        rejected(undefined, NOON, byBob, bobs(REJECTION)),
        { ...approved(LATE, byBob, bobs(REVIEW)), certified_at: EARLY },
      ],
      ['review_rejected'],
    ],
    [
      'is by nobody whom the policy names',
      [rejected(undefined, NOON, identity('reviewer:x@evil.example', { issuer: CI }))],
      [],
    ],
  ])('that %s', (_title, more, expected) => {
    expect(codes([...good(), ...more])).toEqual(expected);
  });

  it('is one person’s, though a service signs for several', () => {
    const policies = [policy('review: { subjectRegExp: "reviews:issuer\\\\.example|reviewer:.*" }')];
    const service = (human_reviewer: string) => identity('reviews:issuer.example', { claims: { human_reviewer } });
    const dana = 'dana@example.com';
    const rejection = rejected(undefined, NOON, service('bob@example.com'));
    const byDana = review(REVIEW, service(dana), undefined, LATE);
    expect(codes([imageSignature(), rejection, byDana], { policies })).toEqual(['review_rejected']);
    const byBobHimself = approved(LATE);
    expect(codes([imageSignature(), rejection, byDana, byBobHimself], { policies })).toEqual([]);
    const byTheService = approved(LATE, service('bob@example.com'));
    expect(codes([imageSignature(), rejection, byTheService], { policies })).toEqual([]);
  });

  it('covers an index whose manifest it names', () => {
    const child = `sha256:${OTHER_SHA256}`;
    const more = { image: { ...image, manifests: [child] } };
    expect(codes([...good(), rejected(about(OTHER_SHA256))], more)).toEqual(['review_rejected']);
    expect(codes([...good(), rejected(about(OTHER_SHA256))])).toEqual([]);
  });

  it('of a commit finds it wherever somebody whom the policy names writes it', () => {
    const SOURCE = 'ab'.repeat(20);
    const ci = [policy(`require: [{ issuer: ${CI}, subject: builder }]`)];
    const built = (predicate: unknown) =>
      attestation(identity('builder', { issuer: CI }), 'https://slsa.dev/provenance/v1', predicate);
    const elsewhere = rejected([{ digest: { gitCommit: SOURCE } }], NOON, byBob, {
      ...bobs(REJECTION),
      commit_sha: SOURCE,
    });
    for (const predicate of [
      { buildDefinition: { resolvedDependencies: [null, { digest: { gitCommit: SOURCE } }] } },
      { materials: [{}, { digest: { sha1: SOURCE.toUpperCase() } }] },
    ]) {
      expect(codes([...good(), built(predicate), elsewhere], { policies: ci })).toEqual(['review_rejected']);
    }
    expect(codes([...good(), built({ buildDefinition: 1, materials: {} }), elsewhere], { policies: ci })).toEqual([]);
    // Whoever the policy does not name says nothing about where the image comes from.
    expect(codes([...good(), built({ materials: [{ digest: { sha1: SOURCE } }] }), elsewhere])).toEqual([]);
  });

  const byAny = (more = '', beside = '') => ({
    policies: [
      policy(`review: { issuer: ${ISSUER}, subjectRegExp: "reviewer:[^@]+@example[.]com"${more} }\n${beside}`),
    ],
  });
  const ACME = 'https://acme.example/agent-review/v1';
  const later = (predicate: object, type = `${BASE}/agent-review/v1`) =>
    attestation(byBob, type, bobs(predicate), undefined, LATE);

  it.each<[string, { policies: ReturnType<typeof policy>[] }, VerifiedSignature, boolean]>([
    ['that is long enough', byAny(', minDurationSeconds: 60'), later({ ...REVIEW, review_duration_seconds: 60 }), true],
    ['that is too short', byAny(', minDurationSeconds: 60'), later({ ...REVIEW, review_duration_seconds: 1 }), false],
    ['that meets a condition', byAny(`, conditions: ["predicate.ok == 'x'"]`), later({ ...REVIEW, ok: 'x' }), true],
    ['that meets none', byAny(`, conditions: ["predicate.ok == 'x'"]`), later({ ...REVIEW, ok: 'y' }), false],
    ['of another commit', byAny(), later({ ...REVIEW, commit_sha: OTHER_COMMIT }), false],
    ['of a time to come', byAny(), later({ ...REVIEW, review_timestamp: '2030-01-01T00:00:00Z' }), false],
    ['that is too old to admit', byAny(', maxAge: 1s'), later(REVIEW), true],
    ['under a base of somebody’s own', byAny(), later(REVIEW, ACME), false],
  ])('is taken back by an approval %s: %#', (_title, policies, approval, isTaken) => {
    const danas = review({ ...REVIEW, review_duration_seconds: 90, ok: 'x' }, identity(DANA), undefined, LATE);
    const found = codes([imageSignature(), danas, rejected(), approval], {
      ...policies,
      nowSeconds: Date.parse(LATE) / 1000,
    });
    expect(found.includes('review_rejected')).toBe(!isTaken);
  });

  it('that a rule with a type of its own hears is taken back by an approval of that type alone', () => {
    const asked = {
      policies: [
        policy(
          `review: { issuer: ${ISSUER}, subject: "${DANA}" }\nrequire: [{ issuer: ${ISSUER}, subject: "${BOB}", predicateType: "${ACME}" }]`,
        ),
      ],
    };
    const standing = (...more: VerifiedSignature[]) => codes([...good(), rejected(), ...more], asked);
    expect(standing()).toContain('review_rejected');
    expect(standing(later(REVIEW))).toContain('review_rejected');
    expect(standing(later(REVIEW, ACME))).toEqual([]);
  });

  it('has conditions looked at for nobody whom no rule names, nor where there is nothing to take back', () => {
    const asked: unknown[] = [];
    const [read] = byAny().policies;
    const evaluate = ({ certificate }: { certificate: CertificateIdentity }) => {
      asked.push(certificate.issuer);
      return { ok: true, value: true } as const;
    };
    const conditions = [{ text: 'counted', evaluate }] as never;
    const policies = [{ ...read!, review: { ...read!.review, conditions } }];
    const stranger = attestation(
      identity(BOB, { issuer: CI }),
      `${BASE}/agent-review/v1`,
      bobs(REVIEW),
      undefined,
      LATE,
    );
    expect(codes([...good(), stranger], { policies })).toEqual([]);
    expect(asked).toEqual([ISSUER]);
    expect(codes([...good(), rejected(), stranger], { policies })).toEqual(['review_rejected']);
    expect(asked).toEqual([ISSUER, ISSUER]);
  });

  it('that two rules hear is taken back by what counts for both', () => {
    const asked = byAny('', `require: [{ issuer: ${ISSUER}, subject: "${BOB}", predicateType: "${ACME}" }]`);
    const standing = (...more: VerifiedSignature[]) => codes([...good(), rejected(), ...more], asked);
    expect(standing(later(REVIEW))).toContain('review_rejected');
    expect(standing(later(REVIEW, ACME))).toContain('review_rejected');
    expect(standing(later(REVIEW), later(REVIEW, ACME))).toEqual([]);
  });

  it('is taken back in no other spelling than the one that the rule names', () => {
    const asked = {
      policies: [
        policy(
          `review: { issuer: ${ISSUER}, subject: "${DANA}" }\nrequire: [{ issuer: ${ISSUER}, subject: "${BOB}" }]`,
        ),
      ],
    };
    const approvedAs = (address: string) =>
      attestation(
        identity(`reviewer:${address}`),
        `${BASE}/agent-review/v1`,
        { ...REVIEW, human_reviewer: address },
        undefined,
        LATE,
      );
    const standing = (address: string) => codes([...good(), rejected(), approvedAs(address)], asked);
    expect(standing('Bob@example.com')).toContain('review_rejected');
    expect(standing('bob@example.com')).toEqual([]);
  });

  it('may stand in what cannot be read, if its signer is named and its type can say no', () => {
    const unread = (signer?: CertificateIdentity, predicate_type?: string) => ({
      rejected: [
        {
          code: 'statement.malformed',
          message: 'x',
          ...(signer && { signer }),
          ...(predicate_type && { predicate_type }),
        },
      ],
    });
    const type = `${BASE}/agent-review/v1`;
    expect(codes(good(), unread(identity(DANA), type))).toEqual(['evidence_incomplete']);
    expect(codes(good(), unread(identity('reviewer:Dana@Example.com'), 'unknown'))).toEqual(['evidence_incomplete']);
    expect(codes(good(), unread(identity(DANA)))).toEqual(['evidence_incomplete']);
    expect(codes(good(), unread(identity(DANA), 'https://cyclonedx.org/bom'))).toEqual([]);
    expect(codes(good(), unread(identity('reviewer:mallory@example.com', { issuer: CI }), type))).toEqual([]);
    expect(codes(good(), unread(undefined, type))).toEqual([]);
  });

  it('counts where only its time is missing, if it is about the image, and no later yes ends it', () => {
    const type = 'https://slsa.dev/verification_summary/v1';
    const untimed = (signer: CertificateIdentity, predicate: object, subject?: Subject[]) => {
      const { statement } = attestation(signer, type, predicate, subject) as Required<VerifiedSignature>;
      return { rejected: [{ code: 'timestamp.missing', message: 'x', predicate_type: type, signer, statement }] };
    };
    const no = { verificationResult: 'FAILED' };
    const later = attestation(identity(DANA), type, { verificationResult: 'PASSED' }, undefined, LATE);
    expect(codes([...good(), later], untimed(identity(DANA), no))).toEqual(['verdict_failed']);
    expect(codes(good(), untimed(identity(DANA), no, commitOnly))).toEqual(['verdict_failed']);
    expect(codes(good(), untimed(identity(DANA), no, []))).toEqual(['verdict_failed']);
    expect(codes(good(), untimed(identity(DANA), no, about(OTHER_SHA256)))).toEqual([]);
    expect(codes(good(), untimed(identity(DANA), { verificationResult: 'PASSED' }))).toEqual([]);
    expect(codes(good(), untimed(identity('reviewer:mallory@example.com', { issuer: CI }), no))).toEqual([]);
  });

  it('is withdrawn by no person of another domain than those that the policy names', () => {
    const id = 'e'.repeat(64);
    const may = `, domains: [example.com], mayWithdraw: [{ issuer: ${ISSUER}, subjectRegExp: "reviewer:lead@.+" }, { issuer: ${CI}, subject: desk }]`;
    const withdrawnBy = (signer: CertificateIdentity) => {
      const predicate = { rejection: id, reason: 'left', withdrawn_at: LATE };
      const withdrawal = attestation(signer, `${BASE}/review-withdrawal/v1`, predicate);
      return codes([...good(), { ...rejected(), bundle_digest: `sha256:${id}` }, withdrawal], byAny(may));
    };
    expect(withdrawnBy(identity('reviewer:lead@other.example'))).toEqual(['review_rejected']);
    expect(withdrawnBy(identity('reviewer:lead@example.com'))).toEqual([]);
    expect(withdrawnBy(identity('desk', { issuer: CI }))).toEqual([]);
  });

  it('is withdrawn by its id, by whom the policy allows, and the image still needs a review', () => {
    const id = 'e'.repeat(64);
    const LEAD = 'reviewer:lead@example.com';
    const policies = [policy(`review: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "${LEAD}" }] }`)];
    const rejection = { ...rejected(), bundle_digest: `sha256:${id}` };
    const withdrawal = (of: string, by: CertificateIdentity, predicate?: unknown) =>
      attestation(
        by,
        `${BASE}/review-withdrawal/v1`,
        predicate ?? { rejection: of, reason: 'bob left, and the finding was wrong', withdrawn_at: LATE },
      );
    const lead = identity(LEAD);
    expect(codes([...good(), rejection, withdrawal(id, lead)], { policies })).toEqual([]);
    expect(codes([imageSignature(), rejection, withdrawal(id, lead)], { policies })).toEqual(['review_missing']);
    for (const other of [
      withdrawal('f'.repeat(64), lead),
      withdrawal(id, identity('reviewer:eve@example.com')),
      withdrawal(id, { ...lead, issuer: CI }),
      withdrawal(id, lead, { rejection: id, withdrawn_at: LATE }),
      attestation(lead, 'https://x.example', { rejection: id, reason: 'x', withdrawn_at: LATE }),
    ]) {
      expect(codes([...good(), rejection, other], { policies })).toEqual(['review_rejected']);
    }
    expect(codes([...good(), rejection, withdrawal(id, lead)])).toEqual(['review_rejected']);
    expect(codes([...good(), rejected(), withdrawal(id, lead)], { policies })).toEqual(['review_rejected']);
  });

  it('by whom the letter of the contract does not ask refuses nothing there', () => {
    const policies = [policy(`profile: spec\nrequire: [{ issuer: ${ISSUER}, subject: "${BOB}" }]`)];
    const inside = [imageSignature(), review(REVIEW, agent()), imageSignature(byBob)];
    expect(codes([...inside, review(REJECTION, identity(DANA))], { policies })).toEqual([]);
  });

  it('of a commit finds it in the certificate alone', () => {
    const certified = imageSignature(agent('agent:writer', { commit_sha: OTHER_COMMIT }));
    const ofOther = rejected([{ digest: { gitCommit: OTHER_COMMIT } }], NOON, byBob, {
      ...bobs(REJECTION),
      commit_sha: OTHER_COMMIT,
    });
    expect(codes([certified, review({ ...REVIEW, commit_sha: OTHER_COMMIT }), ofOther])).toEqual(['review_rejected']);
    const upper = imageSignature(agent('agent:writer', { commit_sha: 'A'.repeat(40) }));
    const ofLower = rejected([{ digest: { gitCommit: 'a'.repeat(40) } }], NOON, byBob, bobs({ decision: 'rejected' }));
    expect(codes([imageSignature(), upper, review(), ofLower])).toContain('review_rejected');
    expect(codes([imageSignature(), review(), ofLower])).toEqual([]);
  });

  it('is not withdrawn by an agent, whatever a policy lets through, but by the letter of the contract', () => {
    const id = 'e'.repeat(64);
    const byAgent = attestation(agent('agent:checker'), `${BASE}/review-withdrawal/v1`, {
      rejection: id,
      reason: 'x',
      withdrawn_at: LATE,
    });
    const rejection = { ...rejected(), bundle_digest: `sha256:${id}` };
    const lax = (profile: string) => {
      const read = policy(`profile: ${profile}\nrequire: [{ issuer: ${ISSUER}, subject: "${BOB}" }]`);
      return [{ ...read, review: { ...read.review, mayWithdraw: [{ ...read.agent, accepts: () => true }] } }];
    };
    const strict = [...good(), imageSignature(byBob), rejection, byAgent];
    const [reason] = decide(strict, { policies: lax('strict') }).reasons;
    expect(reason).toMatchObject({ code: 'admission.review_rejected', found: `${BOB}, rejection ${id}` });
    const spec = [imageSignature(), review(REVIEW, agent()), imageSignature(byBob), rejection, byAgent];
    expect(codes(spec, { policies: lax('spec') })).toEqual([]);
  });

  it('that was withdrawn brings back no approval that its reviewer gave before', () => {
    const id = 'e'.repeat(64);
    const LEAD = 'reviewer:lead@example.com';
    const policies = [policy(`review: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "${LEAD}" }] }`)];
    const withdrawal = attestation(identity(LEAD), `${BASE}/review-withdrawal/v1`, {
      rejection: id,
      reason: 'bob left',
      withdrawn_at: LATE,
    });
    const before = [imageSignature(), approved(EARLY), { ...rejected(), bundle_digest: `sha256:${id}` }, withdrawal];
    expect(codes(before, { policies })).toEqual(['review_missing']);
    const decision = decide([...before, review()], { policies });
    expect(decision.admitted).toBe(true);
    expect(decision.verdicts[0]!.withdrawn_rejections).toMatchObject([{ id, subject: BOB }]);
  });

  it('of two reviewers, both withdrawn, brings back no approval of either', () => {
    const LEAD = 'reviewer:lead@example.com';
    const policies = [policy(`review: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "${LEAD}" }] }`)];
    const byDana = review(REJECTION, identity(DANA), undefined, NOON);
    const [bobsId, danasId] = ['e'.repeat(64), 'd'.repeat(64)];
    const withdrawalOf = (rejection: string) =>
      attestation(identity(LEAD), `${BASE}/review-withdrawal/v1`, { rejection, reason: 'x', withdrawn_at: LATE });
    const both = [
      { ...rejected(), bundle_digest: `sha256:${bobsId}` },
      { ...byDana, bundle_digest: `sha256:${danasId}` },
      ...[bobsId, danasId].map(withdrawalOf),
    ];
    const danas = review(REVIEW, identity(DANA), undefined, EARLY);
    expect(codes([imageSignature(), approved(EARLY), danas, ...both], { policies })).toEqual(['review_missing']);
  });

  it('that names nothing that is known is about what it is attached to', () => {
    const unknown: Subject[][] = [[{ digest: { sha512: 'a'.repeat(128) } }], [{ digest: { gitTree: COMMIT } }]];
    for (const subject of unknown) {
      const { commit_sha: _, ...silent } = bobs(REJECTION) as Record<string, unknown>;
      expect(codes([...good(), review(silent, byBob, subject, NOON)])).toEqual(['review_rejected']);
    }
    const { commit_sha: _, ...silent } = bobs(REJECTION) as Record<string, unknown>;
    const bySha1 = review(silent, byBob, [{ digest: { sha1: COMMIT } }], NOON);
    expect(codes([...good(), bySha1])).toEqual(['review_rejected']);
    const other = review(silent, byBob, [{ digest: { sha1: OTHER_COMMIT } }], NOON);
    expect(codes([...good(), other])).toEqual([]);
  });

  it.each(['no', 'false', 0, 'true', [], {}])(
    'of a run is whatever stands for approved and is not true: %j',
    (approved) => {
      expect(codes([...good(), run({ ...RUN, human_review: { approved } })])).toEqual(['run_not_approved']);
    },
  );

  it('of a run is taken back by nobody’s review', () => {
    const disapproved = run(
      { ...RUN, human_review: { approved: false } },
      agent('agent:writer', {
        commit_sha: COMMIT,
        human_reviewer: 'dana@example.com',
      }),
    );
    const approvals = [review(REVIEW, identity(DANA), undefined, LATE)];
    expect(codes([imageSignature(), disapproved, ...approvals])).toEqual(['run_not_approved']);
  });
});

describe('what was not seen', () => {
  const unread = [{ code: 'image.attachment_too_large', message: 'not fetched' }];

  it('refuses an image that all that was seen would admit', () => {
    expect(codes(good(), { incomplete: unread })).toEqual(['evidence_incomplete']);
    expect(codes(good(), { incomplete: [] })).toEqual([]);
    const [reason] = decide(good(), { incomplete: unread }).reasons;
    expect(reason!.found).toBe('image.attachment_too_large: not fetched');
  });

  it('counts among what is looked at', () => {
    expect(codes([], { incomplete: Array.from({ length: 1001 }, () => unread[0]!) })).toEqual(['too_many_signatures']);
  });

  it('is told from what was read and does not verify: that is no word', () => {
    const rejected = [{ code: 'signature.invalid', message: 'forged', predicate_type: `${BASE}/agent-review/v1` }];
    expect(codes(good(), { rejected })).toEqual([]);
  });
});

const listed = (difference: Partial<NegativesList> = {}): NegativesList => ({
  from: 'https://evidence.example/negatives',
  sequence: 7,
  time: LATE,
  rejections: [],
  withdrawals: [],
  ...difference,
});
const rejectionOfBob = (difference: object = {}): NegativesList['rejections'][number] => ({
  id: 'e'.repeat(64),
  person: { issuer: ISSUER, address: 'bob@example.com' },
  subject: BOB,
  certificate_identity: byBob,
  content: 'c'.repeat(64),
  integrated_at: NOON,
  images: [`sha256:${SHA256}`],
  commits: [COMMIT],
  ...difference,
});
const withList = (list: Partial<NegativesList>): Partial<AdmissionInput> => ({
  negatives: () => ({ kind: 'list', list: listed(list) }),
});

describe('the list of standing rejections', () => {
  it('says in the verdict where rejections were looked for', () => {
    expect(decide(good()).verdicts[0]).not.toHaveProperty('rejection_list');
    expect(decide(good(), withList({})).verdicts[0]!.rejection_list).toEqual({
      from: 'https://evidence.example/negatives',
      sequence: 7,
      signed_at: LATE,
    });
  });

  it.each<[string, object, VerifiedSignature[], string[]]>([
    ['names the image', {}, [], ['review_rejected']],
    ['names nothing but the commit', { images: [] }, [], ['review_rejected']],
    ['names another image', { images: [`sha256:${OTHER_SHA256}`] }, [], []],
    ['names nothing but another commit', { images: [], commits: [OTHER_COMMIT] }, [], []],
    [
      'is of somebody whom the policy does not name',
      { certificate_identity: identity('reviewer:x@x.example', { issuer: CI }) },
      [],
      [],
    ],
    ['is older than an approval of the same person', {}, [review(bobs(REVIEW), byBob, undefined, LATE)], []],
    ['is younger than an approval', {}, [review(bobs(REVIEW), byBob, undefined, EARLY)], ['review_rejected']],
    ['is attached to the image too', {}, [review(bobs(REJECTION), byBob, undefined, NOON)], ['review_rejected']],
  ])('refuses an image from whose registry it is gone: it %s', (_title, difference, more, expected) => {
    const found = codes([...good(), ...more], withList({ rejections: [rejectionOfBob(difference)] }));
    expect([...new Set(found)]).toEqual(expected);
  });

  it.each<[string, Parameters<typeof identity>, string[]]>([
    ['the policy names', [BOB], ['rejections_incomplete']],
    ['it names as the agent', ['agent:writer'], ['rejections_incomplete']],
    ['it names elsewhere', [BOB, { issuer: CI }], []],
    ['it does not name', ['builder'], []],
  ])(
    'that holds not all rejections of somebody whom %s refuses where it names them, and nobody else',
    (_title, who, expected) => {
      const certificate_identity = identity(...who);
      const overflows = [{ person: { issuer: ISSUER, address: 'somebody@example.com' }, certificate_identity }];
      expect(codes(good(), withList({ overflows }))).toEqual(expected);
      expect(codes(good(), withList({ overflows: [] }))).toEqual([]);
    },
  );

  it('holds withdrawals, which count as the policy says', () => {
    const LEAD = 'reviewer:lead@example.com';
    const may = [policy(`review: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "${LEAD}" }] }`)];
    const list = {
      rejections: [rejectionOfBob()],
      withdrawals: [{ rejection: 'e'.repeat(64), certificate_identity: identity(LEAD) }],
    };
    expect(codes(good(), { ...withList(list), policies: may })).toEqual([]);
    expect(codes(good(), withList(list))).toEqual(['review_rejected']);
  });

  it('and the registry may hold copies of one rejection, which are one word', () => {
    const LEAD = 'reviewer:lead@example.com';
    const may = [policy(`review: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "${LEAD}" }] }`)];
    const attachedAt = (time: string, id: string) => ({
      ...review(bobs(REJECTION), byBob, undefined, time),
      certified_at: EARLY,
      bundle_digest: `sha256:${id}`,
    });
    const ONE = 'a'.repeat(64);
    const content = rejectionOf(attachedAt(NOON, ONE))?.content;
    const inList = (time: string, more: Partial<NegativesList> = {}) =>
      withList({ rejections: [rejectionOfBob({ content, integrated_at: time })], ...more });
    const approval = review(bobs(REVIEW), byBob, undefined, NOON);

    const [reason, ...others] = decide([...good(), attachedAt(LATE, ONE)], inList(NOON)).reasons;
    expect([reason?.code, reason?.found, others]).toEqual([
      'admission.review_rejected',
      `${BOB}, rejection ${'e'.repeat(64)}`,
      [],
    ]);
    // As early as the earliest of them, wherever that is.
    for (const [attached, listedAt] of [
      [LATE, EARLY],
      [EARLY, LATE],
    ] as const) {
      expect(codes([...good(), attachedAt(attached, ONE), approval], inList(listedAt))).toEqual([]);
    }
    expect(codes([...good(), attachedAt(LATE, ONE), approval], inList(LATE))).toEqual(['review_rejected']);
    // Whichever of them somebody withdrew.
    for (const rejection of [ONE, 'e'.repeat(64)]) {
      const withdrawals = [{ rejection, certificate_identity: identity(LEAD) }];
      const input = { ...inList(NOON, { withdrawals }), policies: may };
      const decision = decide([...good(), attachedAt(LATE, ONE), attachedAt(LATE, 'b'.repeat(64))], input);
      expect(decision.reasons).toEqual([]);
      expect(decision.verdicts[0]!.withdrawn_rejections).toMatchObject([{ id: 'e'.repeat(64), integrated_at: NOON }]);
    }
    expect(codes([...good(), attachedAt(LATE, 'b'.repeat(64))], { ...inList(NOON), policies: may })).toEqual([
      'review_rejected',
    ]);
  });

  it('withdraws by its id what names nothing that is known, and is attached to the image', () => {
    const LEAD = 'reviewer:lead@example.com';
    const may = [policy(`review: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "${LEAD}" }] }`)];
    const { commit_sha: _, ...silent } = bobs(REJECTION) as Record<string, unknown>;
    const attached = review(silent, byBob, [{ digest: { sha512: 'a'.repeat(128) } }], NOON);
    const copy = rejectionOfBob({ content: rejectionOf(attached)?.content, images: [], commits: [] });
    const inList = (withdrawals: NegativesList['withdrawals']) => ({
      ...withList({ rejections: [copy], withdrawals }),
      policies: may,
    });
    expect(codes([...good(), attached], inList([]))).toEqual(['review_rejected']);
    const withdrawal = { rejection: copy.id as string, certificate_identity: identity(LEAD) };
    expect(codes([...good(), attached], inList([withdrawal]))).toEqual([]);
    expect(codes(good(), inList([]))).toEqual([]);
  });

  it('holds no copy of what the same person signed again', () => {
    const signed = (time: string) => ({
      ...review(bobs(REJECTION), byBob, undefined, time),
      bundle_digest: `sha256:${'a'.repeat(64)}`,
    });
    const rejections = [rejectionOfBob({ content: rejectionOf(signed(EARLY))?.content, integrated_at: EARLY })];
    const approval = review(bobs(REVIEW), byBob, undefined, NOON);
    expect(codes([...good(), signed(EARLY), approval], withList({ rejections }))).toEqual([]);
    expect(codes([...good(), signed(LATE), approval], withList({ rejections }))).toEqual(['review_rejected']);
  });

  it('that cannot be had refuses', () => {
    const view: NegativesView = { kind: 'incomplete', from: 'https://evidence.example', message: 'too old' };
    const decision = decide(good(), { negatives: () => view });
    expect(decision.reasons.map(({ code, found }) => [code, found])).toEqual([
      ['admission.rejections_incomplete', 'https://evidence.example: too old'],
    ]);
    expect(decision.verdicts[0]!.rejection_list).toEqual({ from: 'https://evidence.example', incomplete: 'too old' });
  });

  it('is not asked for by the letter of the contract, but for identities that it requires', () => {
    const view: NegativesView = { kind: 'incomplete', from: 'https://evidence.example', message: 'too old' };
    const inside = [imageSignature(), review(REVIEW, agent()), imageSignature(byBob)];
    const spec = [policy('profile: spec')];
    expect(codes(inside, { policies: spec, negatives: () => view })).toEqual([]);
    const requiring = [policy(`profile: spec\nrequire: [{ issuer: ${ISSUER}, subject: "${BOB}" }]`)];
    expect(codes(inside, { policies: requiring, negatives: () => view })).toEqual(['rejections_incomplete']);
  });
});

describe('laws of evidence', () => {
  const LEAD = 'reviewer:lead@example.com';
  const policies = [
    policy(
      `review: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "${LEAD}" }] }\nrequire: [{ issuer: ${ISSUER}, subject: "${BOB}" }]`,
    ),
  ];
  const who = fc.constantFrom(
    identity(DANA),
    byBob,
    identity(LEAD),
    agent(),
    identity('reviewer:x@x.example', { issuer: CI }),
  );
  const when = fc.constantFrom(EARLY, '2026-11-21T10:00:00Z', NOON, LATE);
  const what = fc.constantFrom<Subject[]>(about(SHA256), about(OTHER_SHA256), commitOnly, [
    ...about(SHA256),
    ...commitOnly,
  ]);
  const named = (by: CertificateIdentity, predicate: object) => ({
    ...predicate,
    human_reviewer: by.subject.replace('reviewer:', ''),
  });
  const rejections = fc
    .tuple(who, when, what)
    .map(([by, time, subject]) => review(named(by, REJECTION), by, subject, time));
  const approvals = fc
    .tuple(who, when, what)
    .map(([by, time, subject]) => review(named(by, REVIEW), by, subject, time));
  const others = fc.oneof(
    who.map((by) => run({ human_review: { approved: false } }, by)),
    who.map((by) => run(RUN, by)),
    fc.tuple(who, fc.jsonValue()).map(([by, predicate]) => attestation(by, 'https://x.example', predicate)),
    fc.tuple(who, fc.jsonValue()).map(([by, predicate]) => review(predicate, by)),
  );
  /** What lends no new affirmation: rejections, and statements that are neither signatures, runs nor reviews. */
  const noAffirmation = fc.oneof(
    rejections,
    who.map((by) => run({ human_review: { approved: false } }, by)),
    fc
      .tuple(who, fc.jsonValue())
      .map(([by, predicate]) => attestation(by, 'https://slsa.dev/verification_summary/v1', predicate)),
  );
  const evidence = fc
    .array(fc.oneof(rejections, approvals, others), { maxLength: 6 })
    .map((more) => [...good(), imageSignature(byBob), ...more]);

  it('adding evidence that affirms nothing never admits what was refused', () => {
    fc.assert(
      fc.property(evidence, fc.array(noAffirmation, { minLength: 1, maxLength: 4 }), (all, more) => {
        const before = decide(all, { policies }).admitted;
        const after = decide([...all, ...more], { policies }).admitted;
        expect(!before && after).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('a word from outside the policy changes nothing, and order never matters', () => {
    fc.assert(
      fc.property(
        evidence.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          expect(decide(shuffled, { policies }).admitted).toBe(decide(all, { policies }).admitted);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('withholding reviews never admits what was refused where the list holds the rejections', () => {
    const list = (all: readonly VerifiedSignature[]): Partial<AdmissionInput> => {
      const standing = all.flatMap((one, index) => {
        const predicate = one.statement?.predicate as { decision?: string } | null | undefined;
        if (predicate?.decision !== 'rejected') return [];
        const digests = one.statement!.subject.map(({ digest }) => digest);
        return [
          {
            id: index.toString(16).padStart(64, '0'),
            person: {
              issuer: one.certificate_identity.issuer,
              address: one.certificate_identity.subject.replace('reviewer:', ''),
            },
            subject: one.certificate_identity.subject,
            certificate_identity: one.certificate_identity,
            content: rejectionOf(one)?.content ?? index.toString(16).padStart(64, '0'),
            integrated_at: one.log_entry.integrated_at,
            images: digests.flatMap(({ sha256 }) => (sha256 === undefined ? [] : [`sha256:${sha256}`])),
            commits: [COMMIT],
          },
        ];
      });
      return withList({ rejections: standing });
    };
    const words = fc.array(fc.oneof(rejections, approvals), { maxLength: 6 });
    fc.assert(
      fc.property(
        words.chain((more) => fc.tuple(fc.constant(more), fc.subarray(more))),
        ([more, seen]) => {
          const inside = [...good(), imageSignature(byBob)];
          const all = { ...list(more), policies };
          const before = decide([...inside, ...more], all).admitted;
          const after = decide([...inside, ...seen], all).admitted;
          expect(!before && after).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});
