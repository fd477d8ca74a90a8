// Policies with every key of the language.
import fc from 'fast-check';
import { type Policy, parsePolicy } from '../src/policy/policy.ts';
import { BASE, ISSUER, image } from './image-evidence.ts';
import { ruleFor, type SignerName } from './signers.ts';

/** A policy as it is written, and the names of those who may make its images. */
export type WrittenPolicy = {
  readonly file: Readonly<Record<string, unknown>>;
  readonly makers: readonly SignerName[];
};

export const OTHER_DIGEST = `sha256:${'b'.repeat(64)}`;
export const PACK = `sha256:${'d'.repeat(64)}`;

const loaded = new WeakMap<WrittenPolicy, Policy>();

/** The policy as a decision takes it; each is loaded once. */
export function load(policy: WrittenPolicy): Policy {
  const known = loaded.get(policy);
  if (known !== undefined) return known;
  const text = JSON.stringify(policy.file);
  const result = parsePolicy(text);
  if (!result.ok) throw new Error(`${JSON.stringify(result.issues)} ${text}`);
  loaded.set(policy, result.value);
  return result.value;
}

/** A key of a policy that is there or not: mostly not, so that much passes all the others. */
const maybe = <T>(key: string, value: fc.Arbitrary<T>, weight = 1): fc.Arbitrary<object> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight, arbitrary: value.map((one) => ({ [key]: one })) });
const all = (...parts: fc.Arbitrary<object>[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.tuple(...parts).map((some) => Object.assign({}, ...some));
const some = <T>(...values: T[]) => fc.shuffledSubarray(values, { minLength: 1 });

const maxAge = fc.constantFrom('30m', '90m', '2h', '3h', '30d');
const hour = (h: number) => `2026-11-21T${String(h).padStart(2, '0')}:00:00Z`;

const exceptions = fc.array(
  fc
    .tuple(fc.constantFrom(image.digest, OTHER_DIGEST), fc.integer({ min: 8, max: 14 }), fc.integer({ min: 1, max: 8 }))
    .map(([digest, from, hours]) => ({
      digest,
      owner: 'ops',
      reason: 'fire',
      from: hour(from),
      until: hour(from + hours),
    })),
  { minLength: 1, maxLength: 3 },
);

const require = fc.array(
  fc
    .tuple(
      fc.constantFrom<SignerName>('dana', 'eve', 'build', 'release', 'buildKey', 'writer'),
      fc.constantFrom<object>(
        {},
        {},
        { predicateType: `${BASE}/agent-review/v1` },
        { predicateType: 'https://x.example/scan' },
      ),
    )
    .map(([name, type]) => ({ ...ruleFor([name]), ...type })),
  { minLength: 1, maxLength: 3 },
);

const review = all(
  fc.constant({ issuer: ISSUER }),
  maybe('maxAge', maxAge),
  maybe('minDurationSeconds', fc.constantFrom(1, 60, 600)),
  maybe(
    'conditions',
    some('predicate.commit_sha != "x"', 'has(predicate.human_reviewer)', 'certificate.subject != ""'),
  ),
  maybe('mayWithdraw', some(ruleFor(['lead']), ruleFor(['dana']))),
);
const reviewers = fc.oneof(
  review,
  fc.tuple(review, some<SignerName>('dana', 'eve')).map(([{ issuer: _, ...rest }, names]) => ({
    ...rest,
    identities: names.map((name) => ruleFor([name])),
  })),
);

const common = all(
  fc.constant({ version: 1, negatives: 'none' }),
  fc.constantFrom({ images: ['ghcr.io/acme/**'] }, { images: ['ghcr.io/other/*', 'ghcr.io/acme/app:v*'] }),
  fc.constantFrom({ name: 'one' }, { name: 'two' }),
  maybe('exceptions', exceptions),
  maybe('mode', fc.constantFrom('audit', 'enforce')),
);
const signed = all(
  maybe('provenance', fc.constantFrom(ruleFor(['release']), ruleFor(['release', 'buildKey']))),
  maybe('require', require),
  maybe('signatureFormat', fc.constant('bundle')),
);

const byKey = (names: readonly SignerName[]) => names.some((name) => name.endsWith('Key'));
const makerOf = (key: 'agent' | 'human', names: readonly SignerName[], age: object) => ({
  makers: names,
  file: { [key]: { ...ruleFor(names), ...(byKey(names) ? {} : age) } },
});

const ofAgents = fc
  .tuple(some<SignerName>('writer', 'fixer', 'partner', 'agentKey'), maybe('maxAge', maxAge))
  .map(([names, age]) => makerOf('agent', names, age))
  .chain(({ makers, file }) =>
    all(
      fc.constant(file),
      common,
      signed,
      reviewers.map((one) => ({ review: one })),
      maybe('models', some({ id: 'claude-*' }, { id: 'm', provider: 'p' }, { id: 'm' })),
      maybe('modelAsRequested', fc.constant(true)),
      maybe('policyPacks', some({ name: 'default', hash: PACK }, { name: 'other', hash: OTHER_DIGEST })),
      maybe('sources', fc.constantFrom({ commit_sha: ['caller-token'] }, { commit_sha: ['declared', 'registry'] })),
    ).map((whole) => ({ file: whole, makers })),
  );

const ofAgentsToTheLetter = ofAgents.map(({ file, makers }) => {
  const { provenance: _, review: written, ...rest } = file;
  const { issuer: __, identities: ___, ...asked } = written as Record<string, unknown>;
  return { file: { ...rest, review: asked, profile: 'spec' }, makers };
});

const ofPeople = fc
  .tuple(some<SignerName>('build', 'buildKey'), maybe('maxAge', maxAge))
  .map(([names, age]) => makerOf('human', names, age))
  .chain(({ makers, file }) =>
    all(fc.constant(file), common, signed, maybe('review', reviewers, 3)).map((whole) => ({ file: whole, makers })),
  );

const ofOld = all(
  common,
  fc
    .tuple(some(image.digest, OTHER_DIGEST), maybe('until', fc.constantFrom(hour(11), hour(13), hour(20))))
    .map(([digests, until]) => ({ legacy: { digests, owner: 'ops', reason: 'vendor', ...until } })),
).map((file) => ({ file, makers: [] }));

/** Any policy over the image of the tests. */
export const anyPolicy: fc.Arbitrary<WrittenPolicy> = fc.oneof(
  { weight: 5, arbitrary: ofAgents },
  { weight: 2, arbitrary: ofAgentsToTheLetter },
  { weight: 3, arbitrary: ofPeople },
  { weight: 1, arbitrary: ofOld },
);

/** The same policy with every list of it in another order. */
export function permuted(policy: WrittenPolicy): fc.Arbitrary<WrittenPolicy> {
  return shuffledLists(policy.file).map((file) => ({ ...policy, file: file as WrittenPolicy['file'] }));
}

function shuffledLists(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) {
    return fc
      .tuple(...value.map(shuffledLists))
      .chain((members) => fc.shuffledSubarray(members, { minLength: members.length }));
  }
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  const entries = Object.entries(value).map(([key, member]) => shuffledLists(member).map((one) => [key, one] as const));
  return fc.tuple(...entries).map((members) => Object.fromEntries(members));
}
