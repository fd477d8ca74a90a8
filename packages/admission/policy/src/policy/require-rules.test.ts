import { describe, expect, it } from 'vitest';
import { parsePolicy, parseRequireRules } from './policy.ts';

const ISSUER = 'https://issuer.example';
const SLSA = 'https://slsa.dev/provenance/v1';
const holder = (subject: string, issuer = ISSUER) => ({ issuer, subject, claims: {}, sources: {} });

function rulesOf(text: string) {
  const parsed = parseRequireRules(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

function issuesOf(text: string) {
  const parsed = parseRequireRules(text);
  return parsed.ok ? [] : parsed.issues.map(({ code, path, line, column }) => `${code} ${path} ${line}:${column}`);
}

describe('a rule of require', () => {
  it('stands alone as it stands in a policy', () => {
    const [rule] = rulesOf(
      `{ issuer: ${ISSUER}, subject: https://github.com/acme/app/.github/workflows/b.yml@refs/heads/main }`,
    );
    expect(rule!.identity.accepts(holder('https://github.com/acme/app/.github/workflows/b.yml@refs/heads/main'))).toBe(
      true,
    );
    expect(rule!.identity.accepts(holder('https://github.com/acme/app/.github/workflows/b.yml@refs/heads/dev'))).toBe(
      false,
    );
    expect(rule!.predicateType).toBeUndefined();
  });

  it('stands in a list in a file', () => {
    const rules = rulesOf(
      `- issuer: ${ISSUER}\n  subjectRegExp: agent:.*\n- issuer: https://ci.example\n  subject: build\n  predicateType: ${SLSA}\n`,
    );
    expect(rules.map(({ identity, predicateType }) => [identity.description, predicateType])).toEqual([
      [`/agent:.*/ of ${ISSUER}`, undefined],
      ['build of https://ci.example', SLSA],
    ]);
  });

  it.each([
    ['{ issuer: x }', ['policy.subject_choice  1:1']],
    ['{ issuer: x, subject: a, subjectRegExp: b }', ['policy.subject_choice  1:1']],
    ['{ subject: a }', ['policy.field_missing /issuer 1:1']],
    ['{ issuer: x, subjectRegExp: ".*" }', ['policy.pattern_unconstrained /subjectRegExp 1:29']],
    ['- { issuer: x, subjectRegExp: ".*" }', ['policy.pattern_unconstrained /0/subjectRegExp 1:31']],
    ['{ issuer: x, subjectRegExp: "(" }', ['policy.pattern_invalid /subjectRegExp 1:29']],
    [
      '{ issuer: x, subject: a, predicateType: slsaprovenance1 }',
      ['policy.predicate_type_invalid /predicateType 1:41'],
    ],
    ['{ issuer: x, subject: a, issuerRegExp: y }', ['policy.unknown_key /issuerRegExp 1:26']],
    ['[]', ['policy.value  1:1']],
    ['version: 1', ['policy.wrong_type  1:1']],
    ['{ issuer: x, issuer: y, subject: a }', ['policy.duplicate_key  1:14']],
    ['', ['policy.syntax  1:1']],
  ])('%s is none', (text, expected) => {
    expect(issuesOf(text)).toEqual(expected);
  });
});

describe('the build runner of a policy', () => {
  const policy = (more: string) =>
    `version: 1\nimages: [ghcr.io/acme/**]\nagent: { issuer: ${ISSUER}, subject: agent:writer }\n${more}\n`;
  const provenance = (more: string) => policy(`provenance: { issuer: https://ci.example, ${more} }`);
  const issues = (text: string) => {
    const parsed = parsePolicy(text);
    return parsed.ok ? [] : parsed.issues.map(({ code, path }) => `${code} ${path}`);
  };

  it('is an identity, and what its provenance has to name', () => {
    const parsed = parsePolicy(
      provenance('subjectRegExp: "build-.*", builderId: b, sourceRepository: "https://GitHub.com/acme/app"'),
    );
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    const { identity, ...rest } = parsed.value.provenance!;
    expect(identity.accepts(holder('build-7', 'https://ci.example'))).toBe(true);
    expect(identity.accepts(holder('build-7'))).toBe(false);
    expect(rest).toEqual({ builderId: 'b', sourceRepository: 'https://github.com/acme/app' });
    const least = parsePolicy(provenance('subject: build'));
    expect(least).toMatchObject({ ok: true, value: { provenance: {} } });
    expect(Object.keys(least.ok ? least.value.provenance! : {})).toEqual(['identity']);
  });

  it.each([
    ['no subject', provenance('builderId: b'), ['policy.subject_choice /provenance']],
    ['everybody', provenance('subjectRegExp: ".*"'), ['policy.pattern_unconstrained /provenance/subjectRegExp']],
    ['an agent', provenance('subject: agent:writer'), ['policy.builder_is_agent /provenance/subject']],
    [
      'a pattern of agents',
      provenance('subjectRegExp: "(agent|build):.*"'),
      ['policy.builder_is_agent /provenance/subjectRegExp'],
    ],
    [
      'a repository by its short name',
      provenance('subject: build, sourceRepository: acme/app'),
      ['policy.value /provenance/sourceRepository'],
    ],
    [
      'a repository with a user',
      provenance('subject: build, sourceRepository: "https://a@b/c"'),
      ['policy.address_invalid /provenance/sourceRepository'],
    ],
    ['a mistyped key', provenance('subject: build, builderID: b'), ['policy.unknown_key /provenance/builderID']],
    ['profile spec', `${provenance('subject: build')}profile: spec\n`, ['policy.not_in_profile /provenance']],
  ])('is not %s', (_title, text, expected) => {
    expect(issues(text)).toEqual(expected);
  });
});
