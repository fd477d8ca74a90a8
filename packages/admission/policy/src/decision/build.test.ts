import type { Subject, VerifiedSignature } from '@colophon/records';
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
  identity,
  image,
  imageSignature,
  OTHER_COMMIT,
  OTHER_SHA256,
  policy,
  REVIEW,
  RUN,
  review,
} from '../../test/image-evidence.ts';

const SLSA = 'https://slsa.dev/provenance/v1';
const WORKFLOW = 'https://github.com/acme/app/.github/workflows/build.yml@refs/heads/main';
const REPOSITORY = 'https://github.com/acme/app';
const TREE = '7'.repeat(40);
const CERTIFIED = { repo: 'acme/app', repo_uri: REPOSITORY, commit_sha: COMMIT };
const runner = (claims: object = CERTIFIED, subject = WORKFLOW) => identity(subject, { issuer: CI, claims });
const from = (digest: Record<string, string>, uri: string | undefined = `git+${REPOSITORY}@refs/heads/main`) => ({
  ...(uri === undefined ? {} : { uri }),
  digest,
});
const anonymous = (digest: Record<string, string>) => ({ digest });
const predicate = (...resolvedDependencies: object[]) => ({
  buildDefinition: {
    buildType: 'https://actions.github.io/buildtypes/workflow/v1',
    externalParameters: { workflow: { repository: REPOSITORY, ref: COMMIT } },
    resolvedDependencies,
  },
  runDetails: { builder: { id: WORKFLOW } },
});
const build = (
  said: unknown = predicate(from({ gitCommit: COMMIT })),
  by = runner(),
  subject?: Subject[],
  type = SLSA,
) => attestation(by, type, said, subject);
const about = (digest: Record<string, string>): Subject[] => [{ name: 'it', digest }];
const ruled = (more = '', rest = '') => ({
  policies: [policy(`provenance: { issuer: ${CI}, subject: "${WORKFLOW}"${more} }\n${rest}`)],
});
const good = () => [imageSignature(), review()];
const tried = (...more: VerifiedSignature[]) => codes([...good(), ...more], ruled());

describe('a policy that names the build runner', () => {
  it('admits an image that was built from the reviewed commit, and shows by what', () => {
    const { admitted, verdicts } = decide([...good(), build()], ruled());
    expect(admitted).toBe(true);
    expect(verdicts[0]!.provenance).toMatchObject([{ certificate_identity: { subject: WORKFLOW } }]);
    expect(decide(good()).verdicts[0]).not.toHaveProperty('provenance');
    expect(decide([imageSignature(), build()], ruled()).verdicts[0]!.provenance).toEqual([]);
  });

  it.each<[string, VerifiedSignature[], string]>([
    ['none', [], 'provenance_missing'],
    [
      'an older version of it',
      [build(undefined, undefined, undefined, 'https://slsa.dev/provenance/v0.2')],
      'provenance_missing',
    ],
    ['a plain signature of the runner', [imageSignature(runner())], 'provenance_missing'],
    ['that of another image', [build(undefined, runner(), about({ sha256: OTHER_SHA256 }))], 'provenance_other_image'],
    ['that of the commit', [build(undefined, runner(), about({ gitCommit: COMMIT }))], 'provenance_other_image'],
    [
      'that of another builder',
      [build(undefined, runner(CERTIFIED, WORKFLOW.replace('main', 'dev')))],
      'builder_not_accepted',
    ],
    ['that of the same name at another issuer', [build(undefined, identity(WORKFLOW))], 'builder_not_accepted'],
    ['that of the agent', [build(undefined, agent())], 'provenance_signed_by_agent'],
    ['that of any agent', [build(undefined, identity('agent:stranger', { issuer: CI }))], 'provenance_signed_by_agent'],
    [
      'that of the reviewer',
      [build(undefined, identity('reviewer:dana@example.com', { purpose: 'artifact' }))],
      'provenance_signed_by_reviewer',
    ],
    [
      'that of a review service',
      [build(undefined, identity('reviews:ci.example', { issuer: CI, claims: { human_reviewer: 'eve@example.com' } }))],
      'provenance_signed_by_reviewer',
    ],
    ['nothing in it', [build({})], 'provenance_malformed'],
    ['null', [build(null)], 'provenance_malformed'],
    ['its source only in what was asked for', [build(predicate())], 'provenance_source_missing'],
    ['an image as its only source', [build(predicate(from({ sha256: OTHER_SHA256 })))], 'provenance_source_missing'],
    [
      'two commits',
      [
        build(
          predicate(from({ gitCommit: COMMIT }), from({ gitCommit: OTHER_COMMIT }, 'git+https://github.com/acme/lib')),
        ),
      ],
      'provenance_source_ambiguous',
    ],
    [
      'a commit, and a tree of somewhere else',
      [build(predicate(from({ gitCommit: COMMIT }), from({ gitTree: TREE }, 'git+https://github.com/acme/lib')))],
      'provenance_source_ambiguous',
    ],
    [
      'another commit than its certificate',
      [build(undefined, runner({ ...CERTIFIED, commit_sha: OTHER_COMMIT }))],
      'provenance_contradicts_certificate',
    ],
    [
      'another repository than its certificate',
      [build(undefined, runner({ ...CERTIFIED, repo_uri: 'https://github.com/acme/other' }))],
      'provenance_contradicts_certificate',
    ],
    [
      'another repository than the shorter name',
      [build(undefined, runner({ ...CERTIFIED, repo: 'acme/other' }))],
      'provenance_contradicts_certificate',
    ],
    [
      'the name of the repository at another host',
      [build(predicate(from({ gitCommit: COMMIT }, 'git+https://evil.example/acme/app')))],
      'provenance_contradicts_certificate',
    ],
    [
      'a user before the host',
      [build(predicate(from({ gitCommit: COMMIT }, 'git+https://github.com@evil.example/acme/app')))],
      'provenance_contradicts_certificate',
    ],
  ])('refuses %s', (_title, more, code) => {
    expect([...new Set(tried(...more))]).toEqual([code]);
    // A good one beside it is enough.
    expect(tried(...more, build())).toEqual([]);
  });

  it('takes no provenance of whom it lets review, whatever they are called', () => {
    const self = ruled('', `review: { issuer: ${CI}, subject: "${WORKFLOW}" }`);
    expect(codes([imageSignature(), build()], self)).toContain('provenance_signed_by_reviewer');
  });

  it('says what was wanted, and what there was', () => {
    const said = (...more: VerifiedSignature[]) =>
      decide([...good(), ...more], ruled(`, sourceRepository: "${REPOSITORY}"`)).reasons.map(({ expected, found }) => [
        expected,
        found,
      ]);
    expect(said(build(undefined, identity(WORKFLOW)))).toEqual([
      [`${WORKFLOW} of ${CI}`, `${WORKFLOW} of https://issuer.example`],
    ]);
    expect(said(build(undefined, runner(), about({ sha256: OTHER_SHA256 })))).toEqual([[image.digest, OTHER_SHA256]]);
    expect(said(build(undefined, runner(), about({ gitCommit: COMMIT })))).toEqual([[image.digest, 'no sha256']]);
    const both = build(predicate(from({ gitCommit: COMMIT }), from({ gitTree: TREE })));
    expect(said(both)).toEqual([['one commit', `${COMMIT}, tree ${TREE}`]]);
    const lib = from({ gitCommit: COMMIT }, 'git+https://github.com/acme/lib');
    expect(said(build(predicate(lib, anonymous({ gitCommit: COMMIT })), runner({})))).toEqual([
      [REPOSITORY, 'git+https://github.com/acme/lib, no address'],
    ]);
    // What is signed of other images, and is no provenance, says nothing.
    const others = [
      imageSignature(runner(), OTHER_SHA256),
      review(REVIEW, identity(DANA), about({ sha256: OTHER_SHA256 })),
    ];
    expect(tried(...others)).toEqual(['provenance_missing']);
    expect(tried(...others, build())).toEqual([]);
  });

  it('says what every part of it that is wrong is', () => {
    const { reasons } = decide([...good(), build({ buildDefinition: 1 })], ruled());
    expect(reasons.map(({ message }) => message)).toEqual([
      '/buildDefinition of the build provenance: The field has another type than it needs.',
      '/runDetails of the build provenance: The field is required.',
    ]);
  });

  it('says why what was found does not verify', () => {
    const rejected = [{ code: 'signature.invalid', message: 'forged', predicate_type: SLSA }];
    const [reason] = decide(good(), { ...ruled(), rejected }).reasons;
    expect(reason).toMatchObject({ code: 'admission.provenance_not_verified', found: 'signature.invalid: forged' });
    const others = [{ code: 'x', message: 'y', predicate_type: 'https://slsa.dev/provenance/v0.2' }];
    expect(codes(good(), { ...ruled(), rejected: others })).toEqual(['provenance_missing']);
  });

  it('takes what the certificate leaves out on the word of the statement', () => {
    expect(tried(build(undefined, runner({})))).toEqual([]);
    expect(tried(build(undefined, runner({ repo: 'unknown', commit_sha: 'unknown' })))).toEqual([]);
    expect(tried(build(predicate(anonymous({ gitCommit: COMMIT }))))).toEqual([]);
  });

  it('names the builder, where it does', () => {
    expect(codes([...good(), build()], ruled(`, builderId: "${WORKFLOW}"`))).toEqual([]);
    expect(codes([...good(), build()], ruled(', builderId: "https://github.com/acme"'))).toEqual([
      'builder_id_mismatch',
    ]);
  });

  it('names the repository, where it does: what comes from elsewhere is no source then', () => {
    const named = ruled(`, sourceRepository: "${REPOSITORY}/"`);
    const lib = from({ gitCommit: OTHER_COMMIT }, 'git+https://github.com/acme/lib');
    const source = from({ gitCommit: COMMIT });
    const trial = (...sources: object[]) => codes([...good(), build(predicate(...sources), runner({}))], named);
    expect(trial(source)).toEqual([]);
    expect(trial(lib, source)).toEqual([]);
    expect(trial(lib)).toEqual(['provenance_other_repository']);
    expect(trial(from({ gitCommit: COMMIT }, 'git+https://gitlab.com/acme/app'))).toEqual([
      'provenance_other_repository',
    ]);
    expect(trial(anonymous({ gitCommit: COMMIT }))).toEqual(['provenance_other_repository']);
    expect(trial(from({ gitCommit: COMMIT }, 'git+acme/app'))).toEqual(['provenance_other_repository']);
    expect(trial(source, anonymous({ gitCommit: OTHER_COMMIT }))).toEqual(['provenance_source_ambiguous']);
    expect(trial(anonymous({ gitCommit: COMMIT }), source)).toEqual([]);
    expect(trial(source, from({ gitCommit: OTHER_COMMIT }))).toEqual(['provenance_source_ambiguous']);
  });
});

describe('a review of an image with provenance', () => {
  const ofOther = () => build(predicate(from({ gitCommit: OTHER_COMMIT })), runner({}));
  const commits = (...ids: string[]): Subject[] => [
    ...about({ sha256: image.digest.slice('sha256:'.length) }),
    ...ids.map((gitCommit) => ({ name: 'commit', digest: { gitCommit } })),
  ];
  const { commit_sha: _, ...bare } = REVIEW;

  it('has to cover the commit that was built, beside that of the agent', () => {
    expect(codes([...good(), ofOther()], ruled())).toEqual(['review_other_build']);
    const both = review(bare, identity(DANA), commits(COMMIT, OTHER_COMMIT));
    expect(codes([imageSignature(), both, ofOther()], ruled())).toEqual([]);
    const builtAlone = review(bare, identity(DANA), commits(OTHER_COMMIT));
    expect(codes([imageSignature(), builtAlone, ofOther()], ruled())).toEqual(['review_other_commit']);
  });

  it('covers one of several builds of one image', () => {
    expect(codes([...good(), ofOther(), build()], ruled())).toEqual([]);
  });

  it('covers by the tree what was merged under another commit', () => {
    const merged = build(predicate(from({ gitCommit: OTHER_COMMIT, gitTree: TREE })), runner({}));
    const ofTree = (gitTree: string) =>
      review(REVIEW, identity(DANA), [...commits(COMMIT), { name: 'tree', digest: { gitTree } }]);
    expect(codes([imageSignature(), ofTree(TREE), merged], ruled())).toEqual([]);
    expect(codes([imageSignature(), ofTree('8'.repeat(40)), merged], ruled())).toEqual(['review_other_build']);
    // Of a tree alone nobody knows the commit, and the certificate's is not contradicted.
    const treeAlone = build(predicate(from({ gitTree: TREE })));
    expect(codes([imageSignature(), ofTree(TREE), treeAlone], ruled())).toEqual([]);
    expect(codes([...good(), treeAlone], ruled())).toEqual(['review_other_build']);
    const ofOtherTree = review(REVIEW, identity(DANA), about({ gitTree: '8'.repeat(40) }));
    expect(codes([imageSignature(), ofOtherTree, treeAlone], ruled())).toEqual(['review_other_image']);
    // A tree is no commit, and the reverse.
    const named = review(REVIEW, identity(DANA), [...commits(COMMIT), { name: 'x', digest: { gitCommit: TREE } }]);
    expect(codes([imageSignature(), named, merged], ruled())).toEqual(['review_other_build']);
  });

  it('may name the commit alone', () => {
    const ofCommit = (subject: Subject[], said: object = REVIEW, by = identity(DANA)) => review(said, by, subject);
    const trial = (...reviews: VerifiedSignature[]) => codes([imageSignature(), build(), ...reviews], ruled());
    expect(trial(ofCommit(about({ gitCommit: COMMIT })))).toEqual([]);
    expect(codes([imageSignature(), ofCommit(about({ gitCommit: COMMIT }))])).toEqual(['review_other_image']);
    expect(trial(ofCommit(about({ gitCommit: OTHER_COMMIT }), bare))).toEqual(['review_other_image']);
    const second = { name: 'second', digest: { gitCommit: OTHER_COMMIT } };
    expect(trial(ofCommit([second, ...about({ gitCommit: COMMIT })], bare))).toEqual([]);
    // What names a file or an image is about that one.
    const another = { name: 'other', digest: { sha256: OTHER_SHA256 } };
    expect(trial(ofCommit([...about({ gitCommit: COMMIT }), another]))).toEqual(['review_other_image']);
    expect(trial(ofCommit([{ name: 'x', digest: { gitCommit: COMMIT, sha256: OTHER_SHA256 } }]))).toEqual([
      'review_other_image',
    ]);
    expect(trial(ofCommit(about({ gitCommit: COMMIT }), { ...REVIEW, decision: 'rejected' }))).toContain(
      'review_rejected',
    );
    expect(trial(ofCommit(about({ gitCommit: COMMIT }), REVIEW, agent()))).toEqual(['review_signed_by_agent']);
  });

  it('of the commit alone needs provenance that counts', () => {
    const ofCommit = review(REVIEW, identity(DANA), about({ gitCommit: COMMIT }));
    for (const bad of [
      build(undefined, agent()),
      build(predicate()),
      build(undefined, runner(), about({ sha256: OTHER_SHA256 })),
    ]) {
      expect(codes([imageSignature(), ofCommit, bad], ruled())).toContain('review_other_image');
    }
  });
});

describe('an agent behind an image with provenance', () => {
  const ofCommit = (gitCommit = COMMIT, by = agent()) =>
    attestation(by, `${BASE}/agent-run/v1`, RUN, about({ gitCommit }));

  it('may have attested its run about the commit alone', () => {
    expect(codes([ofCommit(), review(), build()], ruled())).toEqual([]);
    expect(codes([ofCommit(), review()])).toEqual(['signature_other_image']);
    expect(codes([ofCommit(OTHER_COMMIT), review(), build()], ruled())).toEqual(['signature_other_image']);
  });

  it('stands for it by nothing but a run or a review', () => {
    const other = attestation(agent(), 'https://example.com/else/v1', {}, about({ gitCommit: COMMIT }));
    expect(codes([other, review(), build()], ruled())).toEqual(['no_signature']);
    const required = ruled('', `require: [{ issuer: https://issuer.example, subject: agent:writer }]`);
    expect(codes([ofCommit(), other, review(), build()], required)).toEqual([]);
    expect(codes([imageSignature(agent('agent:fixer')), other, review(), build()], required)).toEqual([
      'required_signature_missing',
    ]);
  });

  it('is refused by a rejection of its commit where the build names the tree alone', () => {
    const ofBoth = [{ name: 'source', digest: { gitTree: TREE, gitCommit: COMMIT } }];
    const whole = [
      attestation(agent(), `${BASE}/agent-run/v1`, RUN, ofBoth),
      review(REVIEW, identity(DANA), ofBoth),
      build(predicate(from({ gitTree: TREE })), runner({})),
    ];
    expect(codes(whole, ruled())).toEqual([]);
    const no = (commit_sha: string) =>
      review(
        { ...REVIEW, human_reviewer: 'eve@example.com', commit_sha, decision: 'rejected' },
        identity('reviewer:eve@example.com'),
        about({ gitCommit: commit_sha }),
      );
    expect(codes([...whole, no(COMMIT)], ruled())).toEqual(['review_rejected']);
    expect(codes([...whole, no(OTHER_COMMIT)], ruled())).toEqual([]);
  });

  it('is refused by its own no', () => {
    const no = attestation(
      agent(),
      `${BASE}/agent-run/v1`,
      { ...RUN, human_review: { approved: false } },
      about({ gitCommit: COMMIT }),
    );
    expect(codes([ofCommit(), no, review(), build()], ruled())).toEqual(['run_not_approved']);
  });
});

describe('the build runner', () => {
  it('is heard where it says no', () => {
    const failed = attestation(runner(), 'https://in-toto.io/attestation/test-result/v0.1', { result: 'FAILED' });
    expect(tried(build(), failed)).toEqual(['verdict_failed']);
    expect(codes([...good(), failed])).toEqual([]);
  });

  it('names commits whose rejection refuses', () => {
    const rejection = review(
      { ...REVIEW, commit_sha: OTHER_COMMIT, decision: 'rejected' },
      identity('reviewer:eve@example.com'),
      about({ gitCommit: OTHER_COMMIT }),
    );
    const ofOther = build(predicate(from({ gitCommit: OTHER_COMMIT })), runner({}));
    expect(tried(build(), ofOther, rejection)).toEqual(['review_rejected']);
    expect(tried(build(), rejection)).toEqual([]);
  });

  it('is asked for by the letter of the contract too, where that takes the place of the policy’s profile', () => {
    const spec = { ...ruled(), profile: 'spec' } as const;
    const bySpec = [imageSignature(), attestation(agent(), `${BASE}/agent-review/v1`, REVIEW)];
    expect(codes(bySpec, spec)).toEqual(['provenance_missing']);
    expect(codes([...bySpec, build()], spec)).toEqual([]);
  });
});
