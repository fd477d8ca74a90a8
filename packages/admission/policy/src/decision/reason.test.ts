import { generateKeyPairSync } from 'node:crypto';
import { keyIdentity } from '@colophon/records';
import { describe, expect, it } from 'vitest';
import {
  agent,
  attestation,
  CI,
  COMMIT,
  decide,
  ISSUER,
  identity,
  image,
  imageSignature,
  log,
  OTHER_SHA256,
  RUN,
  review,
  run,
} from '../../test/image-evidence.ts';
import { parsePolicy } from '../policy/policy.ts';
import { publicKeyName } from '../public-key/public-key.ts';
import { type AdmissionInput, decideAdmission } from './decision.ts';
import { type AdmissionReason, shown, shownList } from './reason.ts';
import { checkAge, youngUntil } from './signature-age.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z') / 1000;
const AGENT = `agent: { issuer: ${ISSUER}, subject: agent:writer }`;
const PACK = `sha256:${'d'.repeat(64)}`;

function reasons(rest: string, ...[signatures, more]: [Parameters<typeof decide>[0], Partial<AdmissionInput>?]) {
  const parsed = parsePolicy(`version: 1\nname: p\nimages: [ghcr.io/acme/**]\n${rest}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return decide(signatures, { policies: [parsed.value], nowSeconds: NOW, ...more }).reasons;
}
const by = (claims: object) => [imageSignature(agent('agent:writer', { commit_sha: COMMIT, ...claims })), review()];

describe('a refusal says what was expected and what was found', () => {
  it.each<[string, () => readonly AdmissionReason[], Partial<AdmissionReason>]>([
    [
      'of a model',
      () =>
        reasons(`${AGENT}\nmodels: [{ id: a, provider: b }, { id: c }]`, by({ model_id: 'm', model_provider: 'p' })),
      { expected: 'a of b, c', found: 'm of p' },
    ],
    [
      'of a model of nobody',
      () => reasons(`${AGENT}\nmodels: [{ id: a }]`, by({ model_id: 'm' })),
      { expected: 'a', found: 'm' },
    ],
    [
      'of a policy pack',
      () => reasons(`${AGENT}\npolicyPacks: [{ name: default, hash: "${PACK}" }]`, by({ policy_pack_hash: 'x' })),
      { expected: `default (${PACK})`, found: 'x' },
    ],
    [
      'of an unknown request',
      () => reasons(`${AGENT}\nmodelAsRequested: true`, by({})),
      { expected: 'model.requested in the agent run' },
    ],
    [
      'of another model than was requested',
      () =>
        reasons(`${AGENT}\nmodelAsRequested: true`, [
          ...by({}),
          run({ ...RUN, model: { id: 'n', provider: 'p', requested: 'm' } }),
        ]),
      { expected: 'm', found: 'n' },
    ],
    [
      'of an old signature',
      () => reasons(AGENT.replace(' }', ', maxAge: 1h }'), by({})),
      { message: 'The signature is too old.', expected: 'at most 3600 s old', found: '2026-11-21T10:00:00Z' },
    ],
    [
      'of an old review',
      () => reasons(`${AGENT}\nreview: { maxAge: 1h }`, by({})),
      { message: 'The review is too old.', expected: 'at most 3600 s old', found: '2026-11-21T10:00:00Z' },
    ],
    [
      'of an age that is not known',
      () => reasons(`${AGENT}\nreview: { maxAge: 1h }`, by({}), { nowSeconds: undefined as never }),
      { found: 'no time to compare with' },
    ],
    [
      'of somebody in place of a person',
      () => reasons(`human: { issuer: ${CI}, subject: build }`, [imageSignature(identity('other', { issuer: CI }))]),
      { expected: `build of ${CI}`, found: `other of ${CI}` },
    ],
    [
      'of an agent in place of a person',
      () =>
        reasons(`human: { issuer: ${CI}, subject: build }`, [
          imageSignature(identity('build', { issuer: CI })),
          imageSignature(),
        ]),
      { found: `agent:writer of ${ISSUER}` },
    ],
    [
      'of a digest that is not listed',
      () => reasons(`legacy: { digests: ["${PACK}"], owner: o, reason: r }`, []),
      { expected: PACK, found: image.digest },
    ],
    [
      'of a time that is over',
      () => reasons(`legacy: { digests: ["${image.digest}"], owner: o, reason: r, until: 2026-11-21T11:00:00Z }`, []),
      { expected: 'before 2026-11-21T11:00:00Z' },
    ],
    [
      'of another image',
      () => reasons(AGENT, [imageSignature(agent(), OTHER_SHA256), review()]),
      { expected: image.digest.slice('sha256:'.length), found: OTHER_SHA256 },
    ],
    [
      'of a purpose',
      () => reasons(AGENT, [imageSignature({ ...agent(), purpose: 'review' }), review()]),
      {
        found:
          'certificate.purpose_mismatch: the certificate of agent:writer was issued for a review, and signed something else',
      },
    ],
  ])('%s', (_what, refuse, expected) => {
    const [reason] = refuse();
    expect(reason).toMatchObject(expected);
  });

  it('of a file that is no image', () => {
    const { artifact_digest: _, ...nothing } = imageSignature();
    expect(reasons(AGENT, [nothing, review()])[0]?.found).toBe('no sha256');
  });

  it('of a run, only where something is expected', () => {
    const [whole, part] = [
      { ...RUN, agent: { name: 'writer', version: 1 } },
      { ...RUN, git: undefined },
    ];
    const of = (predicate: object) =>
      reasons(AGENT, [run(JSON.parse(JSON.stringify(predicate))), review()]).filter(
        ({ code }) => code === 'admission.run_malformed',
      );
    expect(of(part)).toHaveLength(1);
    expect(of(whole)[0]).toMatchObject({ expected: expect.stringMatching(/./) });
    for (const reason of [...of(part), ...of(whole)]) expect('expected' in reason).toBe(reason.expected !== undefined);
  });

  it('as printable text, cut, and five of it at most', () => {
    expect(shown('a\u001b[31m\u202eb')).toBe('a\\u001b[31m\\u202eb');
    expect([shown('x'.repeat(200)), shown('x'.repeat(201))]).toEqual(['x'.repeat(200), `${'x'.repeat(200)}…`]);
    expect(shownList(['a', 'b', 'a', 'c', 'd', 'e'])).toBe('a, b, c, d, e');
    expect(shownList(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('a, b, c, d, e and 2 more');
  });
});

describe('the age of a signature', () => {
  const of = (certified_at: string | undefined, integrated_at: string, key?: string) => ({
    certificate_identity: key === undefined ? agent() : keyIdentity(key),
    ...(certified_at === undefined ? {} : { certified_at }),
    log_entry: log(integrated_at),
  });
  const [TEN, ELEVEN] = ['2026-11-21T10:00:00Z', '2026-11-21T11:00:00Z'];

  it('is said to be nobody’s for a key', () => {
    const [finding] = checkAge(of(undefined, ELEVEN, `sha256:${'e'.repeat(64)}`), 3600, NOW);
    expect(finding?.found).toBe('a key, which does not say when it signed');
  });

  it('ends with the oldest of several, and never without a limit', () => {
    expect(youngUntil([of(TEN, ELEVEN), of(undefined, ELEVEN)], 60)).toBe(Date.parse(TEN) / 1000 + 60);
    expect(youngUntil([of(undefined, ELEVEN, 'sha256:x')], undefined)).toBe(Number.POSITIVE_INFINITY);
    expect(youngUntil([], 60)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('one of several signatures is enough', () => {
  const human = `human: { issuer: ${CI}, subjectRegExp: "build[12]", maxAge: 1h }`;
  const built = (subject: string, certified_at: string) => ({
    ...imageSignature(identity(subject, { issuer: CI })),
    certified_at,
  });

  it('where another is too old', () => {
    const [young, old] = [built('build1', '2026-11-21T11:30:00Z'), built('build2', '2026-11-21T10:00:00Z')];
    expect(reasons(human, [old, young])).toEqual([]);
    expect(reasons(human, [old]).map(({ code }) => code)).toEqual(['admission.signature_too_old']);
  });

  it('of which each counts for itself', () => {
    const test = attestation(identity('build1', { issuer: CI }), 'https://x.example/scan', {});
    expect(reasons(human, [test]).map(({ code }) => code)).toEqual(['admission.no_signature']);
    const rejected = [{ code: 'signature.invalid', message: 'forged', predicate_type: 'https://x.example/scan' }];
    expect(reasons(human, [], { rejected }).map(({ code }) => code)).toEqual(['admission.no_signature']);
    const forged = [{ code: 'signature.invalid', message: 'forged' }];
    expect(reasons(human, [], { rejected: forged }).map(({ code }) => code)).toEqual(['admission.signature_rejected']);
  });
});

describe('a key that signs a run', () => {
  it('declares what the run says', () => {
    const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const rule = `agent: { key: ${JSON.stringify(pem)} }\nreview: { issuer: ${ISSUER} }`;
    const signed = [run(RUN, keyIdentity(publicKeyName(pem) as string)), review()];
    expect(reasons(`${rule}\nsources: { commit_sha: [declared], model_id: [declared] }`, signed)).toEqual([]);
    expect(reasons(`${rule}\nsources: { model_id: [registry] }`, signed)[0]).toMatchObject({
      code: 'admission.source_not_allowed',
      found: 'declared',
    });
  });
});

describe('the letter of the contract', () => {
  const letter = `${AGENT}\nprofile: spec`;

  it('takes a run that says no for a signature, and a rejection by nobody’s rule for nothing', () => {
    const run1 = run({ ...RUN, human_review: { approved: false } });
    const approved = review(undefined, agent());
    expect(reasons(letter, [run1, approved])).toEqual([]);
    const rejection = review({ decision: 'rejected' });
    expect(reasons(letter, [rejection]).map(({ code }) => code)).toEqual([
      'admission.agent_not_approved',
      'admission.reviewer_not_accepted',
    ]);
  });

  it('asks for no more where the policy has an exception of another image', () => {
    const other = `exceptions: [{ digest: "${PACK}", owner: o, reason: r, from: 2026-11-21T11:00:00Z, until: 2026-11-21T13:00:00Z }]`;
    const said = reasons(`${letter}\n${other}`, [review({ decision: 'rejected' })]).map(({ code }) => code);
    expect(said).not.toContain('admission.review_rejected');
  });
});

describe('what may say yes', () => {
  it('takes back a no about the commit in its own format alone', () => {
    const of = (predicate: object, format: 'bundle' | 'older-attestation', at: string) => ({
      ...review(
        { human_reviewer: 'dana@example.com', review_timestamp: '2026-11-21T09:00:00Z', ...predicate },
        undefined,
        [{ digest: { gitCommit: COMMIT } }],
        at,
      ),
      format,
    });
    const bundled = [imageSignature(), review()].map((one) => ({ ...one, format: 'bundle' as const }));
    const no = of({ decision: 'rejected' }, 'bundle', '2026-11-21T10:00:00Z');
    const yes = (format: 'bundle' | 'older-attestation') => of({}, format, '2026-11-21T11:00:00Z');
    const rule = `${AGENT}\nsignatureFormat: bundle`;
    expect(reasons(rule, [...bundled, no]).map(({ code }) => code)).toEqual(['admission.review_rejected']);
    expect(reasons(rule, [...bundled, no, yes('bundle')])).toEqual([]);
    expect(reasons(rule, [...bundled, no, yes('older-attestation')]).map(({ code }) => code)).toEqual([
      'admission.review_rejected',
    ]);
  });

  it('is told apart by what it rejects', () => {
    const [wrong] = [imageSignature({ ...agent(), purpose: 'review' })];
    const [reason] = reasons(AGENT, [wrong!, review()]);
    expect(reason?.code).toBe('admission.signature_rejected');
    const plain = decideAdmission({ image, signatures: [], rejected: [{ code: 'x', message: 'y' }], policies: [] });
    expect(plain.admitted).toBe(false);
  });
});
