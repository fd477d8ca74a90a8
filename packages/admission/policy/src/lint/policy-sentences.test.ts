import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { parsePolicy } from '../policy/policy.ts';
import { POLICY_SCHEMA } from '../policy/policy-schema.ts';
import { lintPolicies } from './lint-policies.ts';

const pem = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }).toString();
const [KEY, OTHER_KEY] = [pem(), pem()];
const DIGEST = `sha256:${'a'.repeat(64)}`;
const ISSUER = 'https://issuer.example';

function sentences(document: object): readonly string[] {
  const parsed = parsePolicy(JSON.stringify(document));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return lintPolicies([parsed.value], 0)[0]?.sentences ?? [];
}

const base = { version: 1, name: 'production', images: ['ghcr.io/acme/**'] };
const several = (subject: string) => [
  { issuer: ISSUER, subject },
  { issuer: ISSUER, subjectRegExp: `${subject}-.*` },
  { key: KEY },
];
const one = (subject: string) => ({ issuer: ISSUER, subject });
const some = (subject: string) => ({ issuer: ISSUER, subjectRegExp: `${subject}-.*` });
const provenance = { builderId: 'https://acme.example/builder', sourceRepository: 'https://forge.example/acme/shop' };

/** Policies that together have every key. */
const DOCUMENTS: readonly object[] = [
  {
    ...base,
    agent: { ...one('agent:writer'), maxAge: '90d' },
    models: [{ id: 'large-*', provider: 'acme' }],
    modelAsRequested: true,
    policyPacks: [{ name: 'default', hash: DIGEST }],
    exceptions: [
      {
        digest: DIGEST,
        owner: 'ops',
        reason: 'incident 7',
        from: '2026-11-21T10:00:00Z',
        until: '2026-11-21T20:00:00Z',
      },
    ],
    review: {
      ...one('reviewer:dana@example.com'),
      maxAge: '30d',
      predicateType: 'https://acme.example/agent-review/v1',
      conditions: ['predicate.repo == "acme"'],
      domains: ['example.com'],
      minDurationSeconds: 60,
      plusAddresses: 'same',
      sameAt: ['https://sso.example'],
      mayWithdraw: [one('reviewer:eve@example.com'), some('reviewer:lead')],
    },
    sources: Object.fromEntries(
      Object.keys(POLICY_SCHEMA.properties.sources.properties).map((claim) => [claim, ['caller-token']]),
    ),
    provenance: { ...one('build'), ...provenance },
    require: [{ ...one('scanner'), predicateType: 'https://acme.example/scan/v1' }, some('signer'), { key: KEY }],
    negatives: { from: 'https://evidence.example/negatives', signer: one('evidence:issuer.example'), maxAge: '15m' },
    signatureFormat: 'bundle',
    contradictions: 'refuse',
    mode: 'enforce',
  },
  { ...base, agent: some('agent:writer'), profile: 'strict' },
  { ...base, agent: { key: KEY }, review: some('reviewer:dana'), provenance: some('build'), negatives: 'none' },
  {
    ...base,
    agent: { identities: several('agent:writer') },
    review: { identities: [one('reviewer:dana@example.com'), some('reviewer:eve')] },
    provenance: { identities: several('build') },
  },
  { ...base, agent: one('agent:writer'), provenance: { key: KEY } },
  { ...base, human: { ...one('build'), maxAge: '90d' } },
  { ...base, human: some('build') },
  { ...base, human: { key: KEY } },
  { ...base, human: { identities: several('build') } },
  {
    ...base,
    legacy: { digests: [DIGEST], owner: 'ops', reason: 'a vendor', until: '2027-01-01T00:00:00Z' },
  },
];

/** Another value that the schema and the compiler take in the place of one. */
function otherThan(key: string, value: unknown): unknown {
  if (value === 'enforce') return 'audit';
  if (value === 'strict') return 'spec';
  if (value === 'refuse') return 'warn';
  if (value === 'caller-token') return 'declared';
  if (value === 'none' || value === true || value === 'bundle' || value === 'same') return undefined;
  if (typeof value === 'number') return value + 1;
  const text = String(value);
  if (text === KEY) return OTHER_KEY;
  if (text === DIGEST) return `sha256:${'b'.repeat(64)}`;
  if (key === 'maxAge') return '7d';
  if (/^2\d{3}-/.test(text)) return text.replace(':00Z', ':01Z');
  if (key === 'conditions') return 'predicate.repo == "other"';
  if (text.startsWith('https://acme.example')) return text.replace('acme.', 'other.');
  return `${text}x`;
}

/** Every key of a schema that has a value of its own, as a path without the indexes of lists: `agent.identities.key`. */
function* keysOf(schema: object, path = ''): Generator<string> {
  const { properties, items, anyOf = [], type, const: fixed, enum: words } = schema as Record<string, never>;
  if (properties !== undefined) {
    for (const [key, part] of Object.entries<object>(properties))
      yield* keysOf(part, path === '' ? key : `${path}.${key}`);
  } else if (items !== undefined) yield* keysOf(items, path);
  else if (type === 'string' || type === 'integer' || type === 'number' || fixed !== undefined || words !== undefined)
    yield path;
  if (path !== '') for (const part of anyOf as object[]) yield* keysOf(part, path);
}

/** A document with another value at each place of a path. */
function withOther(value: unknown, path: readonly string[], key = ''): unknown {
  const [first, ...rest] = path;
  if (Array.isArray(value)) return value.map((item) => withOther(item, path, key)).filter((item) => item !== undefined);
  if (first === undefined) return typeof value === 'object' ? value : otherThan(key, value);
  if (typeof value !== 'object' || value === null || !(first in value)) return value;
  const members = value as Record<string, unknown>;
  return { ...members, [first]: withOther(members[first], rest, first) };
}

const NOT_SPOKEN = ['version', 'name'];
const KEYS = [...new Set(keysOf(POLICY_SCHEMA))];

test('the keys of the schema are found', () => {
  expect(KEYS).toEqual(expect.arrayContaining(['images', 'review.identities.subject', 'sources.repo', 'negatives']));
  expect(KEYS.length).toBeGreaterThan(60);
});

test.each(KEYS)('a sentence speaks of %s, or it is known that none does', (key) => {
  const path = key.split('.');
  const changed = DOCUMENTS.map((document) => [document, withOther(document, path) as object] as const).filter(
    ([before, after]) => JSON.stringify(before) !== JSON.stringify(after),
  );
  if (key === 'version') return;
  expect(changed).not.toEqual([]);
  for (const [before, after] of changed) {
    const differs = JSON.stringify(sentences(before)) !== JSON.stringify(sentences(after));
    expect(differs).toBe(!NOT_SPOKEN.includes(key));
  }
});

test('all of a policy, in plain sentences', async () => {
  const kinds = ['models', 'human', 'legacy'].map((key) => DOCUMENTS.find((one) => key in one)!);
  const texts = kinds.map((document) => `${sentences(document).join('\n')}\n`);
  const text = texts.join('\n').replaceAll(/key sha256:[0-9a-f]{64}/g, 'key sha256:KEY');
  await expect(text).toMatchFileSnapshot('../../test/golden/policy-sentences.txt');
});

test('what is not asked for is said too', () => {
  expect(sentences({ ...base, agent: one('agent:writer') })).toEqual([
    'The policy covers images whose name matches ghcr.io/acme/**.',
    'An approved agent signed the image, or a whole statement of its run: agent:writer of https://issuer.example.',
    "The agent's certificate names the commit that the image was made from.",
    "Every claim in the agent's certificate may be the agent's own word.",
    'A review of the image was signed by /^reviewer:.*/ of https://issuer.example.',
    'The review names its signer, a time, and the commit that the image was made from.',
    'Nobody may withdraw the rejection of somebody else.',
    'No build provenance is asked for: the review itself, if any, names the image.',
    'Signatures count as bundles and under the tags .sig and .att.',
    'A no by an approved agent or an accepted reviewer refuses the image, whatever else is signed.',
    'Rejections are looked for in the registry, and in the list of the configured evidence store.',
    'Where what signers that the policy names say contradicts itself, there is a warning.',
    'The profile is strict: no agent reviews, and a certificate contradicts nothing that its holder signed.',
    'Everything else is refused.',
  ]);
});

test('free text of a file cannot pass for a sentence', () => {
  const reason = 'old". Everybody is admitted.\nEverything';
  const legacy = { digests: [DIGEST], owner: 'ops', reason };
  expect(sentences({ ...base, legacy })).toContain(`"ops" answers for them, because ${JSON.stringify(reason)}.`);
});
