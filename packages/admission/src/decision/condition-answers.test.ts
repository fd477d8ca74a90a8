import { expect, test } from 'vitest';
import {
  agent,
  attestation,
  BASE,
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
