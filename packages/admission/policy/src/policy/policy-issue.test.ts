import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parsePolicy, parseRequireRules } from './policy.ts';

const KEY = JSON.stringify(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }));
const DIGEST = `sha256:${'a'.repeat(64)}`;
const AGENT = 'agent: { issuer: i, subject: agent:writer }';
const HUMAN = 'human: { issuer: i, subject: build }';
const LEGACY = `legacy: { digests: ["${DIGEST}"], owner: o, reason: r }`;
const REVIEWED = 'review: { issuer: i }';
const exception = (from: string, until: string) =>
  `${AGENT}\nexceptions: [{ digest: "${DIGEST}", owner: o, reason: r, from: ${from}, until: ${until} }]`;

// A key is another in each run: no title may hold one.
const written = (rest: string) => parsePolicy(`version: 1\nimages: ["**"]\n${rest.replaceAll('KEY', KEY)}`);
const load = (rest: string) => {
  const parsed = written(rest);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
};

const NO_AGENT = 'no subject that begins with agent:';
const FORMS = 'issuer and subject, or key, or identities';
const NO_REVIEWER = 'agents may not review or withdraw, and this rule matches an agent';
const NO_TIME = 'not a time that the calendar has';

describe('a policy that does not load says where, why and what is expected', () => {
  it.each<[rest: string, issue: readonly [code: string, path: string, message: string, expected?: string]]>([
    [`${AGENT}\n${HUMAN}`, ['maker_choice', '/human', 'only one of the three may be there', 'agent, human or legacy']],
    [
      `${HUMAN}\nmodels: [{ id: m }]`,
      ['not_for_maker', '/models', 'there is nothing of it to check in images under human'],
    ],
    [
      `${HUMAN}\nmodels: [{ id: m }]\nprofile: strict`,
      ['not_for_maker', '/models', 'there is nothing of it to check in images under human'],
    ],
    [
      'human: { issuer: i, subjectRegExp: ".*", maxAge: 1h }',
      ['pattern_unconstrained', '/human/subjectRegExp', 'the pattern accepts everybody'],
    ],
    [
      `${LEGACY}\nnegatives: { from: https://l.example, signer: { issuer: i, subject: s } }`,
      ['not_for_maker', '/negatives', 'the policy names nobody whose rejection would count'],
    ],
    [
      LEGACY.replace(' }', ', until: 2026-02-30T10:00:00Z }'),
      ['time_invalid', '/legacy/until', NO_TIME, 'RFC 3339 in UTC'],
    ],
    [
      'human: { issuer: i, subject: agent:x }',
      ['human_is_agent', '/human', 'people make these images, and this rule matches an agent', NO_AGENT],
    ],
    [
      'human: { key: KEY, maxAge: 1h }',
      [
        'key_has_no_age',
        '/human/maxAge',
        'nobody can tell when a key signed: its signature can be logged again',
        'identities with a certificate',
      ],
    ],
    [
      exception('2026-11-28T10:00:00Z', '2026-11-29T10:00:01Z'),
      [
        'time_invalid',
        '/exceptions/0/until',
        'an exception ends after it begins, and within 24 hours',
        'at most 24 h after 2026-11-28T10:00:00Z',
      ],
    ],
    [
      exception('2026-02-30T10:00:00Z', '2026-03-01T10:00:00Z'),
      ['time_invalid', '/exceptions/0/from', NO_TIME, 'RFC 3339 in UTC'],
    ],
    [
      exception('2026-02-28T10:00:00Z', '2026-02-29T10:00:00Z'),
      ['time_invalid', '/exceptions/0/until', NO_TIME, 'RFC 3339 in UTC'],
    ],
    [`agent: { key: KEY, issuer: i }\n${REVIEWED}`, ['authority_choice', '/agent', 'key stands alone', FORMS]],
    [`agent: { key: KEY, subject: x }\n${REVIEWED}`, ['authority_choice', '/agent', 'key stands alone', FORMS]],
    [`agent: { key: KEY, subjectRegExp: x }\n${REVIEWED}`, ['authority_choice', '/agent', 'key stands alone', FORMS]],
    [
      `agent: { identities: [{ key: KEY }], key: KEY }\n${REVIEWED}`,
      ['authority_choice', '/agent', 'identities stands alone', FORMS],
    ],
    [`agent: { key: nothing }\n${REVIEWED}`, ['key_invalid', '/agent/key', 'no public key', 'PUBLIC KEY in PEM']],
    [
      'agent: { issuer: i, subject: a, subjectRegExp: b }',
      ['subject_choice', '/agent', 'exactly one of the two is needed', 'subject or subjectRegExp'],
    ],
    ['agent: { key: KEY }', ['field_missing', '/review/issuer', 'is missing', 'who certifies reviewers']],
    [`${AGENT}\nreview: { subject: agent:x }`, ['reviewer_is_agent', '/review/subject', NO_REVIEWER, NO_AGENT]],
    [
      `${AGENT}\nreview: { identities: [{ issuer: i, subject: agent:x }] }`,
      ['reviewer_is_agent', '/review/identities', NO_REVIEWER, NO_AGENT],
    ],
    [
      `${AGENT}\nreview: { identities: [{ issuer: i, subject: a, subjectRegExp: b }] }`,
      ['subject_choice', '/review/identities/0', 'exactly one of the two is needed', 'subject or subjectRegExp'],
    ],
    [
      `${AGENT}\nreview: { identities: [{ issuer: i, subject: a }], issuer: i }`,
      ['authority_choice', '/review', 'identities stands alone', FORMS],
    ],
    [
      `${AGENT}\nreview: { mayWithdraw: [{ issuer: i, subject: agent:x }] }`,
      ['reviewer_is_agent', '/review/mayWithdraw/0/subject', NO_REVIEWER, NO_AGENT],
    ],
    [
      `${AGENT}\nreview: { predicateType: slsa }`,
      [
        'predicate_type_invalid',
        '/review/predicateType',
        'this is a short name; statements contain the whole URI',
        'a URI such as https://slsa.dev/provenance/v1',
      ],
    ],
    [
      `${AGENT}\nreview: { predicateType: https://x.example/approval }`,
      [
        'predicate_type_invalid',
        '/review/predicateType',
        'no list of standing rejections holds reviews of this type',
        'a type that ends in /agent-review/v1, or negatives: none',
      ],
    ],
    [
      `${AGENT}\nprofile: spec\nprovenance: { issuer: i, subject: b }`,
      ['not_in_profile', '/provenance', 'profile spec asks for no build provenance'],
    ],
    [
      `${AGENT}\nprovenance: { issuer: i, subject: b, sourceRepository: "https://x y" }`,
      [
        'address_invalid',
        '/provenance/sourceRepository',
        'not the address of a repository',
        'https://host/owner/repository',
      ],
    ],
    [
      `${AGENT}\nprovenance: { issuer: i, subject: agent:b }`,
      [
        'builder_is_agent',
        '/provenance/subject',
        'agents may not be the build runner, and this rule matches an agent',
        NO_AGENT,
      ],
    ],
    [
      `${AGENT}\nnegatives: { from: "https://", signer: { issuer: i, subject: s } }`,
      ['address_invalid', '/negatives/from', 'not an address', 'https://…'],
    ],
    [
      `${AGENT}\nprofile: spec\nreview: { subject: a }`,
      ['not_in_profile', '/review/subject', 'profile spec takes reviews from the agent authority only'],
    ],
  ])('%#: %s', (rest, [code, path, message, expected]) => {
    const parsed = written(rest);
    const issues = parsed.ok ? [] : parsed.issues;
    expect(issues.map((one) => [one.code, one.path, one.message, one.expected])).toEqual([
      [`policy.${code}`, path, message, expected],
    ]);
  });
});

describe('a policy that loads', () => {
  it('has the keys that were written, and no others', () => {
    const keys = (rest: string) => Object.keys(load(rest)).sort().join(' ');
    const always = 'agent contradictions exceptions images maker mode modelAsRequested name';
    expect(keys(AGENT)).toBe(`${always} profile require review sources written`);
    expect(
      keys(
        `${AGENT}\nnegatives: none\nmodels: [{ id: m }]\npolicyPacks: [{ name: p, hash: "${DIGEST}" }]\nprovenance: { issuer: j, subject: b }\nsignatureFormat: bundle`,
      ),
    ).toBe(
      `agent contradictions exceptions images maker mode modelAsRequested models name negatives policyPacks profile provenance require review signatureFormat sources written`,
    );
    expect(Object.keys(load(AGENT).maker)).toEqual(['kind', 'identity']);
    expect(Object.keys(load(LEGACY).maker).sort()).toEqual(['digests', 'kind', 'owner', 'reason']);
    const { require } = load(`${AGENT}\nrequire: [{ issuer: i, subject: a }]`);
    expect(Object.keys(require[0] ?? {})).toEqual(['identity']);
  });

  it('names no agent where people make the images', () => {
    expect(load(HUMAN).agent.description).toBe('nobody');
    expect(load(LEGACY).agent.description).toBe('nobody');
    expect(load(AGENT).agent.description).toBe('agent:writer of i');
  });

  it('says which models it takes', () => {
    const { models = [] } = load(`${AGENT}\nmodels: [{ id: "m-*" }, { id: n, provider: p }]`);
    expect(models.map(({ description }) => description)).toEqual(['m-*', 'n of p']);
  });

  it('may let an agent withdraw, and name reviews as it likes, to the letter of the contract', () => {
    const letter = `${AGENT}\nprofile: spec`;
    expect(
      load(`${letter}\nreview: { mayWithdraw: [{ issuer: i, subject: agent:x }] }`).review.mayWithdraw,
    ).toHaveLength(1);
    expect(
      load(`${letter}\nreview: { predicateType: https://x.example/approval }`).review.isReview(
        'https://x.example/approval',
      ),
    ).toBe(true);
    expect(load(`agent: { key: KEY }\nprofile: spec`).review.identity.description).toBe('nobody');
  });

  it('asks of old images what is written, in whatever profile', () => {
    expect(load(`${LEGACY}\nprofile: strict`).maker.kind).toBe('legacy');
    expect(load(LEGACY.replace(' }', ', until: 2026-02-28T10:00:00Z }')).maker).toMatchObject({
      until: '2026-02-28T10:00:00Z',
    });
  });

  it('tells a review and a run from what has no type', () => {
    const { review } = load(AGENT);
    expect([review.isReview(undefined), review.isRun(undefined)]).toEqual([false, false]);
  });
});

it('one rule of `require` may have blanks around it', () => {
  const parsed = parseRequireRules('\n  { issuer: i, subject: a }\n');
  expect(parsed.ok && parsed.value.map(({ identity }) => identity.description)).toEqual(['a of i']);
});
