import type { VerifiedSignature } from '@colophon/records';
import { describe, expect, it } from 'vitest';
import {
  agent,
  attestation,
  BASE,
  CI,
  COMMIT,
  codes,
  DANA,
  ISSUER,
  identity,
  image,
  imageSignature,
  log,
  OTHER_COMMIT,
  REVIEW,
  RUN,
  review,
  run,
} from '../../test/image-evidence.ts';
import { parsePolicy, parseRequireRules } from '../policy/policy.ts';
import { type AdmissionInput, decideAdmission } from './decision.ts';
import { decideRequiredSigners } from './required-signers.ts';

// What others' admission controllers and verifiers once let through, held against ours.
const NOW = Date.parse('2026-11-21T12:00:00Z') / 1000;
const AGENT = `agent: { issuer: ${ISSUER}, subject: agent:writer }`;
const REVIEWER = `review: { issuer: ${ISSUER}, subject: "${DANA}" }`;
const SLSA = 'https://slsa.dev/provenance/v1';
const PACK = `sha256:${'d'.repeat(64)}`;

function under(rest: string, more: Partial<AdmissionInput> = {}): Partial<AdmissionInput> {
  const parsed = parsePolicy(`version: 1\nname: production\nimages: [ghcr.io/acme/**]\n${rest}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return { policies: [parsed.value], nowSeconds: NOW, ...more };
}
const good = () => [imageSignature(), review()];
const by = (claims: object) => imageSignature(agent('agent:writer', { commit_sha: COMMIT, ...claims }));
const bySource = (commit_sha: 'declared' | 'registry') => imageSignature({ ...agent(), sources: { commit_sha } });
const late = <T extends VerifiedSignature>(one: T) => ({
  ...one,
  certified_at: '2026-11-21T10:00:00Z',
  log_entry: log('2026-11-21T10:00:00Z'),
});
const built = ({ builder = 'b', uri = 'git+https://github.com/acme/app', signer = 'build' }) =>
  attestation(identity(signer, { issuer: CI }), SLSA, {
    buildDefinition: {
      buildType: 'https://x.example/build',
      externalParameters: {},
      resolvedDependencies: [{ uri, digest: { gitCommit: COMMIT } }],
    },
    runDetails: { builder: { id: builder } },
  });
const PROVENANCE = (more = '') => `${AGENT}\n${REVIEWER}\nprovenance: { issuer: ${CI}, subject: build${more} }`;

describe('kyverno CVE-2025-29778: a constraint that is written is looked at, and removing it is what admits', () => {
  const lengthOf = (review_duration_seconds: number) => review({ ...REVIEW, review_duration_seconds });
  it.each<[what: string, strict: string, lax: string, VerifiedSignature[], string[]]>([
    [
      'agent.issuer',
      `${AGENT.replace(ISSUER, 'https://i.example')}\n${REVIEWER}`,
      `${AGENT}\n${REVIEWER}`,
      good(),
      ['agent_not_approved'],
    ],
    ['agent.subject', AGENT.replace('writer', 'fixer'), AGENT, good(), ['agent_not_approved']],
    [
      'agent.subjectRegExp',
      `agent: { issuer: ${ISSUER}, subjectRegExp: "agent:wri" }`,
      `agent: { issuer: ${ISSUER}, subjectRegExp: "agent:wri.*" }`,
      good(),
      ['agent_not_approved'],
    ],
    [
      'agent.maxAge',
      AGENT.replace(' }', ', maxAge: 1h }'),
      AGENT,
      [late(imageSignature()), review()],
      ['signature_too_old'],
    ],
    ['review.issuer', `${AGENT}\nreview: { issuer: ${CI} }`, AGENT, good(), ['reviewer_not_accepted']],
    ['review.subject', `${AGENT}\n${REVIEWER.replace('dana', 'eve')}`, AGENT, good(), ['reviewer_not_accepted']],
    [
      'review.subjectRegExp',
      `${AGENT}\nreview: { subjectRegExp: "reviewer:dana" }`,
      AGENT,
      good(),
      ['reviewer_not_accepted'],
    ],
    [
      'review.maxAge',
      `${AGENT}\nreview: { maxAge: 1h }`,
      AGENT,
      [imageSignature(), late(review())],
      ['review_too_old'],
    ],
    [
      'review.predicateType',
      `${AGENT}\nreview: { predicateType: https://x.example/agent-review/v1 }`,
      AGENT,
      good(),
      ['review_missing'],
    ],
    [
      'review.conditions',
      `${AGENT}\nreview: { conditions: ['predicate.commit_sha == "x"'] }`,
      AGENT,
      good(),
      ['condition_failed'],
    ],
    [
      'review.minDurationSeconds',
      `${AGENT}\nreview: { minDurationSeconds: 60 }`,
      AGENT,
      [imageSignature(), lengthOf(59)],
      ['review_too_short'],
    ],
    [
      'sources',
      `${AGENT}\nsources: { commit_sha: [caller-token] }`,
      AGENT,
      [bySource('declared'), review()],
      ['source_not_allowed'],
    ],
    ['models', `${AGENT}\nmodels: [{ id: m }]`, AGENT, [by({ model_id: 'n' }), review()], ['model_not_allowed']],
    [
      'models[].provider',
      `${AGENT}\nmodels: [{ id: m, provider: p }]`,
      `${AGENT}\nmodels: [{ id: m }]`,
      [by({ model_id: 'm', model_provider: 'q' }), review()],
      ['model_not_allowed'],
    ],
    [
      'modelAsRequested',
      `${AGENT}\nmodelAsRequested: true`,
      AGENT,
      [...good(), run({ ...RUN, model: { ...RUN.model, requested: 'n' } })],
      ['model_substituted'],
    ],
    [
      'policyPacks',
      `${AGENT}\npolicyPacks: [{ name: p, hash: "${PACK}" }]`,
      AGENT,
      [by({ policy_pack_hash: `sha256:${'e'.repeat(64)}` }), review()],
      ['policy_pack_not_allowed'],
    ],
    ['provenance', PROVENANCE(), AGENT, good(), ['provenance_missing']],
    ['provenance.subject', PROVENANCE(), AGENT, [...good(), built({ signer: 'other' })], ['builder_not_accepted']],
    [
      'provenance.builderId',
      PROVENANCE(', builderId: c'),
      PROVENANCE(),
      [...good(), built({})],
      ['builder_id_mismatch'],
    ],
    [
      'provenance.sourceRepository',
      PROVENANCE(', sourceRepository: "https://github.com/acme/lib"'),
      PROVENANCE(),
      [...good(), built({})],
      ['provenance_other_repository'],
    ],
    [
      'require',
      `${AGENT}\nrequire: [{ issuer: ${CI}, subject: build }]`,
      AGENT,
      good(),
      ['required_signature_missing'],
    ],
    [
      'require[].predicateType',
      `${AGENT}\nrequire: [{ issuer: ${CI}, subject: build, predicateType: ${SLSA} }]`,
      `${AGENT}\nrequire: [{ issuer: ${CI}, subject: build }]`,
      [...good(), imageSignature(identity('build', { issuer: CI }))],
      ['required_signature_missing'],
    ],
    [
      'signatureFormat',
      `${AGENT}\nsignatureFormat: bundle`,
      AGENT,
      good(),
      ['signature_rejected', 'review_not_verified'],
    ],
    [
      'profile',
      AGENT,
      `${AGENT}\nprofile: spec`,
      [imageSignature(), review(REVIEW, agent())],
      ['review_signed_by_agent'],
    ],
    ['mode', AGENT, `${AGENT}\nmode: audit`, [], ['no_signature', 'review_missing']],
    [
      'legacy.digests',
      `legacy: { digests: ["sha256:${'c'.repeat(64)}"], owner: o, reason: r }`,
      `legacy: { digests: ["${image.digest}"], owner: o, reason: r }`,
      [],
      ['legacy_not_listed'],
    ],
    [
      'legacy.until',
      `legacy: { digests: ["${image.digest}"], owner: o, reason: r, until: 2026-11-21T12:00:00Z }`,
      `legacy: { digests: ["${image.digest}"], owner: o, reason: r }`,
      [],
      ['legacy_ended'],
    ],
    [
      'human',
      `human: { issuer: ${CI}, subject: build }`,
      `human: { issuer: ${CI}, subject: other }`,
      [imageSignature(identity('other', { issuer: CI }))],
      ['human_not_approved'],
    ],
  ])('%s', (_what, strict, lax, evidence, refused) => {
    expect(codes(evidence, under(strict))).toEqual(refused);
    expect(codes(evidence, under(lax))).toEqual([]);
  });
});

describe('kyverno #12409, CVE-2025-29778: a pattern that is none, or that holds nobody, is no policy', () => {
  const places: readonly [string, (pattern: string) => string][] = [
    ['agent', (p) => `agent: { issuer: ${ISSUER}, subjectRegExp: ${p} }`],
    ['agent.identities', (p) => `agent: { identities: [{ issuer: ${ISSUER}, subjectRegExp: ${p} }] }`],
    ['human', (p) => `human: { issuer: ${CI}, subjectRegExp: ${p} }`],
    ['review', (p) => `${AGENT}\nreview: { subjectRegExp: ${p} }`],
    ['review.identities', (p) => `${AGENT}\nreview: { identities: [{ issuer: ${ISSUER}, subjectRegExp: ${p} }] }`],
    ['review.mayWithdraw', (p) => `${AGENT}\nreview: { mayWithdraw: [{ issuer: ${ISSUER}, subjectRegExp: ${p} }] }`],
    ['provenance', (p) => `${AGENT}\nprovenance: { issuer: ${CI}, subjectRegExp: ${p} }`],
    ['require', (p) => `${AGENT}\nrequire: [{ issuer: ${CI}, subjectRegExp: ${p} }]`],
  ];

  it.each(places)('in %s', (_where, policy) => {
    const issues = (pattern: string) => {
      const parsed = parsePolicy(`version: 1\nimages: ["**"]\n${policy(JSON.stringify(pattern))}`);
      return parsed.ok ? [] : parsed.issues.map(({ code }) => code);
    };
    for (const invalid of ['(', '[', 'a)(b', '*', '(?=a)', 'a{1001}']) {
      expect(issues(invalid)).toEqual(['policy.pattern_invalid']);
    }
    for (const open of ['.*', '^.*$', '.+', '(a|.*)', '[^q]*', '(?s).*']) {
      expect(issues(open)).toEqual(['policy.pattern_unconstrained']);
    }
    expect(issues('')).not.toEqual([]);
  });
});

describe('cosign CVE-2022-35929, policy-controller CVE-2022-35930: the type of an attestation is checked', () => {
  it.each([
    `${BASE}/agent-review/v2`,
    `${BASE}/agent-review`,
    `${BASE}/AGENT-REVIEW/v1`,
    `${BASE}/agent-run/v1`,
    `${BASE}/agent-review/v1/`,
    'https://cosign.sigstore.dev/attestation/v1',
    'agent-review/v1',
    '',
  ])('a review of type %j is none', (type) => {
    expect(codes([imageSignature(), attestation(identity(DANA), type, REVIEW)])).not.toEqual([]);
  });

  it('an attestation of another type is not what a rule with a type asks for', () => {
    const scanned = under(
      `${AGENT}\nrequire: [{ issuer: ${CI}, subject: build, predicateType: https://x.example/scan }]`,
    );
    const scan = (type: string) => attestation(identity('build', { issuer: CI }), type, {});
    expect(codes([...good(), scan('https://x.example/scan')], scanned)).toEqual([]);
    expect(codes([...good(), scan('https://x.example/scan2')], scanned)).toEqual(['required_signature_missing']);
  });
});

describe('cosign CVE-2026-39395: what cannot be read is no pass', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['a list', [REVIEW]],
    ['text', JSON.stringify(REVIEW)],
    ['a number', 1],
    ['nothing', undefined],
    ['empty', {}],
    ['of fields of other types', { human_reviewer: { $eq: 'dana@example.com' }, review_timestamp: 1 }],
  ])('a predicate that is %s', (_what, predicate) => {
    const said = attestation(identity(DANA), `${BASE}/agent-review/v1`, predicate);
    expect(codes([imageSignature(), said])).not.toEqual([]);
    expect(codes([run(predicate), review()])).not.toEqual([]);
  });

  it('a condition that has no answer does not hold', () => {
    const asked = (condition: string) => under(`${AGENT}\nreview: { conditions: ['${condition}'] }`);
    expect(codes(good(), asked('predicate.absent == 1'))).toEqual(['condition_failed']);
    expect(codes(good(), asked('predicate.commit_sha'))).toEqual(['condition_failed']);
  });

  it('an image without a statement, a subject, a signature or a policy', () => {
    expect(codes([])).toEqual(['no_signature', 'review_missing']);
    expect(codes([imageSignature()])).toEqual(['review_missing']);
    expect(codes([imageSignature(), review(REVIEW, identity(DANA), [])])).toEqual(['review_other_image']);
    expect(codes([imageSignature(), review(REVIEW, identity(DANA), [{ digest: {} }])])).toEqual(['review_other_image']);
    expect(codes(good(), { policies: [] })).toEqual(['image_not_covered']);
  });

  it.each([
    'agent: {}',
    'agent: { identities: [] }',
    `${AGENT}\nrequire: []`,
    `${AGENT}\nmodels: []`,
    `${AGENT}\nreview: { conditions: [] }`,
    `${AGENT}\nexceptions: []`,
    'legacy: { digests: [], owner: o, reason: r }',
    `${AGENT}\npolicyPacks: []`,
    `${AGENT}\nsources: { commit_sha: [] }`,
  ])('an empty list is no policy: %s', (rule) => {
    expect(parsePolicy(`version: 1\nimages: ["**"]\n${rule}`).ok).toBe(false);
  });

  it('an error on the way is a refusal', () => {
    const broken = { ...imageSignature(), certificate_identity: null as never };
    const { policies = [] } = under(AGENT);
    const decision = decideAdmission({ image, signatures: [broken], rejected: [], policies });
    expect(decision.reasons.map(({ code }) => code)).toEqual(['admission.internal']);
    const negatives = () => {
      throw new Error('no list');
    };
    const listless = decideAdmission({ image, signatures: good(), rejected: [], policies, negatives });
    expect([listless.admitted, listless.reasons.length]).toEqual([false, 1]);
  });
});

describe('kyverno CVE-2022-47633, CVE-2023-47630: what was verified is what is admitted', () => {
  it('the reference and the digest name one image', () => {
    const digest = `sha256:${'c'.repeat(64)}`;
    expect(codes(good(), { image: { reference: `ghcr.io/acme/app@${digest}`, digest: image.digest } })).toEqual([
      'image_digest_mismatch',
    ]);
    expect(codes(good(), { image: { reference: 'ghcr.io/acme/app:v1', digest } })).toContain('signature_other_image');
    expect(codes(good(), { image: { reference: 'ghcr.io/acme/app:v1', digest: 'v1' } })).toEqual([
      'image_digest_invalid',
    ]);
  });
});

describe('sigstore-go CVE-2026-49834: one signer is one of several', () => {
  const rule = `{ issuer: ${ISSUER}, subjectRegExp: "reviewer:(dana|eve)@example[.]com" }`;
  const both = under(`${AGENT}\nrequire: [${rule}, ${rule}]`);
  const eve = () => review({ ...REVIEW, human_reviewer: 'eve@example.com' }, identity('reviewer:eve@example.com'));

  it('by however many signatures, copies, formats and certificates', () => {
    const again = [
      review(),
      { ...review(), format: 'older-attestation' as const },
      review({ ...REVIEW, note: 'again' }),
    ];
    expect(codes([...good(), ...again], both)).toEqual(['required_signature_missing']);
    expect(codes([...good(), eve()], both)).toEqual([]);
    const service = identity('reviews:forge.example', { claims: { human_reviewer: 'dana@example.com' } });
    const either = `{ issuer: ${ISSUER}, subjectRegExp: "(reviewer:dana@example[.]com|reviews:forge[.]example)" }`;
    const people = under(`${AGENT}\nrequire: [${either}, ${either}]`);
    expect(codes([...good(), review(REVIEW, service)], people)).toEqual(['required_signature_missing']);
  });

  it('beside a policy, too', () => {
    const parsed = parseRequireRules(`[${rule}, ${rule}]`.replace(/\}, \{/, '},\n {'));
    const rules = parsed.ok ? parsed.value : [];
    const builder = { issuer: CI, subjectRegExp: 'build[12]' };
    const builders = parseRequireRules(JSON.stringify([builder, builder]));
    expect([rules.length, builders.ok]).toEqual([2, true]);
    const signed = (...subjects: string[]) =>
      decideRequiredSigners(builders.ok ? builders.value : [], {
        image,
        signatures: subjects.map((subject) => imageSignature(identity(subject, { issuer: CI }))),
        rejected: [],
      }).findings.length;
    expect([signed('build1', 'build1'), signed('build1', 'build2')]).toEqual([1, 0]);
  });
});

describe('cosign CVE-2022-36056: a statement is about what its signer wrote into it', () => {
  it('and not about what it is attached to', () => {
    const other = [{ digest: { sha256: 'c'.repeat(64) } }];
    const replayed = { ...review(REVIEW, identity(DANA), other), artifact_digest: image.digest };
    expect(codes([imageSignature(), replayed])).toEqual(['review_other_image']);
    const commit = attestation(agent(), `${BASE}/agent-run/v1`, RUN, [{ digest: { gitCommit: OTHER_COMMIT } }]);
    expect(codes([{ ...commit, artifact_digest: image.digest }, review()])).toEqual(['signature_other_image']);
  });
});

describe('sigstore-go CVE-2024-45395, kyverno CVE-2023-42816: more than is looked at is refused', () => {
  it('whatever it is', () => {
    const many = Array.from({ length: 1000 }, () => ({ code: 'x', message: 'x' }));
    expect(codes(good(), { rejected: many })).toEqual(['too_many_signatures']);
    expect(codes(good(), { incomplete: many })).toEqual(['too_many_signatures']);
    expect(codes([...good(), ...Array.from({ length: 999 }, () => imageSignature())])).toEqual(['too_many_signatures']);
  });
});

describe('kyverno CVE-2026-22039: a policy asks nobody', () => {
  it.each(['apiCall', 'context', 'urlPath', 'fetch', 'http'])('it has no key %s', (key) => {
    const parsed = parsePolicy(`version: 1\nimages: ["**"]\n${AGENT}\n${key}: https://169.254.169.254`);
    expect(parsed.ok ? [] : parsed.issues.map(({ code }) => code)).toEqual(['policy.unknown_key']);
  });

  it.each(['http.get("https://x")', 'fetch("x")', 'predicate.matches("a")', 'timestamp.now()'])(
    'and no condition can call %s',
    (call) => {
      const parsed = parsePolicy(`version: 1\nimages: ["**"]\n${AGENT}\nreview: { conditions: ['${call} == 1'] }`);
      expect(parsed.ok ? [] : parsed.issues.map(({ code }) => code)).toEqual(['policy.condition_invalid']);
    },
  );
});
