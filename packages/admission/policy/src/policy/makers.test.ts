import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from './policy.ts';

const PEM = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();
const KEY = JSON.stringify(PEM);
const DIGEST = `sha256:${'a'.repeat(64)}`;
const written = (rest: string) => parsePolicy(`version: 1\nimages: [ghcr.io/acme/**]\n${rest}\n`);
const issues = (rest: string) => {
  const parsed = written(rest);
  return parsed.ok ? [] : parsed.issues.map(({ code, path }) => `${code.replace('policy.', '')} ${path}`);
};
const policy = (rest: string) => {
  const parsed = written(rest);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
};
const AGENT = 'agent: { issuer: https://i.example, subject: agent:writer }';
const holder = (subject: string, issuer = 'https://i.example') => ({ issuer, subject, claims: {}, sources: {} });

describe('who makes the images', () => {
  it('is agents, people or a list of digests, and one of the three only', () => {
    expect(policy(AGENT).maker.kind).toBe('agent');
    expect(policy('human: { issuer: https://ci.example, subject: build }').maker.kind).toBe('human');
    expect(policy(`legacy: { digests: ["${DIGEST}"], owner: ops, reason: vendor }`).maker.kind).toBe('legacy');
    expect(issues('')).toEqual(['field_missing /agent']);
    expect(issues(`${AGENT}\nhuman: { issuer: https://ci.example, subject: build }`)).toEqual(['maker_choice /human']);
  });

  it('lets no agent make images of people', () => {
    expect(issues('human: { issuer: https://i.example, subject: agent:writer }')).toEqual(['human_is_agent /human']);
    expect(issues('human: { issuer: https://i.example, subjectRegExp: "(agent|build):.*" }')).toEqual([
      'human_is_agent /human',
    ]);
  });

  it.each([
    ['sources: { repo: [caller-token] }', 'sources'],
    ['models: [{ id: m }]', 'models'],
    ['modelAsRequested: true', 'modelAsRequested'],
    [`policyPacks: [{ name: p, hash: "${DIGEST}" }]`, 'policyPacks'],
    ['profile: spec', 'profile'],
  ])('has nothing that only an agent’s certificate says: %s', (rule, key) => {
    expect(issues(`human: { issuer: https://ci.example, subject: b }\n${rule}`)).toEqual([`not_for_maker /${key}`]);
  });

  it('asks no signature of a listed digest, so no rule about signatures either', () => {
    const legacy = `legacy: { digests: ["${DIGEST}"], owner: ops, reason: vendor }`;
    expect(issues(`${legacy}\nreview: { issuer: https://i.example }`)).toEqual(['not_for_maker /review']);
    expect(issues(`${legacy}\nsignatureFormat: bundle`)).toEqual(['not_for_maker /signatureFormat']);
    expect(issues(`${legacy}\nprofile: strict\nmode: audit`)).toEqual([]);
  });

  it('needs the issuer of reviewers where people make the images, and asks for reviews only then', () => {
    const human = 'human: { issuer: https://ci.example, subject: build }';
    expect(policy(human).review.isRequired).toBe(false);
    expect(issues(`${human}\nreview: {}`)).toEqual(['field_missing /review/issuer']);
    expect(policy(`${human}\nreview: { issuer: https://i.example }`).review.isRequired).toBe(true);
  });
});

describe('several authorities', () => {
  it('are any of them', () => {
    const { agent } = policy(`agent:
  identities:
    - { issuer: https://i.example, subject: agent:writer }
    - { issuer: https://j.example, subjectRegExp: "agent:fix.*" }
    - { key: ${KEY} }
review: { issuer: https://i.example }`);
    expect(agent.accepts(holder('agent:writer'))).toBe(true);
    expect(agent.accepts(holder('agent:fixer', 'https://j.example'))).toBe(true);
    expect(agent.accepts(holder('agent:fixer'))).toBe(false);
    expect([agent.issuers, agent.keys, agent.acceptsAgents]).toEqual([
      ['https://i.example', 'https://j.example'],
      [PEM],
      true,
    ]);
    expect(agent.description).toContain(', or the key sha256:');
  });

  it('certify reviewers too, as the first of them does, unless the policy says otherwise', () => {
    const { review } = policy(
      `agent: { identities: [{ key: ${KEY} }, { issuer: https://j.example, subject: agent:a }] }`,
    );
    expect(review.identity.issuers).toEqual(['https://j.example']);
    expect(issues(`agent: { key: ${KEY} }`)).toEqual(['field_missing /review/issuer']);
  });

  it('of reviewers let no agent through, and no key: a key is no person', () => {
    const reviewers = (rule: string) => issues(`${AGENT}\nreview: { identities: [${rule}] }`);
    expect(reviewers('{ issuer: https://r.example, subject: "reviewer:a@example.com" }')).toEqual([]);
    expect(reviewers('{ issuer: https://r.example, subject: "agent:a" }')).toEqual([
      'reviewer_is_agent /review/identities',
    ]);
    expect(reviewers(`{ key: ${KEY} }`)[0]).toMatch(/^unknown_key/);
  });

  it.each([
    [`agent: { key: ${KEY}, issuer: https://i.example }`, 'authority_choice /agent'],
    [
      'agent: { issuer: https://i.example, identities: [{ issuer: https://i.example, subject: agent:a }] }',
      'authority_choice /agent',
    ],
    ['agent: { key: "no key" }', 'key_invalid /agent/key'],
    ['agent: { identities: [{ subject: agent:a }] }', 'field_missing /agent/identities/0/issuer'],
    ['agent: { subject: agent:a }', 'field_missing /agent/issuer'],
    ['agent: { identities: [] }', 'value /agent/identities'],
  ])('are written in one of three forms (%#)', (rule, issue) => {
    expect(issues(`${rule}\nreview: { issuer: https://i.example }`)).toEqual([issue]);
  });

  it('are keys in PEM of algorithms that sign artifacts, one each', () => {
    const pemOf = (type: 'ed25519' | 'x25519') =>
      generateKeyPairSync(type as 'ed25519')
        .publicKey.export({ type: 'spki', format: 'pem' })
        .toString();
    const key = (text: string) =>
      issues(`agent: { key: ${JSON.stringify(text)} }\nreview: { issuer: https://i.example }`);
    expect(key(pemOf('ed25519'))).toEqual([]);
    expect(key(pemOf('x25519'))).toEqual(['key_invalid /agent/key']);
    expect(key(PEM + PEM)).toEqual(['key_invalid /agent/key']);
    expect(key(PEM.replace('M', 'N'))).toEqual(['key_invalid /agent/key']);
    expect(key(PEM.replaceAll('PUBLIC', 'PRIVATE'))).toEqual(['key_invalid /agent/key']);
  });

  it('by key are met by that key alone, and never by a certificate', () => {
    const { agent } = policy(`agent: { key: ${KEY} }\nreview: { issuer: https://i.example }`);
    const name = agent.description.replace('the key ', '');
    expect(agent.accepts({ ...holder('x', ''), key: name })).toBe(true);
    expect(agent.accepts(holder(`key:${name}`, ''))).toBe(false);
    expect(agent.accepts({ ...holder('x', ''), key: DIGEST })).toBe(false);
    expect(policy(AGENT).agent.accepts({ ...holder('agent:writer', ''), key: name })).toBe(false);
  });
});

describe('exceptions', () => {
  const exception = (from: string, until: string) =>
    issues(`${AGENT}\nexceptions: [{ digest: "${DIGEST}", owner: ops, reason: fire, from: ${from}, until: ${until} }]`);

  it('last 24 hours at most', () => {
    expect(exception('2026-11-28T10:00:00Z', '2026-11-29T10:00:00Z')).toEqual([]);
    expect(exception('2026-11-28T10:00:00Z', '2026-11-29T10:00:01Z')).toEqual(['time_invalid /exceptions/0/until']);
    expect(exception('2026-11-28T10:00:00Z', '2026-11-28T10:00:00Z')).toEqual(['time_invalid /exceptions/0/until']);
    expect(exception('2026-02-30T10:00:00Z', '2026-02-30T11:00:00Z')).toEqual([
      'time_invalid /exceptions/0/from',
      'time_invalid /exceptions/0/until',
    ]);
  });

  it.each(['owner', 'reason', 'from', 'until', 'digest'])('have %s', (key) => {
    const all: Record<string, string> = {
      digest: DIGEST,
      owner: 'ops',
      reason: 'fire',
      from: '2026-11-28T10:00:00Z',
      until: '2026-11-28T11:00:00Z',
    };
    delete all[key];
    expect(issues(`${AGENT}\nexceptions: ${JSON.stringify([all])}`)).toEqual([`field_missing /exceptions/0/${key}`]);
  });
});
