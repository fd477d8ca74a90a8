import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { agent, decide, identity, imageSignature, REVIEW, review, SHA256 } from '../../test/image-evidence.ts';
import { type Policy, parsePolicy } from '../policy/policy.ts';
import { lintPolicies } from './lint-policies.ts';
import { POLICY_LINT_CODES } from './policy-warning.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;
const KEY = JSON.stringify(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }),
);
const ISSUER = 'https://issuer.example';
const DIGEST = `sha256:${SHA256}`;

const AGENT = `agent: { issuer: ${ISSUER}, subjectRegExp: "agent:(writer|fixer)" }`;
const SOURCES = 'sources: { commit_sha: [caller-token] }';
const REVIEWED = `review: { issuer: ${ISSUER}, subjectRegExp: 'reviewer:.*@example\\.com' }`;
/** Nothing is to be said of it. */
const GOOD = [AGENT, SOURCES, REVIEWED].join('\n');

function loaded(rest: string, images = 'ghcr.io/acme/**', name = 'production'): Policy {
  const parsed = parsePolicy(`version: 1\nname: ${name}\nimages: ["${images}"]\n${rest}\n`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

const placed = (policies: readonly Policy[]) =>
  lintPolicies(policies, NOON).map(({ warnings }) =>
    warnings.map(({ code, path, line, severity }) => `${code.replace('policy.lint_', '')} ${path} ${line} ${severity}`),
  );
const warned = (rest: string, images?: string) => placed([loaded(rest, images)])[0];

test('of a careful policy nothing is to be said', () => {
  expect(warned(GOOD)).toEqual([]);
  expect(warned(`${GOOD}\nmode: enforce\nprofile: strict`)).toEqual([]);
});

test.each([
  ['image.name == "app"', 'image.name'],
  ['image["name"] == "app" || image.name == "x" || image.tag == "v1"', 'image.name, image.tag'],
  ['certificate.email == "x" && has(certificate.constructor)', 'certificate.email, certificate.constructor'],
])('of the condition %s it is said that there is never %s', (condition, members) => {
  const conditions = `, conditions: ['image.digest != ""', '${condition}'] }`;
  const [first] = lintPolicies([loaded(GOOD.replace(/ }$/, conditions))], NOON);
  expect(first?.warnings).toEqual([
    expect.objectContaining({
      code: 'policy.lint_condition_member',
      path: '/review/conditions/1',
      message: `nothing ever has ${members}, so a comparison with it never holds`,
    }),
  ]);
});

test('of conditions over what there is, or may be, nothing is said', () => {
  const conditions = [
    'image.reference.startsWith("ghcr.io") && image.digest != ""',
    'certificate.claims.repo == "x" && certificate.sources["repo"] == "y" && certificate.issuer != certificate.subject',
    'predicate.name == statement.name && statement.subject.exists(image_, image_.name == "a")',
    'predicate.image.name == "a"',
  ];
  const written = `, conditions: [${conditions.map((one) => `'${one}'`).join(', ')}] }`;
  expect(warned(GOOD.replace(/ }$/, written))).toEqual([]);
});

const exception = (from: string, until: string) =>
  `exceptions: [{ digest: "${DIGEST}", owner: ops, reason: r, from: ${from}, until: ${until} }]`;
const list = (maxAge: string) =>
  `negatives: { from: https://x.example, signer: { issuer: https://x.example, subject: s }, maxAge: ${maxAge} }`;
const build = `provenance: { issuer: https://ci.example, subject: build`;
const agents = (rule: string) => [`agent: { ${rule} }`, SOURCES, REVIEWED].join('\n');
const reviewers = (rule: string) => [AGENT, SOURCES, `review: { ${rule} }`].join('\n');

test.each<[string, string, string[]]>([
  ['audit', `${GOOD}\nmode: audit`, ['audit /mode 7 warning']],
  ['spec', [AGENT, SOURCES, 'profile: spec'].join('\n'), ['profile_spec /profile 6 warning']],
  ['no sources', [AGENT, REVIEWED].join('\n'), ['no_sources /sources 1 warning']],
  ['no list', `${GOOD}\nnegatives: none`, ['registry_only /negatives 7 warning']],
  ['a list of six minutes', `${GOOD}\n${list('6m')}`, []],
  ['a list of less', `${GOOD}\n${list('359s')}`, ['list_age /negatives/maxAge 7 warning']],
  [
    'every agent',
    agents(`issuer: ${ISSUER}, subjectRegExp: "^agent:.*"`),
    ['any_agent /agent/subjectRegExp 4 warning'],
  ],
  ['agents of a prefix', agents(`issuer: ${ISSUER}, subjectRegExp: "agent:code-.*"`), []],
  [
    'every agent among several',
    agents(`identities: [{ issuer: ${ISSUER}, subject: "agent:a" }, { issuer: ${ISSUER}, subjectRegExp: "agent:.+" }]`),
    ['any_agent /agent/identities/1/subjectRegExp 4 warning'],
  ],
  ['a key of an agent', agents(`key: ${KEY}`), ['agent_key /agent/key 4 warning']],
  ['a key among several', agents(`identities: [{ key: ${KEY} }]`), ['agent_key /agent/identities/0/key 4 warning']],
  ['a key of the build', `${GOOD}\nrequire: [{ key: ${KEY} }]`, []],
  ['nobody named as reviewer', [AGENT, SOURCES].join('\n'), ['any_reviewer /review 1 warning']],
  ['every reviewer', reviewers('subjectRegExp: "reviewer:.*"'), ['any_reviewer /review/subjectRegExp 6 warning']],
  ['every address', reviewers('subjectRegExp: "reviewer:.+@.+"'), ['any_reviewer /review/subjectRegExp 6 warning']],
  [
    'every reviewer among several',
    reviewers(`identities: [{ issuer: ${ISSUER}, subjectRegExp: "reviewer:.*" }]`),
    ['any_reviewer /review/identities/0/subjectRegExp 6 warning'],
  ],
  ['no repository of the source', `${GOOD}\n${build} }`, ['provenance_repository /provenance 7 warning']],
  ['a repository of the source', `${GOOD}\n${build}, sourceRepository: "https://f.example/a/b" }`, []],
  [
    'a required signer who is the agent',
    `${GOOD}\nrequire: [{ issuer: ${ISSUER}, subject: "agent:tester" }, { issuer: ${ISSUER}, subject: "agent:fixer" }]`,
    ['agent_required /require/1 7 warning'],
  ],
  [
    'a required pattern that the agent matches',
    `${GOOD}\nrequire: [{ issuer: ${ISSUER}, subjectRegExp: "agent:(fix|mend)[a-z]+" }]`,
    ['agent_required /require/0 7 warning'],
  ],
  ['the same name of another issuer', `${GOOD}\nrequire: [{ issuer: https://ci.example, subject: "agent:fixer" }]`, []],
  [
    'the key of the agent required too',
    `${agents(`key: ${KEY}`)}\nrequire: [{ key: ${KEY} }]`,
    ['agent_key /agent/key 4 warning', 'agent_required /require/0 7 warning'],
  ],
  [
    'an exception that is over',
    `${GOOD}\n${exception('2026-11-21T11:00:00Z', '2026-11-21T12:00:00Z')}`,
    ['exception_over /exceptions/0 7 warning'],
  ],
  [
    'an exception in force',
    `${GOOD}\n${exception('2026-11-21T12:00:00Z', '2026-11-21T12:00:01Z')}`,
    ['exception_in_force /exceptions/0 7 warning'],
  ],
  ['an exception to come', `${GOOD}\n${exception('2026-11-21T12:00:01Z', '2026-11-21T13:00:00Z')}`, []],
  [
    'images of old, without end',
    `legacy: { digests: ["${DIGEST}"], owner: ops, reason: r }`,
    ['no_rejections  1 warning', 'legacy_without_end /legacy 4 warning'],
  ],
  [
    'images of old, too late',
    `legacy: { digests: ["${DIGEST}"], owner: ops, reason: r, until: 2026-11-21T12:00:00Z }`,
    ['no_rejections  1 warning', 'legacy_over /legacy/until 4 warning'],
  ],
  ['images of people', 'human: { issuer: https://ci.example, subject: build }', ['no_rejections  1 warning']],
  ['reviewed images of people', `human: { issuer: https://ci.example, subject: build }\n${REVIEWED}`, []],
])('%s', (_title, rest, expected) => {
  expect(warned(rest)).toEqual(expected);
});

test.each<[string, string[]]>([
  ['**', ['every_registry /images/0 3 warning']],
  ['**/acme/app', ['every_registry /images/0 3 warning']],
  ['*/acme/app', ['every_registry /images/0 3 warning']],
  ['*', []],
  ['*.acme.example/**', []],
  ['ghcr.io/acme/app:v*', ['tag_glob /images/0 3 warning']],
  ['localhost:7080/app', []],
  [`ghcr.io/acme/app@${DIGEST}`, []],
  ['nginx:1.*', ['tag_glob /images/0 3 warning']],
])('a policy of the images %s', (images, expected) => {
  expect(warned(GOOD, images)).toEqual(expected);
});

test('of two policies that cover one image, the one that asks for less says so', () => {
  const lax = `${GOOD}\nmode: audit`;
  const overlap = 'policies_overlap /images/0 3 note';
  const audit = 'audit /mode 7 warning';
  expect(placed([loaded(GOOD), loaded(lax, 'ghcr.io/**')])).toEqual([[], [overlap, audit]]);
  expect(placed([loaded(GOOD), loaded(lax, 'quay.io/**')])).toEqual([[], [audit]]);
  expect(placed([loaded(GOOD), loaded(GOOD, 'ghcr.io/**')])).toEqual([[], []]);
  const people = loaded('human: { issuer: https://ci.example, subject: build }', 'ghcr.io/acme/base');
  expect(placed([people, loaded(GOOD)])[0]).toEqual(['no_rejections  1 warning', overlap]);
});

test.each<[string, string, string[][]]>([
  // Whoever writes the Pod writes the tag, and with it which of the two is asked.
  [
    'ghcr.io/acme/app:dev-*',
    'ghcr.io/acme/app:1.*',
    [
      ['tag_glob', 'tag_chooses'],
      ['tag_glob', 'tag_chooses'],
    ],
  ],
  ['ghcr.io/acme/app:1.*', 'ghcr.io/acme/**', [['tag_glob', 'tag_chooses'], []]],
  ['ghcr.io/acme/*:1.*', 'ghcr.io/acme/app:1.*', [['tag_glob'], ['tag_glob']]],
  ['ghcr.io/acme/app:*', 'ghcr.io/acme/app:1.*', [['tag_glob'], ['tag_glob', 'tag_chooses']]],
  ['ghcr.io/acme/app:*', 'ghcr.io/acme/app', [['tag_glob', 'tag_chooses'], []]],
  ['ghcr.io/acme/app:1.*', 'ghcr.io/acme/other:2.*', [['tag_glob'], ['tag_glob']]],
  [`ghcr.io/acme/app:1.*@${DIGEST}`, `ghcr.io/acme/app:2.*@sha256:${'0'.repeat(64)}`, [['tag_glob'], ['tag_glob']]],
  ['ghcr.io/acme/app:1.*", "ghcr.io/acme/app', 'ghcr.io/acme/app:2.*', [['tag_glob'], ['tag_glob', 'tag_chooses']]],
])('of policies of %s and %s', (one, other, expected) => {
  const codes = placed([loaded(GOOD, one), loaded(GOOD, other, 'other')]);
  expect(codes.map((all) => all.map((text) => text.split(' ')[0]))).toEqual(expected);
});

test('policies that differ by tag name each other, and a policy differs from itself in nothing', () => {
  const [dev, release] = [
    loaded(GOOD, 'ghcr.io/acme/app:dev-*', 'dev'),
    loaded(GOOD, 'ghcr.io/acme/app:1.*', 'release'),
  ];
  const messages = lintPolicies([dev, release], NOON).map(({ warnings }) => warnings.at(-1)?.message);
  expect(messages).toEqual([
    expect.stringContaining('ghcr.io/acme/app:1.* of release'),
    expect.stringContaining('ghcr.io/acme/app:dev-* of dev'),
  ]);
  expect(warned(GOOD, 'ghcr.io/acme/app:dev-*", "ghcr.io/acme/app:1.*')).toEqual([
    'tag_glob /images/0 3 warning',
    'tag_glob /images/1 3 warning',
  ]);
});

test('every code is given, by these policies or others', () => {
  const policies = [
    loaded(
      [`agent: { identities: [{ key: ${KEY} }, { issuer: ${ISSUER}, subjectRegExp: "agent:.*" }] }`].join('\n'),
      '**/app:v1',
    ),
    loaded(`${AGENT}\nprofile: spec\nmode: audit`),
    loaded(`${GOOD}\n${list('1m')}\n${build} }\nrequire: [{ issuer: ${ISSUER}, subject: "agent:fixer" }]`),
    loaded(`${GOOD}\nnegatives: none\n${exception('2026-11-21T11:00:00Z', '2026-11-21T12:00:00Z')}`),
    loaded(`${GOOD}\n${exception('2026-11-21T11:00:00Z', '2026-11-21T13:00:00Z')}`),
    loaded(`legacy: { digests: ["${DIGEST}"], owner: ops, reason: r }`),
    loaded(`legacy: { digests: ["${DIGEST}"], owner: ops, reason: r, until: 2026-11-21T12:00:00Z }`),
    loaded(GOOD.replace(/ }$/, ', conditions: ["image.tag != 1"] }'), '**/app:v2'),
    loaded(GOOD.replace('.*@example\\.com', 'alice@.*')),
  ];
  const codes = lintPolicies(policies, NOON).flatMap(({ warnings }) => warnings.map(({ code }) => code));
  expect([...new Set(codes)].sort()).toEqual([...POLICY_LINT_CODES].sort());
});

test('what the warnings say is what is decided', () => {
  // The agent's own signature meets a rule for another.
  const required = loaded(`${AGENT}\nrequire: [{ issuer: ${ISSUER}, subject: "agent:writer" }]`);
  expect(decide([imageSignature(), review()], { policies: [required] }).admitted).toBe(true);
  // Nobody's no counts.
  const rejection = review({ ...REVIEW, decision: 'rejected' });
  const old = loaded(`legacy: { digests: ["${DIGEST}"], owner: ops, reason: r }`);
  expect(decide([rejection], { policies: [old] }).admitted).toBe(true);
  const people = loaded(`human: { issuer: ${ISSUER}, subject: build }`);
  expect(decide([imageSignature(identity('build')), rejection], { policies: [people] }).admitted).toBe(true);
  // A tag is not its digest.
  const tagged = loaded(GOOD, 'ghcr.io/acme/app:v*');
  const byDigest = { reference: `ghcr.io/acme/app@${DIGEST}`, digest: DIGEST };
  const codes = decide([imageSignature(agent())], { policies: [tagged], image: byDigest }).reasons.map(
    ({ code }) => code,
  );
  expect(codes).toEqual(['admission.image_not_covered']);
  // Nobody looks whether a tag has the digest beside it: of two policies that differ by tag, the Pod says which is asked.
  const dev = loaded(`${AGENT}\nprofile: spec`, 'ghcr.io/acme/app:dev-*');
  const release = loaded(GOOD, 'ghcr.io/acme/app:1.*');
  const evidence = [imageSignature(), review(REVIEW, agent())];
  const named = (tag: string) =>
    decide(evidence, {
      policies: [dev, release],
      image: { reference: `ghcr.io/acme/app:${tag}@${DIGEST}`, digest: DIGEST },
    });
  expect([named('1.0').admitted, named('dev-whatever').admitted]).toEqual([false, true]);
});

test('a policy without a file is not linted', () => {
  const { written: _, ...policy } = loaded(GOOD);
  expect(() => lintPolicies([policy], NOON)).toThrow(TypeError);
});

test.each([
  ["'alice@.+'", ['any_domain /review/subjectRegExp 5 warning']],
  ["'reviewer:alice@.+'", ['any_domain /review/subjectRegExp 5 warning']],
  ["'.*@.*example\\.com'", ['any_domain /review/subjectRegExp 5 warning']],
  ["'.*@example.com'", []],
  ["'.*@(.*\\.)?example\\.com'", []],
  ["'.*@localhost'", []],
  ["'.*@example\\.co\\.uk'", []],
  ["'alice|bob'", []],
])('of the reviewers %s it is said whose domains they take', (pattern, expected) => {
  const rest = (more: string) =>
    [AGENT, SOURCES, `review: { issuer: ${ISSUER}, subjectRegExp: ${pattern}${more} }`].join('\n');
  const found = (warned(rest('')) ?? []).filter((one) => !one.startsWith('any_reviewer'));
  expect(found.map((one) => one.replace(/ \d+ /, ' 5 '))).toEqual(expected);
  expect(warned(rest(', domains: [example.com]'))).toEqual([]);
});
