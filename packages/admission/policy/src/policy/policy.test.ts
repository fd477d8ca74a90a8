import { parseImageReference } from '@colophon/notation';
import { MAX_POLICY_LENGTH } from '@colophon/policy-file';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from './policy.ts';
import { POLICY_ISSUE_CODES } from './policy-issue.ts';

const ISSUER = 'https://issuer.example';
const MINIMAL = `version: 1
images: [ghcr.io/acme/**]
agent:
  issuer: ${ISSUER}
  subjectRegExp: agent:(writer|fixer)
`;

function parse(text: string) {
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

function issuesOf(text: string) {
  const parsed = parsePolicy(text);
  if (parsed.ok) throw new Error('it was accepted');
  for (const { code, message } of parsed.issues) {
    expect(POLICY_ISSUE_CODES).toContain(code);
    expect(message).toMatch(/./);
  }
  return parsed.issues.map(({ code, path, line, column }) => `${code} ${path} ${line}:${column}`);
}

const holder = (subject: string, issuer = ISSUER) => ({ issuer, subject, claims: {}, sources: {} });

describe('a policy file', () => {
  it('needs images and an agent, and has a default for the rest', () => {
    const policy = parse(MINIMAL);
    expect(policy.name).toBe('ghcr.io/acme/**');
    expect(policy.mode).toBe('enforce');
    expect(policy.profile).toBe('strict');
    expect(policy.images.map(({ text }) => text)).toEqual(['ghcr.io/acme/**']);
    expect(policy.images[0]!.covers(parseImageReference('ghcr.io/acme/app')!)).toBe(true);
    expect(policy.agent.issuers).toEqual([ISSUER]);
    expect(policy.agent.accepts(holder('agent:writer'))).toBe(true);
    expect(policy.agent.accepts(holder('agent:writers'))).toBe(false);
    expect(policy.agent.accepts(holder('agent:writer', 'https://other.example'))).toBe(false);
    expect(policy.review.identity.issuers).toEqual([ISSUER]);
    expect(policy.review.identity.accepts(holder('reviewer:dana@example.com'))).toBe(true);
    expect(policy.review.identity.accepts(holder('agent:writer'))).toBe(false);
    expect(policy.review.predicateType).toBe('https://colophon.example/predicates/agent-review/v1');
    expect(policy.review.runPredicateType).toBe('https://colophon.example/predicates/agent-run/v1');
    expect(policy.review.conditions).toEqual([]);
    expect(policy.review).not.toHaveProperty('minDurationSeconds');
    expect(policy.sources.size).toBe(0);
    expect(policy.require).toEqual([]);
  });

  it('holds everything that it says', () => {
    const policy = parse(`version: 1
name: production
images: [ghcr.io/acme/app, "docker.io/**"]
agent: { issuer: ${ISSUER}, subject: agent:writer }
review:
  issuer: https://people.example
  subject: reviewer:dana@example.com
  predicateType: https://acme.example/predicates/agent-review/v1
  conditions: [predicate.approved == true]
  minDurationSeconds: 60
sources: { repo: [caller-token], model_id: [witness-isolated, registry] }
require:
  - { issuer: https://ci.example, subject: builder, predicateType: https://slsa.dev/provenance/v1 }
  - { issuer: https://ci.example, subjectRegExp: "build-.*" }
signatureFormat: bundle
mode: audit
profile: strict
`);
    expect(policy.name).toBe('production');
    expect(policy.images).toHaveLength(2);
    expect(policy.agent.accepts(holder('agent:writer'))).toBe(true);
    expect(policy.agent.accepts(holder('agent:write'))).toBe(false);
    expect(policy.agent.accepts(holder('agent:writer', 'https://other.example'))).toBe(false);
    expect(policy.agent.description).toBe(`agent:writer of ${ISSUER}`);
    expect(policy.review.identity.accepts(holder('reviewer:dana@example.com', 'https://people.example'))).toBe(true);
    expect(policy.review.identity.accepts(holder('reviewer:eve@example.com', 'https://people.example'))).toBe(false);
    expect(policy.review.identity.accepts(holder('reviewer:dana@example.com'))).toBe(false);
    expect(policy.review.predicateType).toBe('https://acme.example/predicates/agent-review/v1');
    expect(policy.review.runPredicateType).toBe('https://acme.example/predicates/agent-run/v1');
    expect(policy.review.conditions.map(({ text }) => text)).toEqual(['predicate.approved == true']);
    expect(policy.review.minDurationSeconds).toBe(60);
    expect([...policy.sources]).toEqual([
      ['repo', ['caller-token']],
      ['model_id', ['witness-isolated', 'registry']],
    ]);
    expect(policy.require.map(({ predicateType }) => predicateType)).toEqual([
      'https://slsa.dev/provenance/v1',
      undefined,
    ]);
    expect(policy.require[1]!.identity.accepts(holder('build-7', 'https://ci.example'))).toBe(true);
    expect(policy.require[1]!.identity.description).toBe('/build-.*/ of https://ci.example');
    expect(policy.mode).toBe('audit');
    expect(policy.signatureFormat).toBe('bundle');
    expect(parse(MINIMAL)).not.toHaveProperty('signatureFormat');
  });

  it('takes its predicate types from the configured base', () => {
    const parsed = parsePolicy(MINIMAL, { predicateBase: 'https://acme.example/p' });
    if (!parsed.ok) throw new Error('refused');
    expect(parsed.value.review.predicateType).toBe('https://acme.example/p/agent-review/v1');
    expect(parsed.value.review.runPredicateType).toBe('https://acme.example/p/agent-run/v1');
  });

  it('counts what was written under the placeholder, and nothing under a third base', () => {
    const parsed = parsePolicy(MINIMAL, { predicateBase: 'https://acme.example/p' });
    if (!parsed.ok) throw new Error('refused');
    const { review } = parsed.value;
    for (const [base, counts] of [
      ['https://acme.example/p', true],
      ['https://colophon.example/predicates', true],
      ['https://other.example/p', false],
    ] as const) {
      expect(review.isReview(`${base}/agent-review/v1`)).toBe(counts);
      expect(review.isRun(`${base}/agent-run/v1`)).toBe(counts);
    }
    expect(review.isReview(undefined)).toBe(false);
  });

  it('counts the named type alone', () => {
    const named = 'review: { predicateType: https://acme.example/p/agent-review/v1 }\n';
    const { review } = parse(MINIMAL + named);
    expect(review.isReview('https://acme.example/p/agent-review/v1')).toBe(true);
    expect(review.isReview('https://colophon.example/predicates/agent-review/v1')).toBe(false);
    expect(review.isRun('https://acme.example/p/agent-run/v1')).toBe(true);
    expect(review.isRun('https://colophon.example/predicates/agent-run/v1')).toBe(false);
  });

  it('keeps the run type of the configured base beside a review type of somebody else', () => {
    const policy = parse(`${MINIMAL}review: { predicateType: https://acme.example/review }\nnegatives: none\n`);
    expect(policy.review.predicateType).toBe('https://acme.example/review');
    expect(policy.review.runPredicateType).toBe('https://colophon.example/predicates/agent-run/v1');
  });

  it.each([
    ['', ['policy.syntax  1:1']],
    ['# nothing\n', ['policy.syntax  1:1']],
    ['--- \n', ['policy.wrong_type  1:5']],
    ['[1]', ['policy.wrong_type  1:1']],
    ['version: 1\n\tbad', ['policy.syntax  2:1', 'policy.syntax  2:2']],
    ['a: [1', ['policy.syntax  1:6']],
    [`${MINIMAL}mode: audit\nmode: enforce\n`, ['policy.duplicate_key  7:1']],
    [`${MINIMAL}---\n${MINIMAL}`, ['policy.several_documents  6:1']],
    [`${MINIMAL}name: &a x\nmode: *a\n`, ['policy.alias  7:7']],
    [`${MINIMAL}name: !secret x\n`, ['policy.syntax  6:7']],
    [`${MINIMAL}<<: { mode: audit }\n`, ['policy.unknown_key /<< 6:1']],
    [`${MINIMAL}a/b~c: audit\n`, ['policy.unknown_key /a~1b~0c 6:1']],
    [`${MINIMAL}modes: audit\n`, ['policy.unknown_key /modes 6:1']],
    [`${MINIMAL}constructor: audit\n`, ['policy.unknown_key /constructor 6:1']],
    [`${MINIMAL}__proto__: { mode: audit }\n`, ['policy.unknown_key /__proto__ 6:1']],
    [`${MINIMAL}mode: warn\n`, ['policy.value /mode 6:7']],
    [`${MINIMAL}profile: lax\n`, ['policy.value /profile 6:10']],
    [`${MINIMAL}signatureFormat: older\n`, ['policy.value /signatureFormat 6:18']],
    [`${MINIMAL}name: "  "\n`, ['policy.value /name 6:7']],
    [`${MINIMAL}name: 5\n`, ['policy.wrong_type /name 6:7']],
    [`${MINIMAL}name:\n`, ['policy.wrong_type /name 6:6']],
    [`${MINIMAL}sources: { repo: [] }\n`, ['policy.value /sources/repo 6:18']],
    [`${MINIMAL}sources: { repo: [hearsay] }\n`, ['policy.value /sources/repo/0 6:19']],
    [`${MINIMAL}sources: { mood: [declared] }\n`, ['policy.unknown_key /sources/mood 6:12']],
    [`${MINIMAL}require: []\n`, ['policy.value /require 6:10']],
    [
      `${MINIMAL}require: [{ issuer: x, subject: y, predicateType: agent-review }]\n`,
      ['policy.predicate_type_invalid /require/0/predicateType 6:51'],
    ],
    [
      `${MINIMAL}review: { predicateType: agent-review }\n`,
      ['policy.predicate_type_invalid /review/predicateType 6:26'],
    ],
    [
      `${MINIMAL}review: { predicateType: "https://acme.example/reviewed/v1" }\n`,
      ['policy.predicate_type_invalid /review/predicateType 6:26'],
    ],
    [`${MINIMAL}require: { issuer: x }\n`, ['policy.wrong_type /require 6:10']],
    [`${MINIMAL}require: [{ issuer: x }]\n`, ['policy.subject_choice /require/0 6:11']],
    [
      `${MINIMAL}require: [{ issuer: x, subjectRegExp: "(" }]\n`,
      ['policy.pattern_invalid /require/0/subjectRegExp 6:39'],
    ],
    [`${MINIMAL}review: { conditions: [] }\n`, ['policy.value /review/conditions 6:23']],
    [`${MINIMAL}review: { conditions: ["1 +"] }\n`, ['policy.condition_invalid /review/conditions/0 6:24']],
    [`${MINIMAL}review: { subject: a, subjectRegExp: a.* }\n`, ['policy.subject_choice /review 6:9']],
    [`${MINIMAL}review: { subjectRegExp: ".*" }\n`, ['policy.pattern_unconstrained /review/subjectRegExp 6:26']],
    [`${MINIMAL}review: { minDurationSeconds: 0 }\n`, ['policy.value /review/minDurationSeconds 6:31']],
    [`${MINIMAL}review: { minDurationSeconds: 1.5 }\n`, ['policy.wrong_type /review/minDurationSeconds 6:31']],
    [`${MINIMAL}review: { minDurationSeconds: 1e9 }\n`, ['policy.value /review/minDurationSeconds 6:31']],
    [`${MINIMAL}review: { minDurationSeconds: .inf }\n`, ['policy.wrong_type /review/minDurationSeconds 6:31']],
    [`${MINIMAL}profile: spec\nreview: { subject: x }\n`, ['policy.not_in_profile /review/subject 7:20']],
    [`${MINIMAL}profile: spec\nreview: { issuer: x }\n`, ['policy.not_in_profile /review/issuer 7:19']],
    [
      `${MINIMAL}profile: spec\nreview: { subjectRegExp: acme.* }\n`,
      ['policy.not_in_profile /review/subjectRegExp 7:26'],
    ],
    [MINIMAL.replace('version: 1', 'version: 2'), ['policy.value /version 1:10']],
    [MINIMAL.replace('version: 1\n', ''), ['policy.field_missing /version 1:1']],
    [MINIMAL.replace('[ghcr.io/acme/**]', '[]'), ['policy.value /images 2:9']],
    [MINIMAL.replace('[ghcr.io/acme/**]', '["a b"]'), ['policy.glob_invalid /images/0 2:10']],
    [MINIMAL.replace('[ghcr.io/acme/**]', '[7]'), ['policy.wrong_type /images/0 2:10']],
    [MINIMAL.replace(`  issuer: ${ISSUER}\n`, ''), ['policy.field_missing /agent/issuer 4:3']],
    [MINIMAL.replace('agent:(writer|fixer)', '"(a|.*)"'), ['policy.pattern_unconstrained /agent/subjectRegExp 5:18']],
    [MINIMAL.replace('agent:(writer|fixer)', '"["'), ['policy.pattern_invalid /agent/subjectRegExp 5:18']],
    [`${MINIMAL}  subject: agent:x\n`, ['policy.subject_choice /agent 4:3']],
  ])('%j is refused with its place', (text, expected) => {
    expect(issuesOf(text)).toEqual(expected);
  });

  it('reports every problem at once', () => {
    expect(
      issuesOf(`version: 1
images: ["a b"]
agent: { issuer: x, subjectRegExp: ".*" }
review: { subjectRegExp: "(", conditions: ["nobody"] }
require: [{ issuer: x }]
`),
    ).toEqual([
      'policy.glob_invalid /images/0 2:10',
      'policy.pattern_unconstrained /agent/subjectRegExp 3:36',
      'policy.pattern_invalid /review/subjectRegExp 4:26',
      'policy.condition_invalid /review/conditions/0 4:44',
      'policy.subject_choice /require/0 5:11',
    ]);
    expect(issuesOf('version: 2\nfoo: 1\nbar: 2\n')).toHaveLength(5);
  });

  it('says what would have been right', () => {
    const parsed = parsePolicy(
      `${MINIMAL}mode: warn\nmodes: x\nname: 5\nsources: []\nreview: {minDurationSeconds: 0}\n`,
    );
    expect(parsed.ok ? [] : parsed.issues.map(({ expected, message }) => [expected, message])).toEqual([
      ['enforce, audit', 'not one of the allowed values'],
      ['models or mode', 'a key that is not known'],
      ['text', 'a value of another type'],
      ['a map', 'a value of another type'],
      ['1 to 31536000', 'out of range'],
    ]);
    const lists = parsePolicy(`${MINIMAL.replace('[ghcr.io/acme/**]', 'x')}require: []\nname: ""\n`);
    expect(lists.ok ? [] : lists.issues.map(({ expected }) => expected)).toEqual(['a list', 'at least 1 item', 'text']);
  });

  it.each<[refused: boolean, rule: string]>([
    [true, 'subject: agent:reviewer'],
    [false, 'subject: reviewer:an-agent:x@example.com'],
    [true, 'subjectRegExp: agent:checker'],
    [true, 'subjectRegExp: "(reviewer|agent).*"'],
    [true, 'subjectRegExp: ".*:reviewer:.*"'],
    [true, 'subjectRegExp: "a[a-z]+:zqxj.*|reviewer:x"'],
    [false, 'subjectRegExp: "reviewer:.*@example[.]com"'],
    [false, 'subjectRegExp: "(reviewer:)?[a-z]+@example[.]com"'],
  ])('lets no agent review or withdraw, however its subjects are written: %s for %s', (refused, rule) => {
    const issues = (review: string) => {
      const parsed = parsePolicy(`${MINIMAL}review: ${review}\n`);
      return parsed.ok ? [] : parsed.issues.map(({ code, path }) => `${code} ${path}`);
    };
    const key = rule.split(':')[0];
    const found = (path: string) => (refused ? [`policy.reviewer_is_agent ${path}/${key}`] : []);
    expect(issues(`{ ${rule} }`)).toEqual(found('/review'));
    expect(issues(`{ mayWithdraw: [{ issuer: ${ISSUER}, ${rule} }] }`)).toEqual(found('/review/mayWithdraw/0'));
  });

  it('is refused beyond its greatest length, and not at it', () => {
    const padding = '#'.repeat(MAX_POLICY_LENGTH - MINIMAL.length);
    expect(parsePolicy(MINIMAL + padding).ok).toBe(true);
    const parsed = parsePolicy(`${MINIMAL}${padding}#`);
    expect(parsed.ok ? '' : parsed.issues[0]!.message).toMatch(/larger/);
    expect(parsed).toEqual({
      ok: false,
      issues: [{ path: '', code: 'policy.too_large', message: expect.any(String), expected: '65536 characters' }],
    });
  });

  it.each([1, 60, 31_536_000])('may ask for a review of %i seconds', (seconds) => {
    expect(parse(`${MINIMAL}review: { minDurationSeconds: ${seconds} }\n`).review.minDurationSeconds).toBe(seconds);
  });

  it('with ten thousand mistakes gets an answer of bounded size', () => {
    const parsed = parsePolicy('!!a '.repeat(10_000));
    expect(parsed.ok ? [] : parsed.issues).toHaveLength(50);
  });

  it('nested without end is refused and not followed', () => {
    const parsed = parsePolicy('['.repeat(60_000));
    expect(parsed.ok ? [] : parsed.issues[0]!.code).toBe('policy.syntax');
  });

  it('of many aliases is refused before they are multiplied', () => {
    const levels = Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`);
    const parsed = parsePolicy(`a0: &a0 [x]\n${levels.join('\n')}\n`);
    expect(parsed.ok ? [] : new Set(parsed.issues.map(({ code }) => code))).toEqual(new Set(['policy.alias']));
  });

  it('has issues of listed codes only', () => {
    expect(new Set(POLICY_ISSUE_CODES).size).toBe(POLICY_ISSUE_CODES.length);
  });
});

it('a policy is called by its own name, else by what the caller calls it, else by its first glob', () => {
  const nameOf = (text: string, options?: { name: string }) => {
    const parsed = parsePolicy(text, options);
    return parsed.ok ? parsed.value.name : parsed.issues;
  };
  expect(nameOf(`${MINIMAL}name: production\n`, { name: 'policy.yaml' })).toBe('production');
  expect(nameOf(MINIMAL, { name: 'policy.yaml' })).toBe('policy.yaml');
  const parsed = parsePolicy(MINIMAL);
  expect(parsed.ok && parsed.value.name).toBe(parsed.ok && parsed.value.images[0]?.text);
});
