import type { Subject } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import {
  agent,
  attestation,
  BASE,
  CI,
  COMMIT,
  decide,
  identity,
  image,
  imageSignature,
  OTHER_COMMIT,
  OTHER_SHA256,
  policy,
  REVIEW,
  review,
  SHA256,
} from '../../test/image-evidence.ts';
import { type Condition, MAX_CONDITION_STEPS } from '../condition/condition.ts';
import { ConditionAnswers, MAX_DECISION_STEPS } from './condition-answers.ts';
import type { Attestation } from './image-evidence.ts';

/** A policy whose conditions note with how many steps they are asked. */
function asking(count: number, holds = true) {
  const asked: Array<number | undefined> = [];
  const conditions = Array.from({ length: count }, (_, index): Condition => {
    return {
      ...{ ok: true, text: `${index}`, unknownMembers: [] },
      evaluate: (_input, most) => {
        asked.push(most);
        return { ok: true, value: holds };
      },
    };
  });
  const plain = policy();
  return { asked, policy: { ...plain, review: { ...plain.review, conditions } } };
}
const NOTHING = { signatures: [], attestations: [], elsewhere: [], digests: [image.digest] };
const reviews = (count: number, by = identity('reviewer:dana@example.com')) =>
  Array.from({ length: count }, (_, n) => review({ ...REVIEW, comment: `${n}` }, by) as Attestation);

test.each([
  [1, 1, MAX_CONDITION_STEPS],
  [5, 1, MAX_CONDITION_STEPS],
  [3, 2, Math.floor(MAX_DECISION_STEPS / 6)],
  [7, 1, Math.floor(MAX_DECISION_STEPS / 7)],
])('%i reviews and %i conditions get the same part of the steps each', (count, conditions, most) => {
  const one = asking(conditions);
  const all = reviews(count);
  const answers = new ConditionAnswers({
    image,
    policies: [one.policy],
    evidence: { ...NOTHING, attestations: all },
  });
  for (const statement of all) answers.unmet(one.policy, statement);
  expect(one.asked).toEqual(new Array(count * conditions).fill(most));
});

test('policies share the steps, and reviews of elsewhere take part', () => {
  const [one, other] = [asking(2), asking(3)];
  const [first, ...elsewhere] = reviews(4);
  const evidence = { ...NOTHING, attestations: [first!], elsewhere };
  new ConditionAnswers({ image, policies: [one.policy, other.policy], evidence }).unmet(one.policy, first!);
  expect(one.asked).toEqual(new Array(2).fill(MAX_DECISION_STEPS / 20));
});

test('signers whom no policy names, and statements that are no reviews, take no part', () => {
  const one = asking(2);
  const [first] = reviews(1);
  const others = reviews(40, identity('reviewer:dana@example.com', { issuer: 'https://other.example' }));
  const run = attestation(identity('reviewer:dana@example.com'), `${BASE}/agent-run/v1`, {}) as Attestation;
  const evidence = { ...NOTHING, attestations: [...others, run, first!], elsewhere: others };
  new ConditionAnswers({ image, policies: [one.policy], evidence }).unmet(one.policy, first!);
  expect(one.asked).toEqual([MAX_CONDITION_STEPS, MAX_CONDITION_STEPS]);
});

test('a condition is asked about the statement, its certificate and the image, and nothing is said where it holds', () => {
  const one = asking(1);
  const [first] = reviews(1);
  const inputs: unknown[] = [];
  const conditions = one.policy.review.conditions.map((condition): Condition => {
    const evaluate: Condition['evaluate'] = (input) => {
      inputs.push(input);
      return { ok: true, value: true };
    };
    return { ...condition, evaluate };
  });
  const asked = { ...one.policy, review: { ...one.policy.review, conditions } };
  const evidence = { ...NOTHING, attestations: [first!] };
  expect(new ConditionAnswers({ image, policies: [asked], evidence }).unmet(asked, first!)).toEqual([]);
  const { statement, certificate_identity: certificate } = first!;
  expect(inputs).toEqual([{ predicate: statement.predicate, statement, certificate, image }]);
});

test('a statement is asked once for each policy, whoever wants to know', () => {
  const one = asking(1);
  const yes = review() as Attestation;
  const no = review({ ...REVIEW, decision: 'rejected' });
  expect(decide([imageSignature(), no, yes], { policies: [one.policy] }).admitted).toBe(false);
  expect(one.asked.length).toBeLessThanOrEqual(2);
  const failing = asking(1, false);
  const answers = new ConditionAnswers({
    image,
    policies: [failing.policy],
    evidence: { ...NOTHING, attestations: [yes] },
  });
  expect([0, 1].map(() => answers.unmet(failing.policy, yes).map(({ code, found }) => [code, found]))).toEqual(
    new Array(2).fill([['admission.condition_failed', 'false']]),
  );
  expect(failing.asked).toHaveLength(1);
});

test('copies, a no, agents, and what is about other images or their commits take no part in the steps of the image', () => {
  const one = asking(2);
  const [first] = reviews(1);
  const copies = Array.from({ length: 10 }, () => ({ ...first!, log_entry: { ...first!.log_entry, log_index: 900 } }));
  const no = Array.from({ length: 10 }, (_, n) => review({ ...REVIEW, decision: 'rejected', comment: `${n}` }));
  const byAgent = reviews(10, agent());
  const of = (digest: Record<string, string>) =>
    Array.from({ length: 10 }, (_, n) => review({ ...REVIEW, comment: `${n}` }, undefined, [{ digest }]));
  const elsewhere = [
    ...of({ sha256: OTHER_SHA256 }),
    ...of({ gitCommit: OTHER_COMMIT }),
    ...of({ sha256: OTHER_SHA256, gitCommit: COMMIT }),
  ];
  const evidence = { ...NOTHING, attestations: [first!, ...copies, ...no, ...byAgent] as Attestation[], elsewhere };
  const answers = new ConditionAnswers({ image, policies: [one.policy], evidence });
  for (const asked of [first!, ...copies]) answers.unmet(one.policy, asked);
  expect(one.asked).toEqual([MAX_CONDITION_STEPS, MAX_CONDITION_STEPS]);
  answers.unmet(one.policy, elsewhere[0] as Attestation);
  expect(one.asked.slice(2)).toEqual(new Array(2).fill(Math.floor(MAX_DECISION_STEPS / 60)));
});

test('what is about the commit of the image alone, or about a manifest in it, takes part', () => {
  const one = asking(2);
  const [first] = reviews(1);
  const elsewhere = [{ gitCommit: COMMIT }, { sha256: OTHER_SHA256 }].map((digest) =>
    review(REVIEW, undefined, [{ digest }]),
  );
  const evidence = {
    ...NOTHING,
    digests: [image.digest, `sha256:${OTHER_SHA256}`],
    signatures: [imageSignature()],
    attestations: [first!],
    elsewhere,
  };
  const answers = new ConditionAnswers({ image, policies: [one.policy], evidence });
  for (const asked of [first!, ...elsewhere]) answers.unmet(one.policy, asked as Attestation);
  expect(one.asked).toEqual(new Array(6).fill(Math.floor(MAX_DECISION_STEPS / 6)));
});

const STRANGER = identity('reviewer:eve@example.com', { issuer: 'https://other.example' });
const BUILDER = identity('build', { issuer: CI });
const SLSA = 'https://slsa.dev/provenance/v1';
/** A commit with letters in its id. */
const [ABC, TREE] = ['abc'.padEnd(40, '1'), 'def'.padEnd(40, '1')];

const BUILT = `provenance: { issuer: ${CI}, subject: build }`;
/** A policy that names a builder, too, and what a first review is given with this evidence beside it. */
function given(
  evidence: Partial<ConstructorParameters<typeof ConditionAnswers>[0]['evidence']>,
  more = BUILT,
  profile?: 'strict' | 'spec',
) {
  const one = asking(1);
  const plain = policy(more);
  const asked = { ...plain, review: { ...plain.review, conditions: one.policy.review.conditions } };
  const [first] = reviews(1);
  const all = { ...NOTHING, ...evidence, attestations: [first!, ...(evidence.attestations ?? [])] };
  new ConditionAnswers({ image, policies: [asked], profile, evidence: all }).unmet(asked, first!);
  return one.asked[0];
}
const shareOfAll = (questions: number) => Math.floor(MAX_DECISION_STEPS / questions);
const tenReviews = (by = identity('reviewer:dana@example.com'), type = `${BASE}/agent-review/v1`) =>
  Array.from({ length: 10 }, (_, n) => attestation(by, type, { ...REVIEW, comment: `${n}` }) as Attestation);

test('statements of other types take no part, and reviews under any base or of a type of the policy’s own do', () => {
  expect(given({ attestations: tenReviews(undefined, 'https://x.example/scan') })).toBe(MAX_CONDITION_STEPS);
  const ofOther = tenReviews(undefined, 'https://other.example/agent-review/v1');
  expect(given({ attestations: ofOther })).toBe(shareOfAll(11));
  const own = 'negatives: none\nreview: { predicateType: "https://acme.example/review" }';
  expect(given({ attestations: tenReviews(undefined, 'https://acme.example/review') }, own)).toBe(shareOfAll(11));
});

test('a builder, whose reviews no rule asks for, takes no part, but for whom a rule of signers accepts', () => {
  const claimed = { ...BUILDER, claims: { human_reviewer: 'dana@example.com' } };
  expect(given({ attestations: tenReviews(BUILDER) })).toBe(MAX_CONDITION_STEPS);
  expect(given({ attestations: tenReviews(claimed) })).toBe(shareOfAll(11));
  const required = `${BUILT}\nrequire: [{ issuer: ${CI}, subject: build }, { issuer: ${CI}, subject: other }]`;
  expect(given({ attestations: tenReviews(BUILDER) }, required)).toBe(shareOfAll(11));
});

test('by the letter of the contract agents and a no take part', () => {
  const no = Array.from(tenReviews(), (one, n) => {
    return review({ ...REVIEW, decision: 'rejected', comment: `${n}` }, one.certificate_identity) as Attestation;
  });
  for (const attestations of [tenReviews(agent()), no]) {
    expect(given({ attestations })).toBe(MAX_CONDITION_STEPS);
    expect(given({ attestations }, 'profile: spec')).toBe(shareOfAll(11));
    expect(given({ attestations }, '', 'spec')).toBe(shareOfAll(11));
    expect(given({ attestations }, 'profile: spec', 'strict')).toBe(MAX_CONDITION_STEPS);
  }
});

describe('what is attached elsewhere takes part', () => {
  const elsewhere = (digest: Record<string, string>) =>
    Array.from({ length: 10 }, (_, n) => review({ ...REVIEW, comment: `${n}` }, undefined, [{ digest }]));
  const isNear = (digest: Record<string, string>, evidence: Parameters<typeof given>[0] = {}) => {
    const most = given({ ...evidence, elsewhere: elsewhere(digest) });
    expect([MAX_CONDITION_STEPS, shareOfAll(11 + (evidence.attestations?.length ?? 0)), shareOfAll(11)]).toContain(
      most,
    );
    return most !== MAX_CONDITION_STEPS;
  };
  const digests = [image.digest, `sha256:${OTHER_SHA256}`];

  test('where one of its digests is that of a manifest in the image', () => {
    expect(isNear({ sha256: OTHER_SHA256 }, { digests })).toBe(true);
    expect(isNear({ sha512: OTHER_SHA256, sha256: OTHER_SHA256 }, { digests })).toBe(true);
    expect(isNear({ sha512: OTHER_SHA256 }, { digests })).toBe(false);
    expect(isNear({ sha256: OTHER_SHA256 })).toBe(false);
  });

  test('where one of its commits or trees is named by a certificate, in whatever case', () => {
    const signatures = [imageSignature(agent('agent:writer', { commit_sha: ABC }))];
    expect(isNear({ gitCommit: ABC }, { signatures })).toBe(true);
    expect(isNear({ gitCommit: ABC.toUpperCase() }, { signatures })).toBe(true);
    expect(isNear({ gitCommit: ABC, gitTree: TREE }, { signatures })).toBe(true);
    expect(isNear({ gitCommit: ABC, sha256: OTHER_SHA256 }, { signatures })).toBe(false);
    expect(isNear({ gitCommit: ABC })).toBe(false);
    const shouted = [imageSignature(agent('agent:writer', { commit_sha: ABC.toUpperCase() }))];
    expect(isNear({ gitCommit: ABC }, { signatures: shouted })).toBe(true);
  });

  test('where a statement about the image names its commit or tree', () => {
    const about = { name: 'app', digest: { sha256: SHA256 } };
    const scan = (subject: Subject[], predicate: object = {}) =>
      [attestation(BUILDER, SLSA, predicate, subject)] as Attestation[];
    expect(isNear({ gitCommit: ABC }, { attestations: scan([about, { digest: { gitCommit: ABC } }]) })).toBe(true);
    expect(isNear({ gitTree: TREE }, { attestations: scan([about, { digest: { gitTree: TREE } }]) })).toBe(true);
    const built = (digest: object) => ({
      buildDefinition: {
        buildType: 'https://x.example/build',
        externalParameters: {},
        resolvedDependencies: [{ uri: 'git+https://forge.example/acme/app', digest }],
      },
      runDetails: { builder: { id: 'https://x.example/builder' } },
    });
    expect(isNear({ gitCommit: ABC }, { attestations: scan([about], built({ gitCommit: ABC })) })).toBe(true);
    expect(isNear({ gitTree: TREE }, { attestations: scan([about], built({ gitTree: TREE })) })).toBe(true);
    expect(isNear({ gitTree: TREE }, { attestations: scan([about]) })).toBe(false);
  });

  test('never by the word of a stranger, and a plain signature there is no statement', () => {
    const strangers = [imageSignature({ ...STRANGER, claims: { commit_sha: ABC } })];
    expect(isNear({ gitCommit: ABC }, { signatures: strangers })).toBe(false);
    expect(given({ elsewhere: [imageSignature()] })).toBe(MAX_CONDITION_STEPS);
  });
});
