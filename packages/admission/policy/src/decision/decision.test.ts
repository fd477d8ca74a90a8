import type { CertificateIdentity, VerifiedSignature } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agent,
  attestation,
  BASE,
  CI,
  COMMIT,
  COSIGN,
  codes,
  DANA,
  decide,
  ISSUER,
  identity,
  image,
  imageSignature,
  log,
  OTHER_COMMIT,
  OTHER_SHA256,
  policy,
  REVIEW,
  RUN,
  review,
  run,
  runAt,
  SHA256,
} from '../../test/image-evidence.ts';
import type { Policy } from '../policy/policy.ts';
import { coveringPolicies, MAX_SIGNATURES, refuseUncovered } from './decision.ts';

describe('an image signed by an approved agent and reviewed by a person', () => {
  it('is admitted, and the decision says by which signatures', () => {
    const signature = imageSignature();
    const approval = review();
    const decision = decide([signature, approval]);
    expect(decision).toEqual({
      admitted: true,
      reasons: [],
      warnings: [],
      verdicts: [
        {
          policy: 'production',
          mode: 'enforce',
          profile: 'strict',
          admitted: true,
          reasons: [],
          agent_signatures: [signature],
          reviews: [approval],
          requirements: [],
          withdrawn_rejections: [],
          contradictions: [],
          differences: [],
        },
      ],
    });
  });

  it.each([
    ['a cosign bundle', attestation(agent(), COSIGN, {})],
    ['an agent-run statement', run(RUN)],
  ])('is admitted when its signature is %s', (_title, signature) => {
    expect(codes([signature, review()])).toEqual([]);
  });

  it.each([
    ['as a gitCommit subject', { ...REVIEW, commit_sha: undefined }, COMMIT],
    ['in both places', REVIEW, COMMIT],
  ])('is admitted when the review names the commit %s', (_title, predicate, gitCommit) => {
    const { commit_sha, ...rest } = predicate;
    const subject = [{ digest: { sha256: SHA256 } }, { digest: { gitCommit } }];
    const written = commit_sha === undefined ? rest : { ...rest, commit_sha };
    expect(codes([imageSignature(), review(written, identity(DANA), subject)])).toEqual([]);
  });

  it('is admitted when a review service vouches for the reviewer', () => {
    const service = identity('reviews:issuer.example', { claims: { human_reviewer: 'dana@example.com' } });
    const policies = [policy('review: { subject: "reviews:issuer.example" }')];
    expect(codes([imageSignature(), review(REVIEW, service)], { policies })).toEqual([]);
    const stranger = identity('reviews:issuer.example', { claims: { human_reviewer: 'eve@example.com' } });
    expect(codes([imageSignature(), review(REVIEW, stranger)], { policies })).toEqual(['reviewer_mismatch']);
    const silent = identity('reviews:issuer.example');
    expect(codes([imageSignature(), review(REVIEW, silent)], { policies })).toEqual(['reviewer_mismatch']);
  });

  const PEOPLE = 'https://people.example';
  const ADDRESSES = [
    policy(
      `review: { issuer: ${PEOPLE}, subjectRegExp: '.+@(.+[.])?(example[.]com|gserviceaccount[.]com|github[.]com|gitlab[.]example)' }`,
    ),
  ];

  it('is admitted when the reviewer’s e-mail certificate is by the issuer that the policy names', () => {
    const policies = [policy(`review: { issuer: ${PEOPLE}, subject: dana@example.com }`)];
    const by = identity('dana@example.com', { issuer: PEOPLE, subject_type: 'email' });
    expect(codes([imageSignature(), review(REVIEW, by)], { policies })).toEqual([]);
    expect(codes([imageSignature(), review(REVIEW, by)], { policies: ADDRESSES })).toEqual([]);
  });

  it('is refused when the same address is certified by an issuer that the policy does not name', () => {
    for (const issuer of [ISSUER, `${PEOPLE}/`, 'https://people.example.evil.example']) {
      const by = identity('dana@example.com', { issuer, subject_type: 'email' });
      expect(codes([imageSignature(), review(REVIEW, by)], { policies: ADDRESSES })).toEqual(['reviewer_not_accepted']);
      expect(codes([imageSignature(), review(REVIEW, by)])).toEqual(['reviewer_not_accepted']);
    }
  });

  it('is refused when the address of the certificate is a URI or a user name', () => {
    const by = identity('dana@example.com', { issuer: PEOPLE });
    expect(codes([imageSignature(), review(REVIEW, by)], { policies: ADDRESSES })).toEqual(['reviewer_no_person']);
  });

  it.each([
    ['builder@acme.iam.gserviceaccount.com', 'reviewer_no_person'],
    ['12345-compute@developer.gserviceaccount.com', 'reviewer_no_person'],
    ['project_7_bot_0f1e@noreply.gitlab.example', 'reviewer_no_person'],
    ['41898282+github-actions[bot]@users.noreply.github.com', 'reviewer_malformed'],
  ])('is refused when %s reviewed it, also where the policy names that very address', (address, code) => {
    const by = identity(address, { issuer: PEOPLE, subject_type: 'email' });
    const named = [policy(`review: { issuer: ${PEOPLE}, subject: "${address}" }`)];
    const signed = [imageSignature(), review({ ...REVIEW, human_reviewer: address }, by)];
    for (const policies of [ADDRESSES, named]) expect(codes(signed, { policies })).toContain(code);
    // Nor may one of ours have it behind the prefix.
    const ours = [policy('review: { subjectRegExp: "reviewer:.+@.+" }')];
    const prefixed = identity(`reviewer:${address}`);
    const ofOurs = [imageSignature(), review({ ...REVIEW, human_reviewer: address }, prefixed)];
    expect(codes(ofOurs, { policies: ours })).not.toEqual([]);
  });

  it('does not count as the required review of a machine', () => {
    const machine = 'builder@acme.iam.gserviceaccount.com';
    const policies = [policy(`require: [{ issuer: ${PEOPLE}, subject: ${machine} }]`)];
    const by = identity(machine, { issuer: PEOPLE, subject_type: 'email' });
    const signed = [imageSignature(), review(), review({ ...REVIEW, human_reviewer: machine }, by)];
    expect(codes(signed, { policies })).toEqual(['required_signature_missing']);
  });
});

describe('the image itself', () => {
  const good = () => [imageSignature(), review()];

  it.each([
    ['has no name that a registry accepts', { ...image, reference: 'ghcr.io/../app' }, ['image_reference_invalid']],
    ['has no digest', { ...image, digest: 'sha256:abc' }, ['image_digest_invalid']],
    [
      'is named by another digest than it resolved to',
      { ...image, reference: `ghcr.io/acme/app@sha256:${OTHER_SHA256}` },
      ['image_digest_mismatch'],
    ],
    ['is wrong in two ways', { reference: '', digest: '' }, ['image_reference_invalid', 'image_digest_invalid']],
    ['is covered by no policy', { ...image, reference: 'ghcr.io/other/app' }, ['image_not_covered']],
  ])('is refused when it %s', (_title, wrong, expected) => {
    expect(codes(good(), { image: wrong })).toEqual(expected);
  });

  it('may be named by the digest that it resolved to', () => {
    expect(codes(good(), { image: { ...image, reference: `ghcr.io/acme/app@${image.digest}` } })).toEqual([]);
  });

  it('is covered when one of several globs covers it', () => {
    const [glob] = policy().images;
    const two = { ...policy(), images: [{ text: 'other', covers: () => false }, glob!] };
    expect(codes(good(), { policies: [two] })).toEqual([]);
  });

  it('is refused with what was expected and found, and nothing else', () => {
    const wrong = decide(good(), { image: { ...image, digest: 'sha256:abc' } });
    expect(wrong).toMatchObject({ admitted: false, warnings: [], verdicts: [] });
    expect(wrong.reasons.map(({ expected, found }) => [expected, found])).toEqual([['sha256:<64 hex>', 'sha256:abc']]);
    const many = Array.from({ length: MAX_SIGNATURES + 1 }, () => ({ code: 'x', message: 'x' }));
    const { reasons } = decide([], { rejected: many });
    expect(reasons.map(({ expected, found }) => [expected, found])).toEqual([['1000', '1001']]);
  });

  it('is refused before a registry is asked, where its name says enough', () => {
    expect(coveringPolicies('ghcr.io/../app', [policy()])).toEqual([]);
    expect(refuseUncovered('ghcr.io/../app')).toMatchObject({
      admitted: false,
      reasons: [{ code: 'admission.image_reference_invalid', found: 'ghcr.io/../app' }],
    });
    expect(refuseUncovered('ghcr.io/other/app').reasons.map(({ code }) => code)).toEqual([
      'admission.image_not_covered',
    ]);
  });

  it('is refused before its attachments are read, where there are too many', () => {
    const reason = {
      code: 'admission.too_many_signatures',
      message: 'The image has more signatures than are looked at.',
      expected: `${MAX_SIGNATURES}`,
      found: 'more\\u000a',
      policy: 'production',
    };
    expect(decide(good(), { overcrowded: 'more\n' })).toMatchObject({ admitted: false, reasons: [reason] });
  });

  it('is refused for that by a policy that enforces, whatever else it asks for, and warned of by one in audit mode', () => {
    const audit = { ...policy(), name: 'trial', mode: 'audit' as const };
    const overcrowded = { overcrowded: '1001' };
    const tried = decide(good(), { ...overcrowded, policies: [audit] });
    expect([tried.admitted, tried.reasons]).toEqual([true, []]);
    expect(tried.warnings.map((one) => [one.code, one.policy])).toEqual([['admission.too_many_signatures', 'trial']]);
    const both = decide(good(), { ...overcrowded, policies: [audit, policy()] });
    expect([both.admitted, both.reasons.map((one) => one.policy), both.warnings.length]).toEqual([
      false,
      ['production'],
      1,
    ]);
    const negatives = () => ({ kind: 'incomplete', from: 'https://x.example', message: 'gone' }) as const;
    expect(codes(good(), { ...overcrowded, negatives })).toEqual(['rejections_incomplete', 'too_many_signatures']);
    expect(codes(good(), { ...overcrowded, profile: 'spec' })).toEqual(['too_many_signatures']);
  });

  it('is refused without any policy', () => {
    expect(codes(good(), { policies: [] })).toEqual(['image_not_covered']);
  });

  it('is refused when there are more signatures than are looked at, the rejected ones counted', () => {
    const rejected = Array.from({ length: MAX_SIGNATURES - 2 }, () => ({ code: 'x', message: 'x' }));
    expect(codes(good(), { rejected })).toEqual([]);
    const [one] = rejected;
    expect(codes(good(), { rejected: [...rejected, one!] })).toEqual(['too_many_signatures']);
  });

  it('is refused when anything throws', () => {
    const broken = { ...policy(), agent: { ...policy().agent, accepts: () => expect.fail('broken') } };
    expect(codes(good(), { policies: [broken] })).toEqual(['internal']);
  });

  it('is never echoed unprintably', () => {
    const { reasons } = decide(good(), { image: { ...image, reference: 'ghcr.io/\u001b[31m\nx' } });
    expect(reasons[0]!.found).toBe('ghcr.io/\\u001b[31m\\u000ax');
    const long = decide(good(), { image: { ...image, reference: 'x'.repeat(1000) } });
    expect(long.reasons[0]!.found).toBe(`${'x'.repeat(200)}…`);
    const short = decide(good(), { image: { ...image, reference: 'X'.repeat(200) } });
    expect(short.reasons[0]!.found).toBe('X'.repeat(200));
  });
});

describe('the agent', () => {
  it.each([
    ['nobody signed', [review()], ['no_signature', 'review_missing']],
    ['another agent signed', [imageSignature(agent('agent:stranger'))], ['agent_not_approved']],
    ['the name is only contained', [imageSignature(agent('agent:writer2'))], ['agent_not_approved']],
    ['another issuer certified it', [imageSignature({ ...agent(), issuer: CI })], ['agent_not_approved']],
    ['only a person signed', [imageSignature(identity(DANA))], ['signature_rejected']],
    ['only a person of another issuer signed', [imageSignature(identity('dana@example.com'))], ['agent_not_approved']],
    ['the signature is for another image', [imageSignature(agent(), OTHER_SHA256)], ['signature_other_image']],
    ['only the review is signed by it', [review(REVIEW, agent())], ['no_signature', 'review_signed_by_agent']],
    ['only some other statement is signed by it', [attestation(agent(), 'https://x.example', {})], ['no_signature']],
    ['its commit is not known', [imageSignature(agent('agent:writer', {}))], ['claim_unknown']],
    ['its commit is unknown', [imageSignature(agent('agent:writer', { commit_sha: 'unknown' }))], ['claim_unknown']],
    ['its commit is empty', [imageSignature(agent('agent:writer', { commit_sha: '' }))], ['claim_unknown']],
  ])('makes the image refused when %s', (_title, signatures, expected) => {
    const withReview = expected.some((code) => code.startsWith('review')) ? [] : [review()];
    const all = expected.includes('review_missing') ? [] : [...signatures, ...withReview];
    expect(codes(all)).toEqual(expected);
  });

  it('is told from a statement about another image', () => {
    const elsewhere = attestation(agent(), COSIGN, {}, [{ digest: { sha256: OTHER_SHA256 } }]);
    const { reasons } = decide([elsewhere, review()]);
    expect(reasons).toEqual([
      {
        code: 'admission.signature_other_image',
        message: expect.any(String),
        expected: SHA256,
        found: OTHER_SHA256,
        policy: 'production',
      },
    ]);
    const nameless = attestation(agent(), COSIGN, {}, [{ digest: {} }]);
    expect(decide([nameless, review()]).reasons[0]!.found).toBe('no sha256');
    const bare: VerifiedSignature = { certificate_identity: agent(), log_entry: log() };
    expect(decide([bare, review()]).reasons[0]!.found).toBe('no sha256');
  });

  it('is not approved by what stands beside a statement: its own subjects count', () => {
    const beside = { ...run(RUN), artifact_digest: `sha256:${OTHER_SHA256}` };
    expect(codes([beside, review()])).toEqual([]);
    const lying = {
      ...attestation(agent(), COSIGN, {}, [{ digest: { sha512: SHA256 } }]),
      artifact_digest: `sha256:${SHA256}`,
    };
    expect(codes([lying, review()])).toEqual(['signature_other_image']);
  });

  it.each([
    [{ code: 'signature.untrusted', message: 'unknown authority' }],
    [{ code: 'signature.untrusted', message: 'unknown authority', predicate_type: COSIGN }],
    [{ code: 'signature.untrusted', message: 'unknown authority', predicate_type: `${BASE}/agent-run/v1` }],
  ])('whose signature does not verify is told from one who did not sign: %j', (one) => {
    const { reasons } = decide([review()], { rejected: [one] });
    expect(reasons.map(({ code }) => code)).toEqual(['admission.signature_rejected']);
    expect(reasons[0]!.found).toBe('signature.untrusted: unknown authority');
  });

  it('is not looked for among rejected statements of other kinds', () => {
    const rejected = [{ code: 'signature.untrusted', message: 'x', predicate_type: 'https://slsa.dev/provenance/v1' }];
    expect(codes([review()], { rejected })).toEqual(['no_signature']);
  });

  it('that is not approved is named, with the ones that would be', () => {
    const strangers = Array.from({ length: 7 }, (_, i) => imageSignature(agent(`agent:stranger${i}`)));
    const [reason] = decide([...strangers, ...strangers, review()]).reasons;
    expect(reason!.expected).toBe(`/agent:(writer|fixer)/ of ${ISSUER}`);
    expect(reason!.found).toMatch(
      /^agent:stranger0 of https:.*agent:stranger4 of https:\/\/issuer.example and 2 more$/,
    );
  });

  it('is named without a count where all of them are', () => {
    const strangers = Array.from({ length: 5 }, (_, i) => imageSignature(agent(`agent:stranger${i}`)));
    expect(decide([...strangers, review()]).reasons[0]!.found).toMatch(/agent:stranger4 of https:\/\/issuer.example$/);
  });

  it('passes by one good signature beside others', () => {
    const signatures = [
      imageSignature(agent('agent:stranger')),
      imageSignature(agent('agent:writer', {})),
      imageSignature(),
    ];
    expect(codes([...signatures, review()])).toEqual([]);
  });
});

describe('an agent-run statement in place of a signature', () => {
  const named = (agent_name: string, commit_sha = COMMIT) => agent('agent:writer', { agent_name, commit_sha });

  it.each([
    ['is whole', RUN, agent(), []],
    ['is whole, and approved', { ...RUN, human_review: { approved: true } }, agent(), []],
    ['names the agent by its claim', { ...RUN, agent: { name: 'w', version: '1' } }, named('w'), []],
    ['names the agent by its subject, and not by its claim', RUN, named('w'), ['run_contradicts_certificate']],
    [
      'names another agent',
      { ...RUN, agent: { name: 'fixer', version: '1' } },
      agent(),
      ['run_contradicts_certificate'],
    ],
    ['names another commit', { ...RUN, git: { commit_sha: OTHER_COMMIT } }, agent(), ['run_contradicts_certificate']],
    [
      'names another agent and commit',
      { ...RUN, agent: { name: 'x', version: '1' }, git: { commit_sha: OTHER_COMMIT } },
      agent(),
      ['run_contradicts_certificate', 'run_contradicts_certificate'],
    ],
    ['is of a certificate without a commit', RUN, agent('agent:writer', {}), ['claim_unknown']],
    [
      'names another model',
      RUN,
      agent('agent:writer', { commit_sha: COMMIT, model_id: 'other' }),
      ['run_contradicts_certificate'],
    ],
    ['has no agent', { ...RUN, agent: undefined }, agent(), ['run_malformed']],
    ['is null', null, agent(), ['run_malformed']],
    ['has half of a hash', { ...RUN, input: { prompt_hash: 'sha256:00' } }, agent(), ['run_malformed']],
    ['was not approved', { ...RUN, human_review: { approved: false } }, agent(), ['run_not_approved']],
    ['holds only that it was not approved', { human_review: { approved: false } }, agent(), ['run_not_approved']],
  ])('that %s: %#', (_title, predicate, by, expected) => {
    expect([...new Set(codes([run(predicate, by), review()]))]).toEqual([...new Set(expected)]);
  });

  it('of an agent whose name no certificate says does not count', () => {
    const policies = [policy('', 'subject: writer')];
    const { reasons } = decide([run(RUN, agent('writer')), review()], { policies });
    expect(reasons.map(({ code, expected, found }) => [code, expected, found])).toEqual([
      ['admission.run_contradicts_certificate', 'a claim of the certificate', 'writer'],
    ]);
  });

  it('says what the certificate says and what it says itself', () => {
    const lie = { ...RUN, agent: { name: 'x\n', version: '1' }, git: { commit_sha: OTHER_COMMIT } };
    const { reasons } = decide([run(lie), review()]);
    expect(reasons.map(({ message, expected, found }) => [message.split(' ')[0], expected, found])).toEqual([
      ['agent.name', 'writer', 'x\\u000a'],
      ['git.commit_sha', COMMIT, OTHER_COMMIT],
    ]);
    const [first] = decide([run({ ...RUN, agent: 7 }), review()]).reasons;
    expect(first).toMatchObject({ message: expect.stringMatching(/^\/agent of the agent run: ./) });
    expect(first!.expected).toBeDefined();
  });

  it('that was not approved refuses an image that is signed too, and only where an approved agent says it', () => {
    const not = { human_review: { approved: false } };
    const { reasons } = decide([imageSignature(), run(not), review()]);
    expect(reasons.map(({ code, expected, found }) => [code, expected, found])).toEqual([
      ['admission.run_not_approved', 'human_review.approved is not false', 'agent:writer'],
    ]);
    expect(codes([imageSignature(), run(not, agent('agent:stranger')), review()])).toEqual([]);
    const ofAnotherType = [imageSignature(), attestation(agent(), 'https://x.example', not), review()];
    expect(codes(ofAnotherType)).toEqual(['verdict_failed']);
    for (const none of [{ human_review: null }, { human_review: { approved: null } }, {}, null, 'x']) {
      expect(codes([imageSignature(), run(none), review()])).toEqual([]);
    }
  });

  it('that does not count harms no signature beside it', () => {
    const lie = run({ ...RUN, git: { commit_sha: OTHER_COMMIT } });
    expect(codes([lie, imageSignature(), review()])).toEqual([]);
  });

  it('is not looked into under spec', () => {
    const not = run({ human_review: { approved: false } });
    const profile = 'spec';
    expect(codes([not, review(REVIEW, agent())], { profile })).toEqual([]);
  });
});

describe('the sources of claims', () => {
  const policies = [policy('sources: { repo: [caller-token, registry], model_id: [declared] }')];
  const by = (claims: CertificateIdentity['claims'], sources: CertificateIdentity['sources']) =>
    imageSignature(identity('agent:writer', { claims: { commit_sha: COMMIT, ...claims }, sources }));

  it.each([
    [{ repo: 'a/b', model_id: 'm' }, { repo: 'registry', model_id: 'declared' }, []],
    [{ repo: 'a/b', model_id: 'm' }, { repo: 'declared', model_id: 'declared' }, ['source_not_allowed']],
    [{ repo: 'a/b', model_id: 'm' }, { model_id: 'declared' }, ['source_not_allowed']],
    [{ repo: 'unknown', model_id: 'm' }, { repo: 'registry', model_id: 'declared' }, ['claim_unknown']],
    [{ model_id: 'm' }, { model_id: 'declared' }, ['claim_unknown', 'source_not_allowed']],
    // What a certificate of Fulcio says of a claim that has no extension there: who vouches for it, and no value.
    [{ repo: 'a/b' }, { repo: 'registry', model_id: 'declared' }, ['claim_unknown']],
    [{}, {}, ['claim_unknown', 'claim_unknown', 'source_not_allowed', 'source_not_allowed']],
  ] as const)('%j from %j: %j', (claims, sources, expected) => {
    expect(codes([by(claims, sources), review()], { policies })).toEqual(expected);
  });

  it('are said beside those that the policy asks for', () => {
    const { reasons } = decide([by({ repo: 'a/b' }, { repo: 'declared' }), review()], { policies });
    expect(reasons.map(({ expected, found }) => [expected, found])).toEqual([
      ['model_id', 'unknown'],
      ['caller-token, registry', 'declared'],
      ['declared', 'no source'],
    ]);
  });

  it('must be good in one signature: two halves are no whole', () => {
    const half = by({ repo: 'a/b' }, { repo: 'registry' });
    const otherHalf = by({ model_id: 'm' }, { model_id: 'declared' });
    expect(codes([half, otherHalf, review()], { policies })).toContain('claim_unknown');
  });

  it('of a signature that does not pass lend no commit to a review', () => {
    const good = by({ repo: 'a/b', model_id: 'm' }, { repo: 'registry', model_id: 'declared' });
    const bad = imageSignature(agent('agent:writer', { commit_sha: OTHER_COMMIT }));
    const other = review({ ...REVIEW, commit_sha: OTHER_COMMIT });
    expect(codes([good, bad, other], { policies })).toEqual(['review_other_commit']);
  });
});

describe('the review', () => {
  it.each([
    ['is missing', undefined, ['review_missing']],
    ['has no reviewer', { review_timestamp: REVIEW.review_timestamp, commit_sha: COMMIT }, ['reviewer_missing']],
    ['has a null reviewer', { ...REVIEW, human_reviewer: null }, ['reviewer_null']],
    ['has an empty reviewer', { ...REVIEW, human_reviewer: '' }, ['reviewer_empty', 'reviewer_mismatch']],
    ['has a blank reviewer', { ...REVIEW, human_reviewer: ' \t\u00a0' }, ['reviewer_blank', 'reviewer_mismatch']],
    ['has a reviewer of zero width', { ...REVIEW, human_reviewer: '\u200b' }, ['reviewer_blank', 'reviewer_mismatch']],
    [
      'has a reviewer that is no address',
      { ...REVIEW, human_reviewer: 'dana' },
      ['reviewer_malformed', 'reviewer_mismatch'],
    ],
    ['has a reviewer that is no text', { ...REVIEW, human_reviewer: ['dana@example.com'] }, ['reviewer_malformed']],
    ['names another reviewer', { ...REVIEW, human_reviewer: 'eve@example.com' }, ['reviewer_mismatch']],
    ['names a reviewer in another case', { ...REVIEW, human_reviewer: 'Dana@example.com' }, ['reviewer_mismatch']],
    ['has no time', { human_reviewer: REVIEW.human_reviewer, commit_sha: COMMIT }, ['timestamp_missing']],
    ['has a null time', { ...REVIEW, review_timestamp: null }, ['timestamp_null']],
    ['has an empty time', { ...REVIEW, review_timestamp: '' }, ['timestamp_empty']],
    ['has a blank time', { ...REVIEW, review_timestamp: '  ' }, ['timestamp_blank']],
    ['has a time that is none', { ...REVIEW, review_timestamp: 'yesterday' }, ['timestamp_malformed']],
    ['has a day that is none', { ...REVIEW, review_timestamp: '2026-02-30T00:00:00Z' }, ['timestamp_malformed']],
    ['has a time that is a number', { ...REVIEW, review_timestamp: 1_700_000_000 }, ['timestamp_malformed']],
    ['is rejected', { ...REVIEW, decision: 'rejected' }, ['review_rejected']],
    ['has a decision that is none', { ...REVIEW, decision: 'Approved' }, ['review_rejected']],
    ['has a null decision', { ...REVIEW, decision: null }, ['review_rejected']],
    ['has a commit that is no text', { ...REVIEW, commit_sha: 7 }, ['predicate_malformed', 'review_commit_missing']],
    ['has a length that is none', { ...REVIEW, review_duration_seconds: -1 }, ['predicate_malformed']],
    ['has a length in words', { ...REVIEW, review_duration_seconds: '75' }, ['predicate_malformed']],
    ['covers another commit', { ...REVIEW, commit_sha: OTHER_COMMIT }, ['review_other_commit']],
    [
      'covers the start of the commit',
      { ...REVIEW, commit_sha: COMMIT.slice(0, 12) },
      ['predicate_malformed', 'review_other_commit'],
    ],
    ['covers no commit', { ...REVIEW, commit_sha: undefined }, ['predicate_malformed', 'review_commit_missing']],
    ['is null', null, ['reviewer_missing', 'timestamp_missing', 'review_commit_missing']],
    ['is text', 'fine', ['reviewer_missing', 'timestamp_missing', 'review_commit_missing']],
    ['is a list', [], ['reviewer_missing', 'timestamp_missing', 'review_commit_missing']],
  ])('that %s makes the image refused', (_title, predicate, expected) => {
    const reviews = predicate === undefined ? [] : [review(predicate)];
    expect(codes([imageSignature(), ...reviews])).toEqual(expected);
  });

  it.each([
    [{ ...REVIEW, decision: 'approved' }],
    [{ ...REVIEW, review_duration_seconds: 0 }],
    [{ ...REVIEW, comment: 'well done', unheardOf: 1 }],
    [{ ...REVIEW, review_timestamp: '2026-11-21T09:00:00.123Z' }],
  ])('%j lets the image pass', (predicate) => {
    expect(codes([imageSignature(), review(predicate)])).toEqual([]);
  });

  it('says what was expected and what stood there', () => {
    const wrong = { human_reviewer: 'eve\n', review_timestamp: 5, comment: 5, commit_sha: OTHER_COMMIT };
    const { reasons } = decide([imageSignature(), review(wrong)]);
    expect(reasons.map(({ code, expected, found }) => [code, expected, found])).toEqual([
      ['admission.reviewer_malformed', 'an e-mail address', 'eve\\u000a'],
      ['admission.timestamp_malformed', 'a time, RFC 3339 in UTC', 'number'],
      ['admission.predicate_malformed', expect.any(String), undefined],
      ['admission.reviewer_mismatch', 'dana@example.com', 'eve\\u000a'],
      ['admission.review_other_commit', COMMIT, OTHER_COMMIT],
    ]);
    const typed = { ...REVIEW, comment: null, commit_sha: {}, review_duration_seconds: Number.NaN };
    const malformed = decide([imageSignature(), review(typed)]).reasons.slice(0, 3);
    expect(malformed.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^\/commit_sha of the review: ./),
      expect.stringMatching(/^\/review_duration_seconds of the review: ./),
      expect.stringMatching(/^\/comment of the review: ./),
    ]);
    for (const { message } of reasons) expect(message).toMatch(/^[^{}]+\.$/);
  });

  it.each([
    ['the agent itself', agent(), ['review_signed_by_agent']],
    ['another approved agent', agent('agent:fixer'), ['review_signed_by_agent']],
    ['an agent that is not approved', agent('agent:stranger'), ['reviewer_not_accepted']],
    ['a reviewer of another issuer', identity(DANA, { issuer: CI }), ['reviewer_not_accepted']],
    ['a name that only contains a reviewer', identity(`x${DANA}`), ['reviewer_not_accepted']],
  ])('signed by %s makes the image refused', (_title, by, expected) => {
    expect(codes([imageSignature(), review(REVIEW, by)])).toEqual(expected);
    // What such a one writes is not even read.
    expect(codes([imageSignature(), review({}, by)])).toEqual(expected);
  });

  it('signed by an agent is refused though the policy would take its name for a reviewer', () => {
    // Such a policy is refused when it is read; one that slips through admits nothing by it.
    const lax = policy();
    const anybody = { ...lax.review.identity, accepts: () => true };
    const policies = [{ ...lax, review: { ...lax.review, identity: anybody } }];
    expect(codes([imageSignature(), review(REVIEW, agent())], { policies })).toEqual(['review_signed_by_agent']);
    const stranger = agent('agent:stranger');
    expect(codes([imageSignature(), review(REVIEW, stranger)], { policies })).toEqual(['review_signed_by_agent']);
  });

  it('by somebody whom the policy does not name makes the image refused', () => {
    const policies = [policy('review: { subject: "reviewer:lead@example.com" }')];
    const { reasons } = decide([imageSignature(), review()], { policies });
    expect(reasons.map(({ code, expected, found }) => [code, expected, found])).toEqual([
      ['admission.reviewer_not_accepted', `reviewer:lead@example.com of ${ISSUER}`, `${DANA} of ${ISSUER}`],
    ]);
  });

  it('of another image makes the image refused', () => {
    const other = review(REVIEW, identity(DANA), [
      { digest: { sha256: OTHER_SHA256 } },
      { digest: { gitCommit: COMMIT } },
    ]);
    const { reasons } = decide([imageSignature(), other]);
    expect(reasons.map(({ code, expected, found }) => [code, expected, found])).toEqual([
      ['admission.review_other_image', `sha256:${SHA256}`, `${OTHER_SHA256}, no sha256`],
    ]);
  });

  it('of the commit alone makes the image refused: it must name the image too', () => {
    const commitOnly = review(REVIEW, identity(DANA), [{ digest: { gitCommit: COMMIT } }]);
    expect(codes([imageSignature(), commitOnly])).toEqual(['review_other_image']);
  });

  it.each([
    ['subject', COMMIT, OTHER_COMMIT],
    ['predicate', OTHER_COMMIT, COMMIT],
    ['subject and predicate', OTHER_COMMIT, OTHER_COMMIT],
  ])('whose %s covers another commit makes the image refused', (_title, commit_sha, gitCommit) => {
    const subject = [{ digest: { sha256: SHA256 } }, { digest: { gitCommit } }];
    const { reasons } = decide([imageSignature(), review({ ...REVIEW, commit_sha }, identity(DANA), subject)]);
    expect(reasons.map(({ code }) => code)).toEqual(['admission.review_other_commit']);
  });

  it('whose only commit is in a subject is compared by it', () => {
    const { commit_sha, ...predicate } = REVIEW;
    const subject = [{ digest: { sha256: SHA256 } }, { digest: { gitCommit: OTHER_COMMIT } }];
    const { reasons } = decide([imageSignature(), review(predicate, identity(DANA), subject)]);
    expect(reasons.map(({ code, found }) => [code, found])).toEqual([['admission.review_other_commit', OTHER_COMMIT]]);
    expect(commit_sha).toBe(COMMIT);
  });

  it('is held against a whole commit id only, even where both sides agree on less', () => {
    const short = imageSignature(agent('agent:writer', { commit_sha: 'abc' }));
    const subject = [{ digest: { sha256: SHA256 } }, { digest: { gitCommit: 'abc' } }];
    const { human_reviewer, review_timestamp } = REVIEW;
    const partial = review({ human_reviewer, review_timestamp }, identity(DANA), subject);
    expect(codes([short, partial])).toEqual(['review_other_commit']);
  });

  it('must cover every commit that signatures of the agent name', () => {
    const other = imageSignature(agent('agent:fixer', { commit_sha: OTHER_COMMIT }));
    const { commit_sha: _, ...predicate } = REVIEW;
    const naming = (...commits: string[]) =>
      review(predicate, identity(DANA), [
        { digest: { sha256: SHA256 } },
        ...commits.map((gitCommit) => ({ digest: { gitCommit } })),
      ]);
    for (const signatures of [
      [imageSignature(), other],
      [other, imageSignature()],
    ]) {
      expect(codes([...signatures, review()])).toEqual(['review_other_commit']);
      expect(codes([...signatures, review({ ...REVIEW, commit_sha: OTHER_COMMIT })])).toEqual(['review_other_commit']);
      expect(codes([...signatures, naming(COMMIT), naming(OTHER_COMMIT)])).toEqual([
        'review_other_commit',
        'review_other_commit',
      ]);
      expect(codes([...signatures, naming(COMMIT, OTHER_COMMIT)])).toEqual([]);
    }
    const [reason] = decide([imageSignature(), other, imageSignature(), review()]).reasons;
    expect(reason!.expected).toBe(`${COMMIT}, ${OTHER_COMMIT}`);
  });

  it.each([imageSignature, (by = agent()) => attestation(by, COSIGN, {})])(
    'of another commit than the signed one is not covered by a run that is added: %#',
    (sign) => {
      const signature = sign(agent('agent:writer', { commit_sha: OTHER_COMMIT }));
      expect(codes([signature, runAt(COMMIT), review()])).toEqual(['review_other_commit']);
      expect(codes([runAt(COMMIT), signature, review()])).toEqual(['review_other_commit']);
      expect(codes([sign(), runAt(OTHER_COMMIT), review()])).toEqual([]);
    },
  );

  it('names the commit that its own certificate names, where that names one', () => {
    const by = (commit_sha: string) => identity(DANA, { claims: { commit_sha } });
    expect(codes([imageSignature(), review(REVIEW, by(COMMIT))])).toEqual([]);
    expect(codes([imageSignature(), review(REVIEW, by('unknown'))])).toEqual([]);
    const { commit_sha: _, ...predicate } = REVIEW;
    const subject = [{ digest: { sha256: SHA256 } }, { digest: { gitCommit: COMMIT } }];
    expect(codes([imageSignature(), review(predicate, by(COMMIT), subject)])).toEqual([]);
    for (const one of [review(REVIEW, by(OTHER_COMMIT)), review(predicate, by(OTHER_COMMIT), subject)]) {
      const { reasons } = decide([imageSignature(), one]);
      expect(reasons.map(({ code, expected, found }) => [code, expected, found])).toEqual([
        ['admission.review_commit_mismatch', OTHER_COMMIT, COMMIT],
      ]);
    }
  });

  it('is held against every run where nothing but runs is signed', () => {
    expect(codes([runAt(COMMIT), review()])).toEqual([]);
    expect(codes([runAt(OTHER_COMMIT), review()])).toEqual(['review_other_commit']);
    expect(codes([runAt(OTHER_COMMIT), runAt(COMMIT), review()])).toEqual(['review_other_commit']);
  });

  it('that names no commit is told where to name it', () => {
    const { human_reviewer, review_timestamp } = REVIEW;
    const { reasons } = decide([imageSignature(), review({ human_reviewer, review_timestamp })]);
    expect(reasons.map(({ expected }) => expected)).toEqual(['a gitCommit subject or commit_sha']);
  });

  it('elsewhere is told from other statements elsewhere', () => {
    const elsewhere = attestation(identity(DANA), 'https://x.example', {}, [{ digest: { sha256: OTHER_SHA256 } }]);
    const unsigned = imageSignature(agent(), OTHER_SHA256);
    expect(codes([imageSignature(), elsewhere, unsigned])).toEqual(['review_missing']);
  });

  it('is not blamed for the commit when no agent signature passes', () => {
    expect(codes([imageSignature(agent('agent:stranger')), review()])).toEqual(['agent_not_approved']);
  });

  it('that is found and does not verify is told from one that is not there', () => {
    const one = { code: 'signature.tampered', message: 'changed', predicate_type: `${BASE}/agent-review/v1` };
    const { reasons } = decide([imageSignature()], { rejected: [one] });
    expect(reasons.map(({ code, found }) => [code, found])).toEqual([
      ['admission.review_not_verified', 'signature.tampered: changed'],
    ]);
    expect(codes([imageSignature()], { rejected: [{ code: 'x', message: 'x' }] })).toEqual(['review_missing']);
  });

  it('of another type is none, and the types that were found are named', () => {
    const other = attestation(identity(DANA), 'https://acme.example/agent-review/v1', REVIEW);
    const { reasons } = decide([imageSignature(), other]);
    expect(reasons.map(({ code, found }) => [code, found])).toEqual([
      ['admission.review_missing', 'https://acme.example/agent-review/v1'],
    ]);
    expect(decide([imageSignature()]).reasons[0]!.found).toBe('no attestation');
  });

  it('that is good lets the image pass beside bad ones', () => {
    const bad = [review({}), review(REVIEW, agent()), review({ ...REVIEW, commit_sha: OTHER_COMMIT })];
    const decision = decide([imageSignature(), ...bad, review()]);
    expect(decision.admitted).toBe(true);
    expect(decision.verdicts[0]!.reviews).toHaveLength(1);
  });
});

describe('the time of a review', () => {
  const timed = (review_timestamp: string, integratedAt = '2026-11-21T10:00:00Z') =>
    review({ ...REVIEW, review_timestamp }, identity(DANA), undefined, integratedAt);

  it.each([
    ['2026-11-21T10:00:00Z', []],
    ['2026-11-21T10:10:00Z', []],
    ['2026-11-21T10:10:00.001Z', ['timestamp_in_future']],
    ['2026-11-21T10:10:01Z', ['timestamp_in_future']],
    ['2026-11-22T00:00:00Z', ['timestamp_in_future']],
    ['2099-01-01T00:00:00Z', ['timestamp_in_future']],
    ['2020-01-01T00:00:00Z', []],
  ])('%s, logged at ten: %j', (time, expected) => {
    expect(codes([imageSignature(), timed(time)])).toEqual(expected);
  });

  it('is none where the log has none', () => {
    expect(codes([imageSignature(), timed('2020-01-01T00:00:00Z', 'never')])).toEqual(['timestamp_in_future']);
  });

  it('that is later than its signature is named, with what would do', () => {
    const { reasons } = decide([imageSignature(), timed('2027-01-01T00:00:00Z')]);
    expect(reasons.map(({ expected, found }) => [expected, found])).toEqual([
      ['at most 10 minutes after 2026-11-21T10:00:00Z', '2027-01-01T00:00:00Z'],
    ]);
  });

  it('is whatever it likes under spec', () => {
    const late = review({ ...REVIEW, review_timestamp: '2099-01-01T00:00:00Z' }, agent());
    expect(codes([imageSignature(), late], { profile: 'spec' })).toEqual([]);
  });
});

describe("a reviewer's newest word", () => {
  const rejection = { ...REVIEW, decision: 'rejected' };
  const at = (predicate: unknown, time: string, by = identity(DANA)) => review(predicate, by, undefined, time);

  it.each([
    [
      'approval, then rejection',
      [at(REVIEW, '2026-11-21T10:00:00Z'), at(rejection, '2026-11-21T11:00:00Z')],
      ['review_rejected'],
    ],
    [
      'the same, read in the other order',
      [at(rejection, '2026-11-21T11:00:00Z'), at(REVIEW, '2026-11-21T10:00:00Z')],
      ['review_rejected'],
    ],
    ['rejection, then approval', [at(rejection, '2026-11-21T10:00:00Z'), at(REVIEW, '2026-11-21T11:00:00Z')], []],
    [
      'approval half a second after a rejection',
      [at(REVIEW, '2026-11-21T10:00:00.5Z'), at(rejection, '2026-11-21T10:00:00Z')],
      [],
    ],
    [
      'approval logged after a rejection in the same second: a tie keeps the rejection',
      [at(rejection, '2026-11-21T10:00:00Z'), at(REVIEW, '2026-11-21T10:00:00Z')],
      ['review_rejected'],
    ],
    [
      'rejection logged after an approval in the same second',
      [at(REVIEW, '2026-11-21T10:00:00Z'), at(rejection, '2026-11-21T10:00:00Z')],
      ['review_rejected'],
    ],
    [
      'a malformed rejection',
      [at(REVIEW, '2026-11-21T10:00:00Z'), at({ decision: 'rejected' }, '2026-11-21T11:00:00Z')],
      ['review_rejected'],
    ],
    [
      'rejection, then a malformed approval',
      [at(REVIEW, '2026-11-21T09:00:00Z'), at(rejection, '2026-11-21T10:00:00Z'), at({}, '2026-11-21T11:00:00Z')],
      ['review_rejected'],
    ],
    [
      'approval of one, rejection of another',
      [
        at(REVIEW, '2026-11-21T10:00:00Z'),
        at(
          { ...rejection, human_reviewer: 'eve@example.com' },
          '2026-11-21T09:00:00Z',
          identity('reviewer:eve@example.com'),
        ),
      ],
      ['review_rejected'],
    ],
    [
      'rejection by a stranger',
      [at(REVIEW, '2026-11-21T10:00:00Z'), at(rejection, '2026-11-21T11:00:00Z', identity(DANA, { issuer: CI }))],
      [],
    ],
    [
      'rejection by an approved agent: a negative word of anybody whom the policy names',
      [at(REVIEW, '2026-11-21T10:00:00Z'), at(rejection, '2026-11-21T11:00:00Z', agent())],
      ['review_rejected'],
    ],
    [
      'rejection by another agent',
      [at(REVIEW, '2026-11-21T10:00:00Z'), at(rejection, '2026-11-21T11:00:00Z', agent('agent:stranger'))],
      [],
    ],
  ])('counts: %s', (_title, reviews, expected) => {
    expect(codes([imageSignature(), ...reviews])).toEqual(expected);
  });

  it.each(['Rejected', 'REJECTED', 'rejected ', 'denied', '', null, false, 0, ['approved'], undefined])(
    'is a rejection where it decides %j: only approved is an approval',
    (decision) => {
      const later = at({ ...REVIEW, decision }, '2026-11-21T11:00:00Z');
      expect(codes([imageSignature(), at(REVIEW, '2026-11-21T10:00:00Z'), later])).toEqual(['review_rejected']);
    },
  );

  it('is the rejection where both were logged in the same second, in whatever order they are read', () => {
    const approval = at(REVIEW, '2026-11-21T10:00:00Z');
    const later = at(rejection, '2026-11-21T10:00:00Z');
    expect(codes([imageSignature(), later, approval])).toEqual(['review_rejected']);
    const { reasons } = decide([imageSignature(), later, approval]);
    expect(reasons.map(({ expected, found }) => [expected, found])).toEqual([['approved', DANA]]);
  });

  it('that was a rejection once is no approval afterwards', () => {
    const approval = at(REVIEW, '2026-11-21T11:00:00Z');
    const { admitted, verdicts } = decide([imageSignature(), at(rejection, '2026-11-21T10:00:00Z'), approval]);
    expect(admitted).toBe(true);
    expect(verdicts[0]!.reviews).toEqual([approval]);
  });

  it('does not count under another profile, to the letter', () => {
    const policies = [policy('profile: spec')];
    expect(codes([imageSignature(), review(rejection, agent())], { policies })).toEqual([]);
  });
});

describe('the length of a review', () => {
  const policies = [policy('review: { minDurationSeconds: 60 }')];
  const lasting = (review_duration_seconds: number) => review({ ...REVIEW, review_duration_seconds });
  const runOf = (review_duration_seconds: unknown, by = agent()) =>
    run({ human_review: { review_duration_seconds } }, by);

  it.each([
    ['the review says enough', [lasting(60)], []],
    ['the review says too little', [lasting(59)], ['review_too_short']],
    ['the run alone says enough', [review(), runOf(99_999)], ['review_duration_unknown']],
    ['the run alone says too little', [review(), runOf(59)], ['review_duration_unknown']],
    ['both say enough', [lasting(60), runOf(60)], []],
    ['the run lengthens the review', [lasting(59), runOf(600)], ['review_too_short']],
    ['the review lengthens the run', [lasting(600), runOf(59)], ['review_too_short']],
    ['one of two runs says too little', [lasting(600), runOf(600), runOf(5)], ['review_too_short']],
    ['nobody says', [review()], ['review_duration_unknown']],
    ['the run says it in words', [review(), runOf('600')], ['review_duration_unknown']],
    ['the run has no review', [review(), run({})], ['review_duration_unknown']],
    ['the run is null', [review(), run(null)], ['review_duration_unknown']],
    ['only a stranger’s run says', [review(), runOf(600, agent('agent:stranger'))], ['review_duration_unknown']],
    ['a stranger’s run says too little', [lasting(60), runOf(5, agent('agent:stranger'))], []],
    [
      'another statement says',
      [review(), attestation(agent(), 'https://x.example', { human_review: { review_duration_seconds: 600 } })],
      ['review_duration_unknown'],
    ],
  ])('counts when %s', (_title, signatures, expected) => {
    expect(codes([imageSignature(), ...signatures], { policies })).toEqual(expected);
  });

  it('is said in seconds', () => {
    const { reasons } = decide([imageSignature(), lasting(59)], { policies });
    expect(reasons.map(({ expected, found }) => [expected, found])).toEqual([['60 s', '59 s']]);
    expect(decide([imageSignature(), review()], { policies }).reasons[0]!.expected).toBe('60 s');
    const byRun = decide([imageSignature(), lasting(600), runOf(59)], { policies });
    expect(byRun.reasons[0]!.found).toBe('59 s, by a run of the agent');
  });
});

describe('conditions', () => {
  it.each([
    ['predicate.human_reviewer.endsWith("@example.com")', []],
    ['predicate.human_reviewer.endsWith("@acme.example")', ['condition_failed']],
    ['predicate.missing == 1', ['condition_failed']],
    ['predicate.human_reviewer', ['condition_failed']],
    ['certificate.subject == "reviewer:dana@example.com"', []],
    ['statement.subject.exists(s, has(s.digest.sha256))', []],
    ['image.reference == "ghcr.io/acme/app:v1"', []],
  ])('%s', (condition, expected) => {
    const policies = [policy(`review: { conditions: ['${condition}'] }`)];
    expect(codes([imageSignature(), review()], { policies })).toEqual(expected);
  });

  it('must all hold, and each that does not is named', () => {
    const policies = [policy('review: { conditions: ["true", "false", "predicate.x"] }')];
    const { reasons } = decide([imageSignature(), review()], { policies });
    expect(reasons.map(({ expected, found }) => [expected, found])).toEqual([
      ['false', 'false'],
      ['predicate.x', 'No such key: x'],
    ]);
  });
});

describe('required identities', () => {
  const rule = `{ issuer: ${CI}, subject: builder }`;
  const provenance = `{ issuer: ${CI}, subjectRegExp: "build.*", predicateType: https://slsa.dev/provenance/v1 }`;
  const builder = identity('builder', { issuer: CI });
  const good = () => [imageSignature(), review()];

  it.each([
    [rule, [], ['required_signature_missing']],
    [rule, [imageSignature(builder)], []],
    [rule, [attestation(builder, 'https://slsa.dev/provenance/v1', {})], []],
    [rule, [imageSignature(builder, OTHER_SHA256)], ['required_signature_missing']],
    [rule, [imageSignature(identity('builder'))], ['required_signature_missing']],
    [provenance, [imageSignature(builder)], ['required_signature_missing']],
    [provenance, [attestation(builder, 'https://slsa.dev/provenance/v1', {})], []],
    [provenance, [attestation(builder, 'https://slsa.dev/provenance/v0.2', {})], ['required_signature_missing']],
    [`${rule}, ${provenance}`, [imageSignature(builder)], ['required_signature_missing']],
  ])('%s', (rules, more, expected) => {
    expect(codes([...good(), ...more], { policies: [policy(`require: [${rules}]`)] })).toEqual(expected);
  });

  it('are named', () => {
    const [reason] = decide(good(), { policies: [policy(`require: [${provenance}]`)] }).reasons;
    expect(reason!.expected).toBe(`/build.*/ of ${CI}, https://slsa.dev/provenance/v1`);
    const [plain] = decide(good(), { policies: [policy(`require: [${rule}]`)] }).reasons;
    expect(plain!.expected).toBe(`builder of ${CI}`);
  });

  it('do not take the place of the agent', () => {
    const policies = [policy(`require: [${rule}]`)];
    expect(codes([imageSignature(builder), review()], { policies })).toEqual(['agent_not_approved']);
  });
});

describe('several policies', () => {
  it('must all admit the image', () => {
    const other: Policy = { ...policy('', 'subject: agent:fixer'), name: 'other' };
    const { reasons, verdicts } = decide([imageSignature(), review()], { policies: [policy(), other] });
    expect(reasons.map(({ code, policy }) => [code, policy])).toEqual([['admission.agent_not_approved', 'other']]);
    expect(verdicts.map(({ policy, admitted }) => [policy, admitted])).toEqual([
      ['production', true],
      ['other', false],
    ]);
    expect(verdicts[1]!.agent_signatures).toEqual([]);
    expect(verdicts[1]!.reviews).toEqual([]);
  });

  it('that do not cover the image have no say', () => {
    const elsewhere: Policy = { ...policy('', 'subject: agent:fixer'), images: [{ text: '', covers: () => false }] };
    expect(codes([imageSignature(), review()], { policies: [elsewhere, policy()] })).toEqual([]);
    expect(codes([imageSignature(), review()], { policies: [elsewhere] })).toEqual(['image_not_covered']);
  });

  it('in audit mode warn, and those in force refuse', () => {
    const audit = policy('mode: audit');
    const decision = decide([imageSignature()], { policies: [audit] });
    expect(decision.admitted).toBe(true);
    expect(decision.reasons).toEqual([]);
    expect(decision.warnings.map(({ code }) => code)).toEqual(['admission.review_missing']);
    expect(decision.verdicts[0]!.admitted).toBe(false);
    const both = decide([imageSignature()], { policies: [audit, policy()] });
    expect(both.admitted).toBe(false);
    expect(both.reasons).toHaveLength(1);
    expect(both.warnings).toHaveLength(1);
    expect(decide([], { policies: [audit], image: { ...image, digest: 'x' } }).admitted).toBe(false);
  });

  it('give one reason once, however many signatures have it', () => {
    expect(codes([imageSignature(), review({}), review({})])).toEqual([
      'reviewer_missing',
      'timestamp_missing',
      'review_commit_missing',
    ]);
  });
});

describe('profile spec, contract §5.3 to the letter', () => {
  const policies = [policy('profile: spec')];
  const bare = { human_reviewer: 'dana', review_timestamp: 'yesterday' };
  const noCommit = imageSignature(agent('agent:writer', {}));

  it.each([
    ['a review signed by the agent', [noCommit, review(bare, agent())], []],
    ['a review signed by another approved agent', [noCommit, review(bare, agent('agent:fixer'))], []],
    ['a blank reviewer', [noCommit, review({ ...bare, human_reviewer: ' ' }, agent())], []],
    ['any statement of the agent in place of the signature', [review(bare, agent())], []],
    ['fields that nobody asked for', [noCommit, review({ ...bare, decision: 1, commit_sha: 2 }, agent())], []],
    ['no review', [noCommit], ['review_missing']],
    ['a reviewer of its own', [noCommit, review()], ['reviewer_not_accepted']],
    ['an empty reviewer', [noCommit, review({ ...bare, human_reviewer: '' }, agent())], ['reviewer_empty']],
    ['a null reviewer', [noCommit, review({ ...bare, human_reviewer: null }, agent())], ['reviewer_null']],
    ['no reviewer', [noCommit, review({ review_timestamp: 'x' }, agent())], ['reviewer_missing']],
    ['a reviewer that is no text', [noCommit, review({ ...bare, human_reviewer: 1 }, agent())], ['reviewer_malformed']],
    ['an empty time', [noCommit, review({ ...bare, review_timestamp: '' }, agent())], ['timestamp_empty']],
    ['no time', [noCommit, review({ human_reviewer: 'x' }, agent())], ['timestamp_missing']],
    [
      'an agent outside the list',
      [imageSignature(agent('agent:x')), review(bare, agent('agent:x'))],
      ['agent_not_approved', 'reviewer_not_accepted'],
    ],
    ['nothing at all', [], ['no_signature', 'review_missing']],
  ])('%s: %s', (_title, signatures, expected) => {
    expect(codes(signatures, { policies })).toEqual(expected);
    // Asked for by the caller, over a policy that says otherwise.
    expect(codes(signatures, { policies: [policy()], profile: 'spec' })).toEqual(expected);
  });

  it('and strict over a policy that says spec', () => {
    const decision = decide([imageSignature(), review(REVIEW, agent())], { policies, profile: 'strict' });
    expect(decision.reasons.map(({ code }) => code)).toEqual(['admission.review_signed_by_agent']);
    expect(decision.verdicts[0]!.profile).toBe('strict');
  });

  it('still holds what the policy itself adds', () => {
    const added = [
      policy(
        'profile: spec\nsources: { repo: [caller-token] }\nreview: { minDurationSeconds: 60, conditions: ["false"] }',
      ),
    ];
    expect(codes([noCommit, review(bare, agent())], { policies: added })).toEqual([
      'claim_unknown',
      'source_not_allowed',
      'review_duration_unknown',
      'condition_failed',
    ]);
    const lastingAs = (review_duration_seconds: unknown) => review({ ...bare, review_duration_seconds }, agent());
    const lasting = lastingAs(61);
    const timed = [policy('profile: spec\nreview: { minDurationSeconds: 60 }')];
    const runOf = (review_duration_seconds: number) => run({ human_review: { review_duration_seconds } });
    expect(codes([noCommit, review(bare, agent()), runOf(60)], { policies: timed })).toEqual([]);
    expect(codes([noCommit, review(bare, agent()), runOf(59)], { policies: timed })).toEqual(['review_too_short']);
    expect(codes([noCommit, lasting], { policies: timed })).toEqual([]);
    expect(codes([noCommit, lastingAs(0)], { policies: timed })).toEqual(['review_too_short']);
    for (const none of ['600', -1, Number.POSITIVE_INFINITY, Number.NaN, [600], true]) {
      expect(codes([noCommit, lastingAs(none)], { policies: timed })).toEqual(['review_duration_unknown']);
    }
  });
});

describe('laws', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,10}$/);
  const anySubject = fc.oneof(
    name.map((text) => `agent:${text}`),
    name.map((text) => `reviewer:${text}@example.com`),
    fc.string(),
    fc.constantFrom('agent:writer ', 'agent:Writer', 'agent:writer\n', 'xagent:writer', 'agent:fixer2'),
  );
  const stranger = anySubject.filter((subject) => !['agent:writer', 'agent:fixer'].includes(subject));

  it('no subject outside the approved names is ever admitted', () => {
    fc.assert(
      fc.property(fc.array(stranger, { minLength: 1, maxLength: 4 }), fc.boolean(), (subjects, isSpec) => {
        const signatures = subjects.flatMap((subject) => [
          imageSignature(agent(subject)),
          review(REVIEW, agent(subject)),
        ]);
        const profile = isSpec ? 'spec' : 'strict';
        expect(decide([...signatures, review()], { profile }).admitted).toBe(false);
      }),
    );
  });

  it('no issuer but the policy’s is ever admitted', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl(), fc.constantFrom(`${ISSUER}/`, `${ISSUER}.evil.example`, 'http://issuer.example')),
        (issuer) => {
          fc.pre(issuer !== ISSUER);
          expect(decide([imageSignature({ ...agent(), issuer }), review()]).admitted).toBe(false);
          expect(decide([imageSignature(), review(REVIEW, identity(DANA, { issuer }))]).admitted).toBe(false);
        },
      ),
    );
  });

  it('a signature from outside changes no decision, whatever it says', () => {
    const outside = fc
      .record({
        subject: anySubject,
        issuer: fc.constantFrom(CI, 'https://evil.example'),
        kind: fc.constantFrom('image', 'review', 'run', 'other'),
        predicate: fc.oneof(fc.constant(REVIEW), fc.constant({ ...REVIEW, decision: 'rejected' }), fc.jsonValue()),
      })
      .map(({ subject, issuer, kind, predicate }) => {
        const by = { ...agent(subject), issuer };
        if (kind === 'image') return imageSignature(by);
        if (kind === 'review') return review(predicate, by);
        return kind === 'run' ? run(predicate, by) : attestation(by, 'https://x.example', predicate);
      });
    const base = fc.constantFrom<VerifiedSignature[]>(
      [imageSignature(), review()],
      [imageSignature()],
      [review()],
      [imageSignature(), review({ ...REVIEW, human_reviewer: '' })],
      [imageSignature(), review(REVIEW, agent())],
      [],
    );
    fc.assert(
      fc.property(base, fc.array(outside, { maxLength: 5 }), (inside, more) => {
        expect(decide([...more, ...inside]).admitted).toBe(decide(inside).admitted);
      }),
    );
  });

  it('any predicate at all gets an answer, and none without the reviewer’s own name passes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (predicate) => {
        expect(decide([imageSignature(), review(predicate)]).admitted).toBe(false);
        expect(codes([imageSignature(), review(predicate)])).not.toContain('internal');
      }),
    );
  });

  it('the order of signatures does not matter', () => {
    const all = [imageSignature(), review(), review({}), imageSignature(agent('agent:x')), run({})];
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
        expect(decide(shuffled).admitted).toBe(true);
      }),
    );
  });
});
