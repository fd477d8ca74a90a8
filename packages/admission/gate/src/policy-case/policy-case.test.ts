import { generateKeyPairSync } from 'node:crypto';
import { type AdmissionInput, decideAdmission, type Policy, parsePolicy } from '@colophon/admission';
import type { VerifiedSignature } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import {
  agent,
  attestation,
  CI,
  COSIGN,
  DANA,
  ISSUER,
  identity,
  imageSignature,
  OTHER_COMMIT,
  OTHER_SHA256,
  REVIEW,
  RUN,
  review,
  run,
  runAt,
  SHA256,
} from '../../../policy/test/image-evidence.ts';
import { caseDifferences, type DecidedCase, type DecidedCaseInFull, decideWrittenCase } from './decide-policy-case.ts';
import { parsePolicyCase } from './parse-policy-case.ts';

const IMAGE = `ghcr.io/acme/app:v1@sha256:${SHA256}`;
const NOW = '2026-11-21T12:00:00Z';
const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

function loaded(rest: string): Policy {
  const parsed = parsePolicy(`version: 1\nname: production\nimages: [ghcr.io/acme/**]\n${rest}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}
const AGENT = `agent: { issuer: ${ISSUER}, subjectRegExp: "agent:(writer|fixer)" }`;

const base = { policy: 'policy.yaml', image: IMAGE, now: NOW, expect: 'admitted' };

function decide(document: object, rest: string): DecidedCase {
  const parsed = parsePolicyCase(JSON.stringify({ ...base, ...document }));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  if (parsed.value.evidence.kind === 'pack') throw new Error('it is a pack');
  const { findings: _, ...decided } = decideWrittenCase(parsed.value.evidence, [loaded(rest)]);
  return decided;
}

function issuesOf(document: object | string): string[] {
  const parsed = parsePolicyCase(typeof document === 'string' ? document : JSON.stringify({ ...base, ...document }));
  return parsed.ok ? [] : parsed.issues.map(({ code, path }) => `${code} ${path}`);
}

/** A fact of verification, as somebody writes it into a case. */
function written({ certificate_identity: by, artifact_digest, statement, ...signature }: VerifiedSignature): object {
  const { key, ...certificate } = by;
  const subjects = [{ digest: { sha256: artifact_digest?.slice('sha256:'.length) } }];
  return {
    ...(key === undefined ? certificate : { key: KEY }),
    time: signature.log_entry.integrated_at,
    ...(signature.certified_at === undefined ? {} : { certified_at: signature.certified_at }),
    ...(signature.format === undefined ? {} : { format: signature.format }),
    ...(statement === undefined
      ? { subjects }
      : { subjects: statement.subject, predicateType: statement.predicateType, predicate: statement.predicate }),
  };
}

const SIGNATURES: Readonly<Record<string, readonly VerifiedSignature[]>> = {
  nothing: [],
  'an agent': [imageSignature()],
  cosign: [attestation(agent(), COSIGN, {})],
  'a run': [run(RUN)],
  'a run of another commit': [runAt(OTHER_COMMIT)],
  'a stranger': [imageSignature(agent('agent:other'))],
  'another image': [imageSignature(agent(), OTHER_SHA256)],
  'a build': [imageSignature(identity('build', { issuer: CI }))],
  'a bundle': [{ ...imageSignature(), format: 'bundle' }],
  'an older format': [{ ...imageSignature(), format: 'older-signature' }],
};
const decidedAt = (decision: string) => (time: string) =>
  review({ ...REVIEW, decision }, identity(DANA), undefined, time);
const [approved, rejected] = [decidedAt('approved'), decidedAt('rejected')];
const REVIEWS: Readonly<Record<string, readonly VerifiedSignature[]>> = {
  'no review': [],
  'a review': [review()],
  'a rejection': [review({ ...REVIEW, decision: 'rejected' })],
  'a bundle of a review': [{ ...review(), format: 'bundle' }],
  'a rejection, then an approval': [rejected('2026-11-21T10:00:00Z'), approved('2026-11-21T11:00:00Z')],
  'a rejection, then an approval of old that was logged again': [
    rejected('2026-11-21T10:00:00Z'),
    { ...approved('2026-11-21T11:00:00Z'), certified_at: '2026-11-21T09:00:00Z' },
  ],
  'a review of the commit alone': [review(REVIEW, identity(DANA), [{ digest: { gitCommit: OTHER_COMMIT } }])],
  'a review that is no object': [review('approved')],
  'a review by a token for artifacts': [review(REVIEW, identity(DANA, { purpose: 'artifact' }))],
};
const POLICIES: Readonly<Record<string, string>> = {
  'the default': AGENT,
  spec: `${AGENT}\nprofile: spec`,
  audit: `${AGENT}\nmode: audit`,
  bundles: `${AGENT}\nsignatureFormat: bundle`,
  ages: `agent: { issuer: ${ISSUER}, subject: "agent:writer", maxAge: 1h }`,
  people: `human: { issuer: ${CI}, subject: build }`,
};
const MORE: ReadonlyArray<readonly [object, Partial<AdmissionInput>]> = [
  [{}, {}],
  [{ rejected: [{ code: 'signature.invalid' }] }, { rejected: [{ code: 'signature.invalid', message: 'x' }] }],
  [{ incomplete: [{ code: 'image.unread' }] }, { incomplete: [{ code: 'image.unread', message: 'x' }] }],
];

test('evidence that is written out is decided as what was verified is', () => {
  let count = 0;
  for (const rest of Object.values(POLICIES)) {
    for (const signed of Object.values(SIGNATURES)) {
      for (const reviewed of Object.values(REVIEWS)) {
        for (const [more, input] of MORE) {
          const signatures = [...signed, ...reviewed];
          const found = decide({ evidence: { signatures: signatures.map(written), ...more } }, rest);
          const decision = decideAdmission({
            image: { reference: IMAGE, digest: `sha256:${SHA256}` },
            signatures,
            rejected: [],
            policies: [loaded(rest)],
            nowSeconds: Date.parse(NOW) / 1000,
            ...input,
          });
          expect(found).toEqual({
            decision: decision.admitted ? 'admitted' : 'refused',
            reasons: [...new Set(decision.reasons.map(({ code }) => code))].sort(),
            warnings: [...new Set(decision.warnings.map(({ code }) => code))].sort(),
            ...(decision.valid_until === undefined ? {} : { valid_until: decision.valid_until }),
          });
          count += 1;
        }
      }
    }
  }
  expect(count).toBe(6 * 10 * 9 * 3);
});

test('short names are those of our predicate types, and a signature is about the image unless it says otherwise', () => {
  const signatures = [
    {
      issuer: ISSUER,
      subject: 'agent:writer',
      claims: { commit_sha: REVIEW.commit_sha },
      time: '2026-11-21T10:00:00Z',
    },
    { issuer: ISSUER, subject: DANA, time: '2026-11-21T10:00:00Z', predicateType: 'agent-review', predicate: REVIEW },
  ];
  expect(decide({ evidence: { signatures } }, AGENT).decision).toBe('admitted');
  const elsewhere = [{ ...signatures[0], subjects: [{ digest: { sha256: OTHER_SHA256 } }] }, signatures[1]];
  expect(decide({ evidence: { signatures: elsewhere } }, AGENT).reasons).toContain('admission.signature_other_image');
});

test('a key signs, and its run says what it is', () => {
  const byKey = { key: KEY, time: '2026-11-21T10:00:00Z' };
  const signatures = [
    { ...byKey, predicateType: 'agent-run', predicate: RUN },
    { issuer: ISSUER, subject: DANA, time: '2026-11-21T10:00:00Z', predicateType: 'agent-review', predicate: REVIEW },
  ];
  const rest = `agent: { key: ${JSON.stringify(KEY)} }\nreview: { issuer: ${ISSUER} }`;
  expect(decide({ evidence: { signatures } }, rest).reasons).toEqual([]);
});

describe('the list of rejections', () => {
  const list = 'negatives: { from: https://x.example, signer: { issuer: https://x.example, subject: s }, maxAge: 10m }';
  const good = { evidence: { signatures: [imageSignature(), review()].map(written) } };
  const rejection = { issuer: ISSUER, subject: DANA, person: 'dana@example.com', time: '2026-11-21T11:00:00Z' };
  const of = (negatives: unknown, rest = `${AGENT}\n${list}`) => {
    const { reasons, valid_until } = decide({ ...good, ...(negatives === undefined ? {} : { negatives }) }, rest);
    return [...reasons, valid_until ?? '-'].join(' ');
  };

  test.each([
    ['that the policy names is empty and new, where the case says nothing', undefined, '2026-11-21T12:10:00Z'],
    ['may be empty', 'list', '2026-11-21T12:10:00Z'],
    ['may be away', 'missing', 'admission.rejections_incomplete -'],
    ['that the policy names is away, where there is none', 'registry-only', 'admission.rejections_incomplete -'],
    ['may be older', { time: '2026-11-21T11:50:00Z' }, '2026-11-21T12:00:00Z'],
    ['may be too old', { time: '2026-11-21T11:49:59Z' }, 'admission.rejections_incomplete -'],
    ['may be of tomorrow', { time: '2026-11-22T11:49:59Z' }, 'admission.rejections_incomplete -'],
    [
      'holds rejections of images',
      { time: NOW, rejections: [{ ...rejection, images: [`sha256:${SHA256}`] }] },
      'admission.review_rejected -',
    ],
    [
      'holds rejections of others',
      { time: NOW, rejections: [{ ...rejection, images: [`sha256:${OTHER_SHA256}`] }] },
      '2026-11-21T12:10:00Z',
    ],
    [
      'holds rejections of commits',
      { time: NOW, rejections: [{ ...rejection, commits: [REVIEW.commit_sha] }] },
      'admission.review_rejected -',
    ],
  ])('%s', (_title, negatives, expected) => {
    expect(of(negatives)).toBe(expected);
  });

  test('holds withdrawals, and what is withdrawn is no reason any longer', () => {
    const rejections = [
      { ...rejection, subject: 'reviewer:eve@example.com', person: 'eve@example.com', id: 'a'.repeat(64) },
    ].map((one) => ({ ...one, images: [`sha256:${SHA256}`] }));
    const lead = 'reviewer:lead@example.com';
    const withdrawals = [{ issuer: ISSUER, subject: lead, rejection: 'a'.repeat(64) }];
    const rest = `${AGENT}\nreview: { mayWithdraw: [{ issuer: ${ISSUER}, subject: "${lead}" }] }`;
    expect(of({ time: NOW, rejections }, rest)).toBe('admission.review_rejected -');
    expect(of({ time: NOW, rejections, withdrawals }, rest)).toBe('2026-11-21T12:15:00Z');
  });

  test('is none where the policy wants none, or names none and the case has none', () => {
    const rejections = [{ ...rejection, images: [`sha256:${SHA256}`] }];
    expect(of({ time: NOW, rejections }, `${AGENT}\nnegatives: none`)).toBe('-');
    expect(of('missing', `${AGENT}\nnegatives: none`)).toBe('-');
    expect(of(undefined, AGENT)).toBe('-');
    expect(of('missing', AGENT)).toBe('admission.rejections_incomplete -');
  });
});

describe('a case that cannot be read', () => {
  const signature = { issuer: ISSUER, subject: 'agent:writer', time: '2026-11-21T10:00:00Z' };
  const evidence = (...signatures: object[]) => ({ evidence: { signatures } });

  test.each<[string, object | string, string[]]>([
    ['no YAML', 'a: [', ['policy.syntax ']],
    ['another key', { evidence: {}, expects: 1 }, ['policy.unknown_key /expects']],
    ['no policy', { policy: undefined, evidence: {} }, ['policy.field_missing /policy']],
    ['no policy in the list', { policy: [], evidence: {} }, ['policy.value /policy']],
    ['another word', { evidence: {}, expect: 'denied' }, ['policy.value /expect']],
    ['no image', { evidence: {}, image: undefined }, ['policy.field_missing /image']],
    ['an image without a digest', { evidence: {}, image: 'ghcr.io/acme/app:v1' }, ['policy_case.image_invalid /image']],
    ['no time', { evidence: {}, now: undefined }, ['policy.field_missing /now']],
    ['a time that is none', { evidence: {}, now: '2026-02-30T00:00:00Z' }, ['policy_case.time_invalid /now']],
    [
      'a signature at no time',
      evidence({ ...signature, time: '2026-02-30T00:00:00Z' }),
      ['policy_case.time_invalid /evidence/signatures/0/time'],
    ],
    ['a refusal without a reason', { evidence: {}, expect: 'refused' }, ['policy.field_missing /reasons']],
    ['no reason in the list', { evidence: {}, expect: 'refused', reasons: [] }, ['policy.field_missing /reasons']],
    [
      'a reason that is none',
      { evidence: {}, expect: 'refused', reasons: ['admission.x'] },
      ['policy.value /reasons/0'],
    ],
    [
      'an admission with a reason',
      { evidence: {}, reasons: ['admission.no_signature'] },
      ['policy_case.reasons_unused /reasons'],
    ],
    [
      'a refusal with an end',
      { evidence: {}, expect: 'refused', reasons: ['admission.no_signature'], valid_until: NOW },
      ['policy_case.reasons_unused /valid_until'],
    ],
    [
      'a signature of nobody',
      evidence({ time: NOW }),
      ['policy.field_missing /evidence/signatures/0/issuer', 'policy.field_missing /evidence/signatures/0/subject'],
    ],
    [
      'a key and an issuer',
      evidence({ ...signature, key: KEY }),
      ['policy_case.signer_choice /evidence/signatures/0/key'],
    ],
    ['no key', evidence({ key: 'x', time: NOW }), ['policy_case.key_invalid /evidence/signatures/0/key']],
    [
      'a predicate without its type',
      evidence({ ...signature, predicate: {} }),
      ['policy_case.predicate_unused /evidence/signatures/0/predicate'],
    ],
    [
      'a type that nobody has',
      evidence({ ...signature, predicateType: 'agentreview' }),
      ['policy_case.predicate_type_unknown /evidence/signatures/0/predicateType'],
    ],
    [
      'a plain signature about a commit',
      evidence({ ...signature, subjects: [{ digest: { gitCommit: 'a' } }] }),
      ['policy_case.predicate_unused /evidence/signatures/0/subjects'],
    ],
    [
      'a claim that is none',
      evidence({ ...signature, claims: { model: 'x' } }),
      ['policy.unknown_key /evidence/signatures/0/claims/model'],
    ],
    ['the image of a pack', { evidence: 'a.pack.json', now: undefined }, ['policy_case.not_for_pack /image']],
    [
      'the list of a pack',
      { evidence: 'a.pack.json', image: undefined, negatives: 'list' },
      ['policy_case.not_for_pack /negatives'],
    ],
    [
      'everything at once',
      { evidence: { signatures: [{ ...signature, predicate: 1 }] }, image: 'x', expect: 'refused' },
      [
        'policy.field_missing /reasons',
        'policy_case.predicate_unused /evidence/signatures/0/predicate',
        'policy_case.image_invalid /image',
      ],
    ],
  ])('%s', (_title, document, expected) => {
    expect(issuesOf(document)).toEqual(expected);
  });

  test('says where it is wrong', () => {
    const parsed = parsePolicyCase(`policy: p\nevidence: {}\nimage: x\nnow: ${NOW}\nexpect: admitted\n`);
    expect(parsed).toMatchObject({ ok: false, issues: [{ line: 3, column: 8 }] });
  });

  test('what somebody signed may hold any time', () => {
    const predicate = { time: '2026-02-30T00:00:00Z', now: 'never' };
    for (const predicateType of ['agent-review', 'https://acme.example/review/v1', 'urn:acme:review']) {
      expect(issuesOf(evidence({ ...signature, predicateType, predicate }))).toEqual([]);
    }
  });
});

describe('a decision and what was expected', () => {
  const decided: DecidedCaseInFull = {
    decision: 'admitted',
    reasons: [],
    warnings: ['admission.exception'],
    valid_until: '2026-11-21T12:10:00Z',
    findings: [],
  };
  const codesOf = (expected: object, found: Partial<DecidedCaseInFull> = {}) =>
    caseDifferences({ decision: 'admitted', reasons: [], ...expected }, { ...decided, ...found }).map(
      ({ code }) => code,
    );

  test('agree where all that is expected is there', () => {
    expect(codesOf({})).toEqual([]);
    expect(codesOf({ warnings: ['admission.exception'], valid_until: '2026-11-21T12:10:00Z' })).toEqual([]);
    const refused = { decision: 'refused', reasons: ['admission.no_signature', 'admission.review_missing'] } as const;
    expect(codesOf({ ...refused, reasons: [...refused.reasons].reverse() }, refused)).toEqual([]);
  });

  test('differ with what was found under each code that nobody expected', () => {
    const finding = (code: 'admission.no_signature' | 'admission.review_missing', found: string) =>
      ({ code, message: 'why', found }) as const;
    const findings = [finding('admission.no_signature', 'a'), finding('admission.review_missing', 'b')];
    const found = {
      ...decided,
      decision: 'refused',
      reasons: ['admission.no_signature', 'admission.review_missing'],
      findings: [...findings, { ...finding('admission.review_missing', 'c'), policy: 'p' }],
    } as const;
    const expected = { decision: 'refused', reasons: ['admission.no_signature'] } as const;
    expect(caseDifferences(expected, found)).toEqual([
      expect.objectContaining({ code: 'policy_case.reasons_differ' }),
      finding('admission.review_missing', 'b'),
      finding('admission.review_missing', 'c'),
    ]);
    const warned = { ...found, reasons: [], warnings: found.reasons };
    expect(caseDifferences({ ...expected, reasons: [], warnings: [] }, warned).map(({ code }) => code)).toEqual([
      'policy_case.warnings_differ',
      'admission.no_signature',
      'admission.review_missing',
      'admission.review_missing',
    ]);
  });

  test('differ in the whole set of codes, and in the end', () => {
    const refused = { decision: 'refused', reasons: ['admission.no_signature'] } as const;
    expect(codesOf({}, refused)).toEqual(['policy_case.decision_differs', 'policy_case.reasons_differ']);
    const both = ['admission.no_signature', 'admission.review_missing'] as const;
    expect(codesOf({ ...refused, reasons: both }, refused)).toEqual(['policy_case.reasons_differ']);
    expect(codesOf(refused, { decision: 'refused', reasons: both })).toEqual(['policy_case.reasons_differ']);
    expect(codesOf({ warnings: [] })).toEqual(['policy_case.warnings_differ']);
    expect(codesOf({ valid_until: '2026-11-21T12:15:00Z' })).toEqual(['policy_case.valid_until_differs']);
    expect(codesOf({ valid_until: NOW }, { valid_until: undefined as never })).toEqual([
      'policy_case.valid_until_differs',
    ]);
  });
});
