import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agent,
  CI,
  COMMIT,
  codes,
  DANA,
  decide,
  identity,
  image,
  imageSignature,
  OTHER_COMMIT,
  policy,
  REVIEW,
  RUN,
  review,
  run,
} from '../../test/image-evidence.ts';

const good = () => [imageSignature(), review(REVIEW, identity(DANA))];
/** The model differs from that of the certificate, so it is no signature, and the good one is still there. */
const lie = (by = 'agent:writer') =>
  run({ ...RUN, model: { id: 'x', provider: 'p' } }, agent(by, { commit_sha: COMMIT, model_id: 'm' }));
const nowSeconds = Date.parse('2026-11-21T12:00:00Z') / 1000;
const refusing = policy('contradictions: refuse');

describe('a contradiction among signers that a policy names', () => {
  test.each(['', 'contradictions: warn', 'profile: spec'])('is a warning under %j', (more) => {
    const decision = decide([...good(), review(REVIEW, agent()), lie()], { policies: [policy(more)] });
    expect(decision.admitted).toBe(true);
    expect(decision.warnings.map(({ code, policy: name }) => [code, name])).toEqual([
      ['admission.contradiction_seen', 'production'],
    ]);
    expect(decision.warnings[0]?.found).toBe('model.id: x and m');
    expect(decision.verdicts[0]?.contradictions).toHaveLength(1);
  });

  test('refuses where the policy says so, once, and is no warning then', () => {
    const decision = decide([...good(), lie(), lie('agent:fixer')], { policies: [refusing] });
    expect(decision.reasons.map(({ code }) => code)).toEqual(['admission.contradiction']);
    expect(decision.warnings).toEqual([]);
    expect(codes(good(), { policies: [refusing] })).toEqual([]);
  });

  test('would refuse under a policy that only watches', () => {
    const decision = decide([...good(), lie()], { policies: [policy('contradictions: refuse\nmode: audit')] });
    expect([decision.admitted, decision.warnings.map(({ code }) => code)]).toEqual([true, ['admission.contradiction']]);
  });

  test('is excused by no exception', () => {
    const exception = `exceptions: [{ digest: "${image.digest}", owner: o, reason: r, from: 2026-11-21T11:00:00Z, until: 2026-11-21T13:00:00Z }]`;
    const excepting = policy(`contradictions: refuse\n${exception}`);
    expect(codes([lie()], { policies: [excepting], nowSeconds })).toContain('contradiction');
    expect(decide([], { policies: [excepting], nowSeconds }).admitted).toBe(true);
  });
});

test('what only differs is in the verdict, and neither warns nor refuses', () => {
  const later = run(
    { ...RUN, model: { id: 'n', provider: 'p' } },
    agent('agent:writer', { commit_sha: COMMIT, model_id: 'n' }),
  );
  const first = run(RUN, agent('agent:writer', { commit_sha: COMMIT, model_id: 'm' }));
  const decision = decide([...good(), first, later], { policies: [refusing] });
  expect([decision.admitted, decision.warnings]).toEqual([true, []]);
  expect(decision.verdicts[0]?.contradictions).toEqual([]);
  expect(decision.verdicts[0]?.differences.map(({ field }) => field)).toEqual(['model_id']);
});

test('the words of whom no rule names change neither count', () => {
  const strangers = fc.constantFrom(
    lie('agent:nobody'),
    { ...lie(), certificate_identity: { ...lie().certificate_identity, issuer: CI } },
    imageSignature(agent('agent:nobody', { commit_sha: OTHER_COMMIT, repo: 'x/y' })),
    review({ ...REVIEW, decision: 'rejected', commit_sha: OTHER_COMMIT }, identity(DANA, { issuer: CI })),
    run({ ...RUN, human_review: { reviewer: 'dana@example.com', approved: false } }, agent('agent:nobody')),
  );
  const named = fc.subarray([...good(), lie(), imageSignature(agent('agent:writer', { commit_sha: OTHER_COMMIT }))]);
  fc.assert(
    fc.property(named, fc.array(strangers, { maxLength: 4 }), fc.constantFrom('warn', 'refuse'), (own, more, key) => {
      const policies = [policy(`contradictions: ${key}`)];
      const counts = ({ verdicts: [verdict] }: ReturnType<typeof decide>) => [
        verdict?.contradictions.length,
        verdict?.differences.length,
      ];
      expect(counts(decide([...own, ...more], { policies }))).toEqual(counts(decide(own, { policies })));
    }),
  );
});
