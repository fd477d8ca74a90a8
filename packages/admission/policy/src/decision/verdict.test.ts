import { describe, expect, it } from 'vitest';
import {
  agent,
  attestation,
  BASE,
  CI,
  COMMIT,
  codes,
  decide,
  ISSUER,
  identity,
  image,
  imageSignature,
  policy,
  RUN,
  review,
  run,
} from '../../test/image-evidence.ts';
import { parsePolicy } from '../policy/policy.ts';
import { refuseUncovered } from './decision.ts';
import { hasException } from './exception.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z') / 1000;
const good = () => [imageSignature(), review()];
function under(rest: string) {
  const parsed = parsePolicy(`version: 1\nname: p\nimages: [ghcr.io/acme/**]\n${rest}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return { policies: [parsed.value], nowSeconds: NOW };
}
const legacy = (more = '') => `legacy: { digests: ["${image.digest}"], owner: o, reason: r${more} }`;

describe('a verdict', () => {
  const always =
    'admitted agent_signatures contradictions differences mode policy profile reasons requirements reviews withdrawn_rejections';
  const keys = (verdict: object | undefined) =>
    Object.keys(verdict ?? {})
      .sort()
      .join(' ');

  it('has what its policy asks for, and nothing else', () => {
    const plain = decide(good());
    expect([keys(plain), keys(plain.verdicts[0])]).toEqual(['admitted reasons verdicts warnings', always]);
    const aged = decide(good(), { policies: [policy('review: { maxAge: 3h }')], nowSeconds: NOW });
    expect([keys(aged), keys(aged.verdicts[0])]).toEqual([
      'admitted reasons valid_until verdicts warnings',
      always.replace('withdrawn', 'valid_until withdrawn'),
    ]);
    const old = decide([], under(legacy()));
    expect(keys(old.verdicts[0])).toBe(always.replace('mode', 'legacy mode'));
    expect(keys(old.verdicts[0]?.legacy)).toBe('owner reason');
  });

  it('shows of a refused image nothing by which it would pass', () => {
    const [refused] = decide([imageSignature(agent('agent:x'))], under(legacy())).verdicts;
    expect([refused?.admitted, keys(refused)]).toEqual([false, always]);
    const required = policy(`require: [{ issuer: ${CI}, subject: build }]`);
    const [missing] = decide([imageSignature(), imageSignature(identity('build', { issuer: CI }))], {
      policies: [required],
    }).verdicts;
    expect([missing?.requirements, missing?.agent_signatures, missing?.reviews]).toEqual([[], [], []]);
  });

  it('says why nothing was looked at', () => {
    expect(refuseUncovered('ghcr.io/acme/app').reasons[0]?.message).toBe('No policy covers the image.');
    expect(refuseUncovered('no name!').reasons[0]?.message).toBe('The image has a name that no registry accepts.');
  });
});

describe('an image of which everything said no, and that was withdrawn', () => {
  const LEAD = 'reviewer:lead@example.com';
  const id = '7'.repeat(64);
  const withdrawn = attestation(identity(LEAD), `${BASE}/review-withdrawal/v1`, {
    ...{ rejection: id, reason: 'left', withdrawn_at: '2026-11-21T11:00:00Z' },
  });
  const led = { policies: [policy(`review: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "${LEAD}" }] }`)] };
  const no = { ...run({ ...RUN, human_review: { approved: false } }), bundle_digest: `sha256:${id}` };

  it('has nothing left that says yes', () => {
    expect(codes([no, review()], led)).toEqual(['run_not_approved']);
    expect(codes([no, withdrawn, review()], led)).toEqual(['review_missing']);
    expect(decide([no, withdrawn, review()], led).reasons[0]?.message).toContain('After the withdrawal');
    expect(
      codes([no, withdrawn, review(), imageSignature(agent('agent:writer', { commit_sha: COMMIT }))], led),
    ).toEqual([]);
  });
});

it('an exception is in force for its digest and its time', () => {
  const { policies } = under(
    `agent: { issuer: ${ISSUER}, subject: agent:writer }\nexceptions: [{ digest: "${image.digest}", owner: o, reason: r, from: 2026-11-21T11:00:00Z, until: 2026-11-21T13:00:00Z }]`,
  );
  const isExcepted = (digest: string, now?: number) => hasException(policies[0]!, digest, now);
  expect(isExcepted(image.digest, NOW)).toBe(true);
  expect(isExcepted(image.digest, NOW + 3600)).toBe(false);
  expect(isExcepted(image.digest)).toBe(false);
  expect(isExcepted(`sha256:${'c'.repeat(64)}`, NOW)).toBe(false);
});
