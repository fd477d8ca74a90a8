import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import {
  type CertificateIdentity,
  keyIdentity,
  type RejectedSignature,
  SLSA_PROVENANCE_TYPE,
  type Subject,
  type VerifiedSignature,
} from '@colophon/records';
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
import { parsePolicy, parseRequireRules } from '../policy/policy.ts';
import { publicKeyName } from '../public-key/public-key.ts';
import type { AdmissionInput } from './decision.ts';
import { decideRequiredSigners } from './required-signers.ts';
import { checkAge } from './signature-age.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;

function under(rest: string, more: Partial<AdmissionInput> = {}): Partial<AdmissionInput> {
  const parsed = parsePolicy(`version: 1\nname: production\nimages: [ghcr.io/acme/**]\n${rest}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return { policies: [parsed.value], nowSeconds: NOON, ...more };
}
const AGENTS = `agent: { issuer: ${ISSUER}, subject: agent:writer }`;
const HUMAN = `human: { issuer: ${CI}, subject: build }`;
const build = (more: Partial<CertificateIdentity> = {}) => imageSignature(identity('build', { issuer: CI, ...more }));
const TEST_RESULT = 'https://in-toto.io/attestation/test-result/v0.1';
const good = () => [imageSignature(), review()];

describe('a statement whose type is a name that every object has', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('%s is a statement like any other', (type) => {
    const empty = attestation(identity('reviewer:mallory@example.com'), type, {});
    expect(codes([...good(), empty])).toEqual([]);
    const hostile = attestation(identity('reviewer:mallory@example.com'), type, { result: 'FAILED' });
    expect(codes([...good(), hostile])).toEqual(['verdict_failed']);
    const rules = parseRequireRules(`{ issuer: ${ISSUER}, subject: agent:writer }`);
    if (!rules.ok) throw new Error(JSON.stringify(rules.issues));
    const found = { image, signatures: [imageSignature(), hostile], rejected: [] };
    expect(decideRequiredSigners(rules.value, found).findings).toEqual([]);
  });
});

describe('a no to what people made', () => {
  it('counts where it names nothing but the commit of their certificate', () => {
    const scanner = identity('scan', { issuer: CI });
    const scanned = under(`${HUMAN}\nrequire: [{ issuer: ${CI}, subject: scan, predicateType: ${TEST_RESULT} }]`);
    const passed = [build({ claims: { commit_sha: COMMIT } }), attestation(scanner, TEST_RESULT, { result: 'PASSED' })];
    expect(codes(passed, scanned)).toEqual([]);
    const rejection = review({ decision: 'rejected' }, scanner, [{ digest: { gitCommit: COMMIT } }]);
    expect(codes([...passed, rejection], scanned)).toEqual(['review_rejected']);
  });

  it('counts where they say it themselves', () => {
    const failed = attestation(identity('build', { issuer: CI }), TEST_RESULT, { result: 'FAILED' });
    expect(codes([build(), failed], under(HUMAN))).toEqual(['verdict_failed']);
  });
});

describe('an agent’s image passed off as people’s', () => {
  const CHILD = `sha256:${OTHER_SHA256}`;
  const index = { ...image, manifests: [CHILD] };
  const ofCommit = [{ digest: { gitCommit: COMMIT } }];
  const RUN_TYPE = `${BASE}/agent-run/v1`;
  const ofBoth = [{ digest: { sha256: 'c'.repeat(64) } }, { digest: { sha256: OTHER_SHA256 } }];
  const legacy = `legacy: { digests: ["${image.digest}"], owner: ops, reason: vendor }`;

  it.each<[string, VerifiedSignature]>([
    ['signed by an agent of another issuer', imageSignature(identity('agent:x', { issuer: 'https://other.example' }))],
    ['signed by an agent in the older format', { ...imageSignature(), format: 'older-signature' }],
    ['signed by an agent with a certificate for commits', imageSignature({ ...agent(), purpose: 'commit' })],
    ['signed by an agent in the form of a statement', attestation(agent(), COSIGN, {})],
    ['with a run under another base', attestation(agent(), 'https://other.example/agent-run/v1', {})],
    ['with a run of nothing but the commit', attestation(agent(), RUN_TYPE, RUN, ofCommit)],
    ['with a run that a key signed', run(RUN, keyIdentity(`sha256:${'e'.repeat(64)}`))],
    ['with a run that the build signed', run(RUN, identity('build', { issuer: CI }))],
    ['with a run that was not approved', run({ human_review: { approved: false } })],
    ['with an agent’s build provenance', attestation(agent(), SLSA_PROVENANCE_TYPE, {})],
  ])('is refused %s', (_how, signature) => {
    expect(codes([build(), signature], under(HUMAN))).toEqual(['made_by_agent']);
    expect(codes([signature], under(legacy))).toEqual(['made_by_agent']);
  });

  it.each<[string, VerifiedSignature]>([
    ['signed by an agent', imageSignature(agent(), OTHER_SHA256)],
    ['with a run', attestation(agent(), RUN_TYPE, RUN, [{ digest: { sha256: OTHER_SHA256 } }])],
    ['with a run of it and of another', attestation(agent(), RUN_TYPE, RUN, ofBoth)],
    [
      'with a run of it and its commit',
      attestation(agent(), RUN_TYPE, RUN, [...ofCommit, { digest: { sha256: OTHER_SHA256 } }]),
    ],
  ])('is refused where a manifest in it is %s, and another image is not', (_how, signature) => {
    expect(codes([build(), signature], under(HUMAN, { image: index }))).toEqual(['made_by_agent']);
    expect(codes([build(), signature], under(HUMAN))).toEqual([]);
  });

  const signed = [imageSignature(agent(), OTHER_SHA256)];
  const ofManifests = (signatures: VerifiedSignature[], incomplete: RejectedSignature[] = []) => ({
    image: index,
    ofManifests: { signatures, incomplete },
  });
  const UNREAD = [{ code: 'image.no_room', message: 'm' }];

  it.each<[string, VerifiedSignature]>([
    ['names it', signed[0]!],
    ['names nothing but the commit', attestation(agent(), RUN_TYPE, RUN, ofCommit)],
    ['names the image', attestation(agent(), RUN_TYPE, RUN)],
  ])('is refused for what an agent attached to a manifest in it, where that %s', (_what, signature) => {
    expect(codes([build()], under(HUMAN, ofManifests([signature])))).toEqual(['made_by_agent']);
    expect(codes([], under(legacy, ofManifests([signature])))).toEqual(['made_by_agent']);
    expect(codes(good(), under(AGENTS, ofManifests([signature])))).toEqual([]);
  });

  it('is not passed by what is attached to a manifest in it, and refused where that could not be read', () => {
    expect(codes([], under(HUMAN, ofManifests([build()])))).toEqual(['no_signature']);
    expect(codes([build()], under(HUMAN, ofManifests([])))).toEqual([]);
    expect(codes([build()], under(HUMAN, ofManifests([], UNREAD)))).toEqual(['evidence_incomplete']);
    expect(codes([], under(legacy, ofManifests([], UNREAD)))).toEqual(['evidence_incomplete']);
    expect(codes(good(), under(AGENTS, ofManifests([], UNREAD)))).toEqual([]);
    const both = { ...ofManifests([], UNREAD), incomplete: [{ code: 'x', message: 'own' }] };
    const { reasons } = decide([build()], under(HUMAN, both));
    expect(reasons.map(({ code, found }) => [code, found])).toEqual([
      ['admission.evidence_incomplete', 'x: own'],
      ['admission.evidence_incomplete', 'image.no_room: m'],
    ]);
  });

  it('hears a rejection that is attached to a manifest in it, and takes nothing back by what is attached there', () => {
    const ofPart = [{ digest: { sha256: OTHER_SHA256 } }];
    const reviewed = `${HUMAN}\nreview: { issuer: ${ISSUER}, subjectRegExp: "reviewer:.*" }`;
    const says = (decision: string, subject?: Subject[], at?: string) =>
      review({ ...REVIEW, decision }, identity('reviewer:dana@example.com'), subject, at);
    const no = says('rejected', ofPart);
    const later = says('approved', ofPart, '2026-11-21T11:30:00Z');
    expect(codes([build()], under(reviewed, ofManifests([no])))).toContain('review_rejected');
    expect(codes([build()], under(reviewed, ofManifests([no, later])))).not.toContain('review_rejected');
    expect(codes([build(), no], under(reviewed, ofManifests([])))).toContain('review_rejected');
    expect(codes([build(), no], under(reviewed, ofManifests([later])))).toContain('review_rejected');
    expect(codes(good(), under(`${AGENTS}\nreview: { subjectRegExp: "reviewer:.*" }`, ofManifests([no])))).toEqual([]);
  });

  it('knows a rejection as withdrawn that was withdrawn on the image, or on the manifest that it is attached to', () => {
    const lead = identity('reviewer:lead@example.com');
    const reviewed = `${HUMAN}\nreview: { issuer: ${ISSUER}, subjectRegExp: "reviewer:.*", mayWithdraw: [{ issuer: ${ISSUER}, subject: "reviewer:lead@example.com" }] }`;
    const id = '7'.repeat(64);
    const no = {
      ...review({ ...REVIEW, decision: 'rejected' }, identity(DANA), [{ digest: { sha256: OTHER_SHA256 } }]),
      bundle_digest: `sha256:${id}`,
    };
    const stated = { rejection: id, reason: 'left', withdrawn_at: '2026-11-21T11:00:00Z' };
    const withdrawal = attestation(lead, `${BASE}/review-withdrawal/v1`, stated);
    const found = (own: VerifiedSignature[], ofPart: VerifiedSignature[]) => {
      const { reasons, verdicts } = decide([build(), review(), ...own], under(reviewed, ofManifests(ofPart)));
      return [reasons.map(({ code }) => code), verdicts[0]?.withdrawn_rejections.map((one) => one.id)];
    };
    // Her earlier approval no longer counts.
    expect(found([no, withdrawal], [])).toEqual([['admission.review_other_image'], [id]]);
    expect(found([], [no, withdrawal])).toEqual([['admission.review_missing'], [id]]);
    expect(found([], [])).toEqual([[], []]);
    expect(found([no], [withdrawal])).toEqual([['admission.review_rejected', 'admission.review_other_image'], [id]]);
  });

  it('is no image that an agent says something else of', () => {
    const said = attestation(agent(), TEST_RESULT, { result: 'PASSED' });
    expect(codes([build(), said], under(HUMAN))).toEqual([]);
  });
});

describe('another profile than the policy’s own', () => {
  const exception = `exceptions: [{ digest: "${image.digest}", owner: ops, reason: fire, from: 2026-11-21T11:00:00Z, until: 2026-11-21T13:00:00Z }]`;
  const agents = `agent: { issuer: ${ISSUER}, subject: agent:writer }\n${exception}`;
  const rejection = review({ ...REVIEW, decision: 'rejected' });

  it.each(['', '\nprofile: spec'])('lets no rejected image pass by an exception%s', (own) => {
    expect(codes([], under(agents + own, { profile: 'spec' }))).toEqual([]);
    expect(codes([rejection], under(agents + own, { profile: 'spec' }))).toContain('review_rejected');
    expect(codes([rejection], under(agents + own))).toContain('review_rejected');
    // What passes by the letter of the contract needs no exception.
    const passing = [imageSignature(), review(REVIEW, agent()), rejection];
    expect(codes(passing, under(agents, { profile: 'spec' }))).toEqual([]);
  });

  it('does not stop the search for agents and for unread evidence among people’s images', () => {
    const incomplete = [{ code: 'image.attachment_unreadable', message: 'x' }];
    expect(codes([build()], under(HUMAN, { profile: 'spec', incomplete }))).toEqual(['evidence_incomplete']);
    const legacy = `legacy: { digests: ["${image.digest}"], owner: ops, reason: vendor }`;
    expect(codes([], under(legacy, { profile: 'spec', incomplete }))).toEqual(['evidence_incomplete']);
    const { verdicts } = decide([build()], under(HUMAN, { profile: 'spec' }));
    expect(verdicts.map(({ profile }) => profile)).toEqual(['strict']);
  });
});

describe('an exception', () => {
  const CHILD = `sha256:${OTHER_SHA256}`;
  const exceptionOf = (digest: string) =>
    `agent: { issuer: ${ISSUER}, subject: agent:writer }\nexceptions: [{ digest: "${digest}", owner: ops, reason: fire, from: 2026-11-21T11:00:00Z, until: 2026-11-21T13:00:00Z }]`;
  const index = { ...image, manifests: [CHILD] };

  it('of a manifest is none of the index that holds it, nor the reverse', () => {
    expect(codes([], under(exceptionOf(CHILD), { image: index }))).toContain('no_signature');
    const child = { reference: image.reference, digest: CHILD };
    expect(codes([], under(exceptionOf(image.digest), { image: child }))).toContain('no_signature');
  });

  it('of an index lets none pass that holds a rejected manifest', () => {
    const rejection = review({ ...REVIEW, decision: 'rejected' }, identity('reviewer:dana@example.com'), [
      { digest: { sha256: OTHER_SHA256 } },
    ]);
    expect(codes([], under(exceptionOf(image.digest), { image: index }))).toEqual([]);
    expect(codes([rejection], under(exceptionOf(image.digest), { image: index }))).toContain('review_rejected');
  });

  it('is needed of every policy that enforces', () => {
    const [excepted] = under(exceptionOf(image.digest)).policies!;
    const [plain] = under(exceptionOf(CHILD)).policies!;
    const nowSeconds = NOON;
    expect(codes([], { policies: [excepted!, excepted!], nowSeconds })).toEqual([]);
    expect(codes([], { policies: [excepted!, plain!], nowSeconds })).toContain('no_signature');
    expect(codes([], { policies: [plain!, excepted!], nowSeconds })).toContain('no_signature');
  });
});

describe('an old signature made young', () => {
  const aged = under(`agent: { issuer: ${ISSUER}, subject: agent:writer, maxAge: 1h }`);
  const at = (certified_at: string, integrated_at: string) => [
    { ...imageSignature(), certified_at, log_entry: log(integrated_at) },
    review(),
  ];
  const [OLD, YOUNG] = ['2026-11-21T10:59:59Z', '2026-11-21T11:00:00Z'];

  it('by another log entry is as old as its certificate', () => {
    expect(codes(at(YOUNG, YOUNG), aged)).toEqual([]);
    expect(codes(at(OLD, YOUNG), aged)).toEqual(['signature_too_old']);
    expect(decide(at(YOUNG, '2026-11-21T11:30:00Z'), aged).valid_until).toBe('2026-11-21T12:00:00Z');
    const reviewed = under(`agent: { issuer: ${ISSUER}, subject: agent:writer }\nreview: { maxAge: 1h }`);
    const again = (certified_at: string) => [imageSignature(), { ...review(), certified_at, log_entry: log(YOUNG) }];
    expect(codes(again(YOUNG), reviewed)).toEqual([]);
    expect(codes(again(OLD), reviewed)).toEqual(['review_too_old']);
  });

  it('of a key has no age at all, and no policy may ask for it', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const key = JSON.stringify(publicKey.export({ type: 'spki', format: 'pem' }));
    for (const rule of [
      `human: { key: ${key}, maxAge: 1h }`,
      `agent: { identities: [{ key: ${key} }, { issuer: ${ISSUER}, subject: agent:writer }], maxAge: 1h }`,
    ]) {
      const parsed = parsePolicy(`version: 1\nimages: ["**"]\n${rule}`);
      expect(parsed.ok ? [] : parsed.issues.map(({ code }) => code)).toEqual(['policy.key_has_no_age']);
    }
    const signature = { certificate_identity: keyIdentity(`sha256:${'e'.repeat(64)}`), log_entry: log(YOUNG) };
    expect(checkAge(signature, 3600, NOON).map(({ code }) => code)).toEqual(['admission.signature_too_old']);
  });

  it('by a clock that stands still or goes back has no age either', () => {
    const seconds = (time: string) => Date.parse(time) / 1000;
    const [signed, early, earlier] = ['2026-11-21T11:00:00Z', '2026-11-21T10:50:00Z', '2026-11-21T10:49:59Z'];
    expect(codes(at(signed, signed), { ...aged, nowSeconds: seconds(early) })).toEqual([]);
    expect(codes(at(signed, signed), { ...aged, nowSeconds: seconds(earlier) })).toEqual(['signature_too_old']);
    expect(codes(at(signed, signed), { ...aged, nowSeconds: Number.NaN })).toEqual(['signature_too_old']);
  });

  it.each(['', 'yesterday', '2026-02-30T10:00:00Z'])('with the time %j has none either', (time) => {
    expect(codes(at(time, time), aged)).toEqual(['signature_too_old']);
  });
});

describe('a commit that nobody reviewed', () => {
  const at = (commit_sha: string, certified_at: string, statement?: true) => ({
    ...(statement ? runAt(commit_sha) : imageSignature(agent('agent:writer', { commit_sha }))),
    certified_at,
  });
  const [OLD, YOUNG] = ['2026-11-21T09:00:00Z', '2026-11-21T11:30:00Z'];

  it('stays one when the signature that names it grows too old', () => {
    const aged = `agent: { issuer: ${ISSUER}, subject: agent:writer, maxAge: 3h }`;
    const evidence = [at(OTHER_COMMIT, OLD), at(COMMIT, YOUNG), review()];
    for (const nowSeconds of [NOON, NOON + 1, NOON + 3600]) {
      expect(codes(evidence, under(aged, { nowSeconds }))).toEqual(['review_other_commit']);
    }
    expect(codes([at(COMMIT, OLD), at(COMMIT, YOUNG), review()], under(aged, { nowSeconds: NOON + 1 }))).toEqual([]);
    const runs = [at(COMMIT, OLD), at(OTHER_COMMIT, YOUNG, true), review()];
    expect(codes(runs, under(aged))).toEqual([]);
    expect(codes(runs, under(aged, { nowSeconds: NOON + 1 }))).toEqual(['review_other_commit']);
  });

  it('stays one in people’s images, too', () => {
    const aged = `human: { issuer: ${CI}, subject: build, maxAge: 3h }\nreview: { issuer: ${ISSUER} }`;
    const by = (commit_sha: string, certified_at: string) => ({ ...build({ claims: { commit_sha } }), certified_at });
    const evidence = [by(OTHER_COMMIT, OLD), by(COMMIT, YOUNG), review()];
    for (const nowSeconds of [NOON, NOON + 1]) {
      expect(codes(evidence, under(aged, { nowSeconds }))).toEqual(['review_other_commit']);
    }
  });
});

describe('an admission that is remembered', () => {
  it('ends with the review that only `require` asks for', () => {
    const signed = (subject: string, human_reviewer: string, at: string) =>
      review({ ...REVIEW, human_reviewer }, identity(subject), undefined, at);
    const eve = signed('reviewer:eve@example.com', 'eve@example.com', '2026-11-21T10:00:00Z');
    const dana = signed('reviewer:dana@example.com', 'dana@example.com', '2026-11-21T11:00:00Z');
    const two = `agent: { issuer: ${ISSUER}, subject: agent:writer }
review: { subject: "reviewer:dana@example.com", maxAge: 3h }
require: [{ issuer: ${ISSUER}, subject: "reviewer:eve@example.com" }]`;
    expect(decide([imageSignature(), dana, eve], under(two)).valid_until).toBe('2026-11-21T13:00:00Z');
    const later = { nowSeconds: NOON + 3601 };
    expect(codes([imageSignature(), dana, eve], under(two, later))).toEqual(['required_signature_missing']);
  });

  it('does not end with another signature that `require` asks for', () => {
    const early = { ...imageSignature(identity('build', { issuer: CI })), certified_at: '2026-11-21T09:30:00Z' };
    const late = review(REVIEW, undefined, undefined, '2026-11-21T11:00:00Z');
    const scan = {
      ...attestation(identity('scan', { issuer: CI }), 'https://x.example/scan', {}),
      certified_at: '2026-11-21T09:30:00Z',
    };
    const both = `agent: { issuer: ${ISSUER}, subject: agent:writer }
review: { maxAge: 3h }
require: [{ issuer: ${CI}, subject: build }, { issuer: ${CI}, subject: scan, predicateType: https://x.example/scan }]`;
    expect(decide([imageSignature(), late, early, scan], under(both)).valid_until).toBe('2026-11-21T14:00:00Z');
  });

  it('ends after it began, where an exception follows a time that is over', () => {
    const old = `legacy: { digests: ["${image.digest}"], owner: ops, reason: vendor, until: 2026-11-21T11:00:00Z }
exceptions: [{ digest: "${image.digest}", owner: ops, reason: fire, from: 2026-11-21T11:00:00Z, until: 2026-11-21T13:00:00Z }]`;
    expect(decide([], under(old)).valid_until).toBe('2026-11-21T13:00:00Z');
  });
});

describe('a model that was not asked for', () => {
  const asked = { policies: [policy('modelAsRequested: true\nsignatureFormat: bundle')] };
  const bundled = [...good()].map((one) => ({ ...one, format: 'bundle' as const }));
  const ran = (model: object, more: object = {}, by = agent()) => ({
    ...run({ ...RUN, model: { id: 'm', provider: 'p', ...model }, ...more }, by),
    format: 'bundle' as const,
  });
  const asRequested = ran({ requested: 'm' });

  it('is not hidden by a run that its certificate denies', () => {
    const by = agent('agent:writer', { commit_sha: COMMIT, model_id: 'other' });
    expect(codes([...bundled, asRequested], asked)).toEqual([]);
    expect(codes([...bundled, ran({ requested: 'm' }, {}, by)], asked)).toEqual(['model_request_unknown']);
    expect(codes([...bundled, asRequested, ran({ requested: 'm' }, {}, by)], asked)).toEqual(['model_request_unknown']);
  });

  it('is not hidden by a run that cannot be read', () => {
    const malformed = ran({ requested: 'mini' }, { git: undefined });
    expect(codes([...bundled, asRequested, malformed], asked)).toEqual(['model_request_unknown']);
  });

  it('is not hidden by a format, a purpose or a base that says no yes', () => {
    const substituted = ran({ requested: 'mini' });
    expect(codes([...bundled, asRequested, { ...substituted, format: 'older-attestation' }], asked)).toEqual([
      'model_substituted',
    ]);
    const forCommits = { ...substituted, certificate_identity: { ...agent(), purpose: 'commit' as const } };
    expect(codes([...bundled, asRequested, forCommits], asked)).toEqual(['model_substituted']);
    const elsewhere = attestation(agent(), 'https://other.example/agent-run/v1', substituted.statement?.predicate);
    expect(codes([...bundled, asRequested, elsewhere], asked)).toEqual(['model_substituted']);
    expect(codes([...bundled, { ...asRequested, format: 'older-attestation' }], asked)).toEqual([
      'model_request_unknown',
    ]);
  });

  it('is one in another case, and one of an unknown provider', () => {
    const of = (claims: object) => [imageSignature(agent('agent:writer', { commit_sha: COMMIT, ...claims })), review()];
    const listed = { policies: [policy('models: [{ id: claude-4, provider: anthropic }]')] };
    expect(codes(of({ model_id: 'claude-4', model_provider: 'anthropic' }), listed)).toEqual([]);
    expect(codes(of({ model_id: 'Claude-4', model_provider: 'anthropic' }), listed)).toEqual(['model_not_allowed']);
    for (const model_provider of ['unknown', '', undefined, 'Anthropic', 'anthropic ']) {
      expect(codes(of({ model_id: 'claude-4', model_provider }), listed)).toEqual(['model_not_allowed']);
    }
  });
});

describe('a policy pack', () => {
  const hash = `sha256:${'d'.repeat(64)}`;
  const signed = (policy_pack_hash: string) => [
    imageSignature(agent('agent:writer', { commit_sha: COMMIT, policy_pack_hash })),
    review(),
  ];

  it('has one spelling, in the policy as in the certificate', () => {
    const packs = { policies: [policy(`policyPacks: [{ name: default, hash: "${hash}" }]`)] };
    expect(codes(signed(hash), packs)).toEqual([]);
    for (const other of [hash.toUpperCase(), `sha256:${'D'.repeat(64)}`, 'd'.repeat(64), `${hash} `]) {
      expect(codes(signed(other), packs)).toEqual(['policy_pack_not_allowed']);
      const parsed = parsePolicy(`version: 1\nimages: ["**"]\nagent: { issuer: ${ISSUER}, subject: agent:writer }
policyPacks: [{ name: default, hash: "${other}" }]`);
      expect(parsed.ok ? [] : parsed.issues.map(({ code }) => code)).toEqual(['policy.value']);
    }
  });
});

describe('a key', () => {
  const pair = (namedCurve = 'P-256') =>
    generateKeyPairSync('ec', { namedCurve }).publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const pem = pair();
  const by = keyIdentity(publicKeyName(pem) as string);
  const key = JSON.stringify(pem);
  const keyed = (more = '') => under(`agent: { key: ${key} }\nreview: { issuer: ${ISSUER} }\n${more}`);

  it('signs no run of one commit whose subject is another', () => {
    const both = (gitCommit: string) =>
      attestation(by, `${BASE}/agent-run/v1`, RUN, [{ digest: { sha256: SHA256 } }, { digest: { gitCommit } }]);
    expect(codes([both(COMMIT), review()], keyed())).toEqual([]);
    expect(codes([both(OTHER_COMMIT), review()], keyed())).toEqual(['run_contradicts_certificate']);
  });

  it('is imitated by no certificate, and is nobody that a certificate names', () => {
    const imitation = identity(by.subject, { issuer: 'https://evil.example' });
    expect(codes([run(RUN, imitation), review()], keyed())).toEqual(['agent_not_approved']);
    expect(codes([run(RUN, { ...imitation, issuer: '' }), review()], keyed())).toEqual(['agent_not_approved']);
    const named = under(`agent: { issuer: ${ISSUER}, subject: "${by.subject}" }`);
    expect(codes([run(RUN, by), review()], named)).toEqual(['agent_not_approved']);
    expect(codes([run(RUN, keyIdentity(`sha256:${'e'.repeat(64)}`)), review()], keyed())).toEqual([
      'agent_not_approved',
    ]);
  });

  it('meets one of two rules, however often it is named', () => {
    const folded = JSON.stringify(pem.replace(/\n/g, '\r\n'));
    const twice = { policies: [policy(`require: [{ key: ${key} }, { key: ${folded} }]`)] };
    const signed = [...good(), imageSignature(by), imageSignature(by)];
    expect(codes(signed, twice)).toEqual(['required_signature_missing']);
    const other = pair();
    const two = { policies: [policy(`require: [{ key: ${key} }, { key: ${JSON.stringify(other)} }]`)] };
    expect(codes(signed, two)).toEqual(['required_signature_missing']);
    expect(codes([...signed, imageSignature(keyIdentity(publicKeyName(other) as string))], two)).toEqual([]);
  });

  it('has one name, so that nobody names it twice', () => {
    const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
    const point = der.subarray(-65);
    const spki = (parameters: string, key: Buffer) => {
      const algorithm = `06072a8648ce3d0201${parameters}`;
      const body = Buffer.concat([
        Buffer.from(
          `30${(algorithm.length / 2).toString(16).padStart(2, '0')}${algorithm}03${(key.length + 1).toString(16)}00`,
          'hex',
        ),
        key,
      ]);
      const bytes = Buffer.concat([Buffer.from([0x30, body.length]), body]);
      return `-----BEGIN PUBLIC KEY-----\n${bytes.toString('base64')}\n-----END PUBLIC KEY-----\n`;
    };
    const [P256, odd] = ['06082a8648ce3d030107', point[64]! & 1];
    expect(publicKeyName(spki(P256, point))).toBe(by.key);
    for (const other of [
      spki(P256, Buffer.concat([Buffer.from([2 + odd]), point.subarray(1, 33)])),
      spki(P256, Buffer.concat([Buffer.from([6 + odd]), point.subarray(1)])),
    ]) {
      // The same key to whoever verifies with it.
      expect(createPublicKey(other).equals(createPublicKey(pem))).toBe(true);
      expect(publicKeyName(other)).toBeUndefined();
    }
    expect(publicKeyName(spki('3003020101', point))).toBeUndefined();
    expect(publicKeyName(spki('', point))).toBeUndefined();
  });

  it('and a person are two signers, and neither is the other', () => {
    const both = { policies: [policy(`require: [{ key: ${key} }, { issuer: ${ISSUER}, subject: "${DANA}" }]`)] };
    expect(codes([...good(), imageSignature(by)], both)).toEqual([]);
    expect(codes(good(), both)).toEqual(['required_signature_missing']);
    expect(codes([imageSignature(), imageSignature(by), imageSignature(by)], both)).toEqual([
      'review_missing',
      'required_signature_missing',
    ]);
  });

  it('reviews nothing for the agent that it is', () => {
    expect(codes([run(RUN, by), review(REVIEW, by)], keyed())).toEqual(['review_signed_by_agent']);
    const required = keyed(`require: [{ key: ${key}, predicateType: ${BASE}/agent-review/v1 }]`);
    expect(codes([run(RUN, by), review(), review(REVIEW, by)], required)).toEqual(['required_signature_missing']);
    const built = attestation(by, SLSA_PROVENANCE_TYPE, {});
    expect(codes([run(RUN, by), review(), built], keyed(`provenance: { key: ${key} }`))).toEqual([
      'provenance_signed_by_agent',
    ]);
  });
});

describe('several authorities of several issuers', () => {
  it('say who certifies reviewers, since their order says nothing', () => {
    const [one, other] = [ISSUER, CI].map((issuer) => `{ issuer: ${issuer}, subject: agent:writer }`);
    for (const identities of [`${one}, ${other}`, `${other}, ${one}`]) {
      const written = (more: string) =>
        parsePolicy(`version: 1\nimages: ["**"]\nagent: { identities: [${identities}] }\n${more}`);
      const silent = written('');
      expect(silent.ok ? [] : silent.issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
        'policy.field_missing /review/issuer',
      ]);
      expect(written(`review: { issuer: ${ISSUER} }`).ok).toBe(true);
      expect(written('profile: spec').ok).toBe(true);
    }
  });
});

describe('a rule that nobody would look at', () => {
  it('is no list of rejections for images whose reviewers no policy names', () => {
    const written = (negatives: string) =>
      parsePolicy(`version: 1\nimages: ["**"]\nlegacy: { digests: ["${image.digest}"], owner: ops, reason: vendor }
negatives: ${negatives}`);
    const list = written(`{ from: https://lists.example, signer: { issuer: ${ISSUER}, subject: s } }`);
    expect(list.ok ? [] : list.issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'policy.not_for_maker /negatives',
    ]);
    expect(written('none').ok).toBe(true);
  });
});

describe('a rejection that is kept out of sight', () => {
  const SEEN = 'ab'.repeat(20);

  it('by a commit that only a run names counts, in either case of its letters', () => {
    const ran = run({ ...RUN, git: { commit_sha: SEEN.toUpperCase() } }, agent('agent:writer', {}));
    const rejection = review({ ...REVIEW, commit_sha: SEEN, decision: 'rejected' }, undefined, [
      { digest: { gitCommit: SEEN } },
    ]);
    expect(codes([...good(), rejection])).toEqual([]);
    expect(codes([...good(), ran, rejection])).toEqual(['review_rejected']);
  });

  it('is withdrawn by a withdrawal, and by no other statement that reads like one', () => {
    const id = '7'.repeat(64);
    const LEAD = 'reviewer:lead@example.com';
    const eve = identity('reviewer:eve@example.com');
    const led = { policies: [policy(`review: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "${LEAD}" }] }`)] };
    const no = { ...review({ ...REVIEW, decision: 'rejected' }, eve), bundle_digest: `sha256:${id}` };
    const saying = (type: string) =>
      attestation(identity(LEAD), type, { rejection: id, reason: 'left', withdrawn_at: '2026-11-21T11:00:00Z' });
    expect(codes([...good(), no, saying(`${BASE}/review-withdrawal/v1`)], led)).toEqual([]);
    for (const other of [`${BASE}/agent-review/v1`, `${BASE}/review-withdrawal/v2`, `${BASE}/agent-run/v1`]) {
      expect(codes([...good(), no, saying(other)], led)).toContain('review_rejected');
    }
  });
});
