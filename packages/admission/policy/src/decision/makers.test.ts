import { generateKeyPairSync } from 'node:crypto';
import { keyIdentity, type VerifiedSignature } from '@colophon/records';
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
  policy,
  REVIEW,
  RUN,
  review,
  run,
  SHA256,
} from '../../test/image-evidence.ts';
import { type Policy, parsePolicy } from '../policy/policy.ts';
import { publicKeyName } from '../public-key/public-key.ts';
import { type AdmissionInput, MAX_SIGNATURES } from './decision.ts';

const seconds = (time: string) => Date.parse(time) / 1000;
const NOON = seconds('2026-11-21T12:00:00Z');

function loaded(rest: string): Policy {
  const parsed = parsePolicy(`version: 1\nname: production\nimages: [ghcr.io/acme/**]\n${rest}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}
const under = (rest: string, more: Partial<AdmissionInput> = {}) => ({
  policies: [loaded(rest)],
  nowSeconds: NOON,
  ...more,
});
const good = () => [imageSignature(), review()];

describe('how old a signature may be', () => {
  it.each([
    ['agent', (age: string) => policyWith(`, maxAge: ${age}`, ''), 'signature_too_old'],
    ['review', (age: string) => policyWith('', `review: { maxAge: ${age} }`), 'review_too_old'],
  ])('of the %s', (_who, ofAge, code) => {
    // Signed at 10:00, and it is 12:00.
    expect(codes(good(), { policies: [ofAge('2h')], nowSeconds: NOON })).toEqual([]);
    expect(codes(good(), { policies: [ofAge('2h')], nowSeconds: NOON + 1 })).toEqual([code]);
    expect(codes(good(), { policies: [ofAge('2h')] })).toEqual([code]);
  });

  it('is where the admission ends', () => {
    const both = policyWith(', maxAge: 3h', 'review: { maxAge: 150m }');
    const decision = decide(good(), { policies: [both], nowSeconds: NOON });
    expect([decision.valid_until, decision.verdicts[0]?.valid_until]).toEqual(Array(2).fill('2026-11-21T12:30:00Z'));
    expect(decide(good()).valid_until).toBeUndefined();
    expect(decide([], { policies: [both], nowSeconds: NOON }).valid_until).toBeUndefined();
  });

  it('is that of the list of rejections too', () => {
    const list = {
      from: 'https://x.example',
      sequence: 1,
      time: '2026-11-21T11:55:00Z',
      rejections: [],
      withdrawals: [],
    };
    const negatives = () => ({ kind: 'list', list }) as const;
    expect(decide(good(), { negatives }).valid_until).toBe('2026-11-21T12:10:00Z');
    const signer = '{ issuer: https://x.example, subject: s }';
    const shorter = policy(`negatives: { from: https://x.example, signer: ${signer}, maxAge: 10m }`);
    expect(decide(good(), { negatives, policies: [policy(), shorter] }).valid_until).toBe('2026-11-21T12:05:00Z');
    const made = { ...list, made_at: '2026-11-21T11:54:00Z' };
    const readWith = (maxAgeSeconds: number, nowSeconds?: number, policies = [policy(), shorter]) => {
      const view = { kind: 'list', list: made, maxAgeSeconds } as const;
      const at = nowSeconds === undefined ? {} : { nowSeconds };
      return decide(good(), { negatives: () => view, policies, ...at }).valid_until;
    };
    // As old as whoever read it lets it be, whether that is more or less than a policy without a list has.
    expect([readWith(3600), readWith(60)]).toEqual(['2026-11-21T12:54:00Z', '2026-11-21T11:55:00Z']);
    // A list that is over already, as one of a pack may be, makes no end that is past.
    expect(readWith(60, NOON)).toBe('2026-11-21T12:00:00Z');
    expect(readWith(3600, NOON)).toBe('2026-11-21T12:54:00Z');
  });

  const policyWith = (agent: string, more: string) => policy(more, `subjectRegExp: "agent:(writer|fixer)"${agent}`);
});

describe('models and policy packs', () => {
  const claims = {
    commit_sha: COMMIT,
    model_id: 'claude-4',
    model_provider: 'anthropic',
    policy_pack_hash: `sha256:${'d'.repeat(64)}`,
  };
  const signed = (more: object = {}) => [imageSignature(agent('agent:writer', { ...claims, ...more })), review()];
  const models = (rule: string) => ({ policies: [policy(`models: ${rule}`)] });

  it('have to be among those that the policy names', () => {
    expect(codes(signed(), models('[{ id: gpt-5 }, { id: "claude-*", provider: anthropic }]'))).toEqual([]);
    expect(codes(signed(), models('[{ id: claude-4 }]'))).toEqual([]);
    expect(codes(signed(), models('[{ id: gpt-5 }]'))).toEqual(['model_not_allowed']);
    expect(codes(signed(), models('[{ id: claude-4, provider: bedrock }]'))).toEqual(['model_not_allowed']);
    expect(codes(signed({ model_provider: 'unknown' }), models('[{ id: claude-4, provider: anthropic }]'))).toEqual([
      'model_not_allowed',
    ]);
    expect(codes(signed({ model_id: 'unknown' }), models('[{ id: "**" }]'))).toEqual(['claim_unknown']);
  });

  it('of policy packs count by their hash', () => {
    const packs = (letter: string) => ({
      policies: [policy(`policyPacks: [{ name: default, hash: "sha256:${letter.repeat(64)}" }]`)],
    });
    expect(codes(signed(), packs('d'))).toEqual([]);
    expect(codes(signed(), packs('e'))).toEqual(['policy_pack_not_allowed']);
    expect(codes(signed({ policy_pack_hash: undefined }), packs('d'))).toEqual(['claim_unknown']);
  });

  it('have to be those that were requested, by every run of the agent', () => {
    const asked = { policies: [policy('modelAsRequested: true')] };
    const ran = (requested?: string, id = 'm') =>
      run({ ...RUN, model: { id, provider: 'p', ...(requested && { requested }) } });
    const by = (...runs: VerifiedSignature[]) => codes([...good(), ...runs], asked);
    expect(by(ran('m'))).toEqual([]);
    expect(by(ran('m', 'm-20260101'))).toEqual([]);
    expect(by()).toEqual(['model_request_unknown']);
    expect(by(ran())).toEqual(['model_request_unknown']);
    const why = (...runs: VerifiedSignature[]) => decide([...good(), ...runs], asked).reasons[0]?.message;
    expect(why()).toBe('No run of the agent was found that would say which model was requested.');
    expect(why(ran())).toBe('A run of the agent does not say which model was requested.');
    expect(by(ran('m'), ran())).toEqual(['model_request_unknown']);
    expect(by(ran('m', 'mini'))).toEqual(['model_substituted']);
    expect(by(ran('m'), ran('m', 'mini'))).toEqual(['model_substituted']);
    // Another's word about the run changes nothing.
    const stranger = attestation(identity('agent:other'), `${BASE}/agent-run/v1`, {
      ...RUN,
      model: { id: 'x', provider: 'p', requested: 'y' },
    });
    expect(by(ran('m'), stranger)).toEqual([]);
  });
});

describe('images that people made', () => {
  const HUMAN = `human: { issuer: ${CI}, subject: build }`;
  const build = (more: object = {}) => imageSignature(identity('build', { issuer: CI, ...more }));

  it('are signed by whom the policy names, and need no review unless it asks for one', () => {
    const decision = decide([build()], under(HUMAN));
    expect([decision.admitted, decision.verdicts[0]?.human_signatures?.length]).toEqual([true, 1]);
    expect(decision.verdicts[0]?.agent_signatures).toEqual([]);
    expect(codes([], under(HUMAN))).toEqual(['no_signature']);
    expect(codes([imageSignature(identity('other', { issuer: CI }))], under(HUMAN))).toEqual(['human_not_approved']);
    expect(codes([attestation(identity('build', { issuer: CI }), `${BASE}/x`, {})], under(HUMAN))).toEqual([
      'no_signature',
    ]);
  });

  it('are no images of agents, whoever else signed them', () => {
    expect(codes([build(), imageSignature()], under(HUMAN))).toEqual(['made_by_agent']);
    expect(codes([build(), imageSignature(agent('agent:stranger'))], under(HUMAN))).toEqual(['made_by_agent']);
    expect(codes([build(), run(RUN)], under(HUMAN))).toEqual(['made_by_agent']);
    for (const type of [
      'https://slsa.dev/provenance/v0.2',
      'https://slsa.dev/provenance/v1.1',
      `${BASE}/agent-run/v2`,
    ]) {
      expect(codes([build(), attestation(agent(), type, {})], under(HUMAN)), type).toEqual(['made_by_agent']);
    }
    expect(codes([build(), attestation(agent(), 'https://cyclonedx.org/bom', {})], under(HUMAN))).toEqual([]);
    expect(
      codes(
        [build(), { ...imageSignature(), format: 'older-signature' as const }],
        under(`${HUMAN}\nsignatureFormat: bundle`),
      ),
    ).toEqual(['signature_rejected', 'made_by_agent']);
  });

  it('are reviewed where the policy says so, at the commit that the build names', () => {
    const reviewed = under(`${HUMAN}\nreview: { issuer: ${ISSUER} }`);
    const built = build({ claims: { commit_sha: COMMIT } });
    expect(codes([built, review()], reviewed)).toEqual([]);
    expect(codes([built], reviewed)).toEqual(['review_missing']);
    expect(codes([built, review({ ...REVIEW, commit_sha: OTHER_COMMIT })], reviewed)).toEqual(['review_other_commit']);
    expect(codes([built, review({ ...REVIEW, decision: 'rejected' })], reviewed)).toContain('review_rejected');
  });

  it('may be too old', () => {
    expect(codes([build()], under(`human: { issuer: ${CI}, subject: build, maxAge: 1h }`))).toEqual([
      'signature_too_old',
    ]);
    expect(decide([build()], under(`human: { issuer: ${CI}, subject: build, maxAge: 3h }`)).valid_until).toBe(
      '2026-11-21T13:00:00Z',
    );
  });
});

describe('images of old', () => {
  const legacy = (more = '', digest = SHA256) =>
    `legacy: { digests: ["sha256:${digest}"], owner: ops, reason: vendor${more} }`;

  it('pass by their digest alone, until the time that the policy names', () => {
    const decision = decide([], under(legacy(', until: 2026-11-21T13:00:00Z')));
    expect([decision.admitted, decision.valid_until]).toEqual([true, '2026-11-21T13:00:00Z']);
    expect(decision.verdicts[0]?.legacy).toEqual({ owner: 'ops', reason: 'vendor', until: '2026-11-21T13:00:00Z' });
    expect(codes([], under(legacy()))).toEqual([]);
    expect(codes([], under(legacy('', 'c'.repeat(64))))).toEqual(['legacy_not_listed']);
    expect(codes([], under(legacy(', until: 2026-11-21T12:00:00Z')))).toEqual(['legacy_ended']);
    expect(codes([], under(legacy(', until: 2026-11-21T13:00:00Z'), { nowSeconds: undefined as never }))).toEqual([
      'legacy_ended',
    ]);
  });

  it('are no images of agents', () => {
    expect(codes([imageSignature()], under(legacy()))).toEqual(['made_by_agent']);
  });

  it('are unread where not everything could be read', () => {
    const incomplete = [{ code: 'image.attachment_unreadable', message: 'x' }];
    expect(codes([], under(legacy(), { incomplete }))).toEqual(['evidence_incomplete']);
  });
});

describe('signatures by a key', () => {
  const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const key = JSON.stringify(pem);
  const by = keyIdentity(publicKeyName(pem) as string);

  it('make an agent’s image by a run, whose own words are its claims', () => {
    const keyed = under(`agent: { key: ${key} }\nreview: { issuer: ${ISSUER} }`);
    expect(codes([run(RUN, by), review()], keyed)).toEqual([]);
    expect(codes([imageSignature(by), review()], keyed)).toEqual(['claim_unknown']);
    expect(decide([imageSignature(by), review()], keyed).reasons[0]?.message).toBe(
      'A bare key certifies no commit_sha: the run that it signed has to say it, and none does.',
    );
    expect(decide([imageSignature(agent('agent:writer', {})), review()]).reasons[0]?.message).toBe(
      'The certificate of agent:writer has no commit_sha.',
    );
    expect(codes([run({ ...RUN, git: { commit_sha: OTHER_COMMIT } }, by), review()], keyed)).toEqual([
      'review_other_commit',
    ]);
    expect(codes([run({ ...RUN, git: undefined }, by), review()], keyed)).toContain('claim_unknown');
    const sourced = under(
      `agent: { key: ${key} }\nreview: { issuer: ${ISSUER} }\nsources: { commit_sha: [caller-token] }`,
    );
    expect(codes([run(RUN, by), review()], sourced)).toEqual(['source_not_allowed']);
  });

  it('count for people’s images, for builds and for `require`', () => {
    expect(codes([imageSignature(by)], under(`human: { key: ${key} }`))).toEqual([]);
    const required = { policies: [policy(`require: [{ key: ${key} }]`)] };
    expect(codes([...good(), imageSignature(by)], required)).toEqual([]);
    expect(codes(good(), required)).toEqual(['required_signature_missing']);
  });

  it('say no, too', () => {
    const test = attestation(by, 'https://in-toto.io/attestation/test-result/v0.1', { result: 'FAILED' });
    expect(codes([...good(), test], { policies: [policy(`require: [{ key: ${key} }]`)] })).toContain('verdict_failed');
  });

  it('review nothing: a key is no person', () => {
    expect(codes([imageSignature(), review(REVIEW, by)], {})).toEqual(['reviewer_not_accepted']);
  });
});

describe('exceptions', () => {
  const exception = (digest = SHA256, from = '2026-11-21T11:00:00Z', until = '2026-11-21T13:00:00Z') =>
    `exceptions: [{ digest: "sha256:${digest}", owner: ops, reason: fire, from: ${from}, until: ${until} }]`;
  const excepted = (rule = exception(), more: Partial<AdmissionInput> = {}) => ({
    policies: [policy(rule)],
    nowSeconds: NOON,
    ...more,
  });

  it('let one image pass without evidence, say so, and end', () => {
    const decision = decide([], excepted());
    expect([decision.admitted, decision.valid_until]).toEqual([true, '2026-11-21T13:00:00Z']);
    expect(decision.warnings.map(({ code, policy }) => [code, policy])).toEqual([
      ['admission.exception', 'production'],
    ]);
    expect(decision.warnings[0]?.found).toContain(
      'ops: fire; instead of admission.no_signature, admission.review_missing',
    );
    expect(decision.verdicts[0]?.exception?.excuses).toEqual(['admission.no_signature', 'admission.review_missing']);
    expect(decision.verdicts[0]?.agent_signatures).toEqual([]);
  });

  it('are for one digest and one time', () => {
    expect(codes([], excepted(exception('c'.repeat(64))))).not.toEqual([]);
    expect(codes([], excepted(exception(), { nowSeconds: seconds('2026-11-21T10:59:59Z') }))).not.toEqual([]);
    expect(codes([], excepted(exception(), { nowSeconds: seconds('2026-11-21T11:00:00Z') }))).toEqual([]);
    expect(codes([], excepted(exception(), { nowSeconds: seconds('2026-11-21T13:00:00Z') }))).not.toEqual([]);
    expect(codes([], { policies: [policy(exception())] })).not.toEqual([]);
  });

  it('excuse evidence that could not be read, and a missing list', () => {
    expect(codes([], excepted(exception(), { incomplete: [{ code: 'x', message: 'x' }] }))).toEqual([]);
    const negatives = () => ({ kind: 'incomplete', from: 'https://x.example', message: 'gone' }) as const;
    expect(codes(good(), excepted(exception(), { negatives }))).toEqual([]);
  });

  it('excuse more attachments than are looked at, whose rejections only a list can tell', () => {
    const rejected = Array.from({ length: MAX_SIGNATURES + 1 }, () => ({ code: 'x', message: 'x' }));
    for (const more of [{ overcrowded: '1001' }, { rejected }]) {
      const decision = decide(good(), excepted(exception(), more));
      expect([decision.admitted, decision.valid_until]).toEqual([true, '2026-11-21T13:00:00Z']);
      expect(decision.warnings.map(({ code }) => code)).toEqual(['admission.exception']);
      expect(decision.verdicts[0]?.exception?.excuses).toEqual(['admission.too_many_signatures']);
      expect(decision.verdicts[0]?.reviews).toEqual([]);
    }
    const listed = (images: string[]) => ({
      overcrowded: '1001',
      negatives: () =>
        ({
          kind: 'list',
          list: {
            ...{ from: 'https://x.example', sequence: 1, time: '2026-11-21T11:55:00Z', withdrawals: [] },
            rejections: [
              {
                ...{ person: { issuer: ISSUER, address: 'dana@example.com' }, subject: DANA, commits: [], images },
                ...{
                  certificate_identity: identity(DANA),
                  content: 'c'.repeat(64),
                  integrated_at: '2026-11-21T10:00:00Z',
                },
              },
            ],
          },
        }) as const,
    });
    // Nobody looked at what is attached.
    expect(codes([review({ ...REVIEW, decision: 'rejected' })], excepted(exception(), { overcrowded: '1' }))).toEqual(
      [],
    );
    const rejection = ['review_rejected', 'too_many_signatures'];
    expect(codes([], excepted(exception(), listed([image.digest])))).toEqual(rejection);
    expect(codes([], { policies: [policy(exception())], ...listed([image.digest]) })).toEqual(rejection);
    expect(codes([], excepted(exception(), listed([`sha256:${'c'.repeat(64)}`])))).toEqual([]);
  });

  it('never excuse a no that was seen', () => {
    expect(codes([...good(), review({ ...REVIEW, decision: 'rejected' })], excepted())).toContain('review_rejected');
    expect(codes([...good(), run({ ...RUN, human_review: { approved: false } })], excepted())).toContain(
      'run_not_approved',
    );
  });

  it('are not needed, and not named, where the image passes', () => {
    const decision = decide(good(), excepted());
    expect([decision.admitted, decision.warnings, decision.verdicts[0]?.exception]).toEqual([true, [], undefined]);
  });

  it('of one policy do nothing for another', () => {
    expect(codes([], excepted(exception(), { policies: [policy(exception()), policy()] }))).toEqual([
      'no_signature',
      'review_missing',
    ]);
  });

  it('take the longest of several', () => {
    const rule = `${exception().slice(0, -1)}, ${exception(SHA256, '2026-11-21T11:00:00Z', '2026-11-21T18:00:00Z').slice('exceptions: ['.length)}`;
    expect(decide([], excepted(rule)).valid_until).toBe('2026-11-21T18:00:00Z');
  });
});
