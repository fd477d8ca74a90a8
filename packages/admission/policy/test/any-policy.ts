// Policies with every key of the language.
import fc from 'fast-check';
import { type Policy, parsePolicy } from '../src/policy/policy.ts';
import { BASE, ISSUER, image } from './image-evidence.ts';
import { ruleFor, type SignerName } from './signers.ts';

/** A policy as it is written, and whom it asks for. */
export type WrittenPolicy = {
  readonly file: Readonly<Record<string, unknown>>;
  readonly makers: readonly SignerName[];
  readonly reviewers: readonly SignerName[];
  readonly builders: readonly SignerName[];
  readonly required: ReadonlyArray<{ readonly name: SignerName; readonly predicateType?: string }>;
};

export const OTHER_DIGEST = `sha256:${'b'.repeat(64)}`;
export const PACK = `sha256:${'d'.repeat(64)}`;
export const REVIEW_TYPE = `${BASE}/agent-review/v1`;
export const SCAN_TYPE = 'https://x.example/scan';

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
const none = { weight: 3, arbitrary: fc.constant<never[]>([]) };

const maxAge = fc.constantFrom('90m', '2h', '3h', '4h', '30d');
const hour = (h: number) => `2026-11-21T${String(h).padStart(2, '0')}:00:00Z`;

const exceptions = fc.array(
  fc
    .tuple(fc.constantFrom(image.digest, OTHER_DIGEST), fc.integer({ min: 8, max: 14 }), fc.integer({ min: 1, max: 8 }))
    .map(([digest, from, hours]) => ({
      ...{ digest, owner: 'ops', reason: 'fire' },
      ...{ from: hour(from), until: hour(from + hours) },
    })),
  { minLength: 1, maxLength: 3 },
);

const reviewOf = all(
  maybe('maxAge', maxAge),
  maybe('minDurationSeconds', fc.constantFrom(1, 60, 600)),
  maybe(
    'conditions',
    some('predicate.commit_sha != "x"', 'has(predicate.human_reviewer)', 'certificate.subject != ""'),
  ),
  maybe('mayWithdraw', some(ruleFor(['lead']), ruleFor(['dana']))),
);
const reviewers = fc.oneof(fc.constant<SignerName[]>([]), some<SignerName>('dana', 'eve'));
const builders = fc.oneof(none, { weight: 1, arbitrary: some<SignerName>('release', 'buildKey') });
type Required = WrittenPolicy['required'];
const required: fc.Arbitrary<Required> = fc.oneof(none, {
  weight: 1,
  arbitrary: fc.array(
    fc.constantFrom<Required[number]>(
      { name: 'dana' },
      { name: 'eve' },
      { name: 'release' },
      { name: 'buildKey' },
      { name: 'writer' },
      { name: 'eve', predicateType: REVIEW_TYPE },
      { name: 'dana', predicateType: REVIEW_TYPE },
      { name: 'buildKey', predicateType: SCAN_TYPE },
    ),
    { minLength: 1, maxLength: 3 },
  ),
});

const common = all(
  fc.constant({ version: 1, negatives: 'none' }),
  fc.constantFrom({ images: ['ghcr.io/acme/**'] }, { images: ['ghcr.io/other/*', 'ghcr.io/acme/app:v*'] }),
  fc.constantFrom({ name: 'one' }, { name: 'two' }),
  maybe('exceptions', exceptions),
  maybe('mode', fc.constantFrom('audit', 'enforce')),
);

const byKey = (names: readonly SignerName[]) => names.some((name) => name.endsWith('Key'));

const signed = fc
  .record({ common, reviewers, builders, required, reviewOf, age: maybe('maxAge', maxAge) })
  .chain((parts) => maybe('signatureFormat', fc.constant('bundle')).map((format) => ({ ...parts, format })));

/** Written out, with whom it asks for; `review` where it asks for one at all. */
function written(
  kind: 'agent' | 'human',
  makers: readonly SignerName[],
  isReviewed: boolean,
  parts: typeof signed extends fc.Arbitrary<infer T> ? T : never,
  more: object = {},
): WrittenPolicy {
  const { reviewers: names, builders: runners, required: rules, reviewOf: asked, age } = parts;
  const who = names.length === 0 ? { issuer: ISSUER } : { identities: names.map((name) => ruleFor([name])) };
  const file = {
    [kind]: { ...ruleFor(makers), ...(byKey(makers) ? {} : age) },
    ...parts.common,
    ...parts.format,
    ...(isReviewed ? { review: { ...who, ...asked } } : {}),
    ...(runners.length === 0 ? {} : { provenance: ruleFor(runners) }),
    ...(rules.length === 0 ? {} : { require: rules.map(({ name, ...type }) => ({ ...ruleFor([name]), ...type })) }),
    ...more,
  };
  const whoReviews: readonly SignerName[] = names.length === 0 ? ['dana'] : names;
  return { file, makers, reviewers: isReviewed ? whoReviews : [], builders: runners, required: rules };
}

const ofAgents = fc
  .tuple(
    some<SignerName>('writer', 'fixer', 'partner', 'agentKey'),
    signed,
    all(
      maybe('models', some({ id: 'claude-*' }, { id: 'm', provider: 'p' }, { id: 'm' })),
      maybe('modelAsRequested', fc.constant(true)),
      maybe('policyPacks', some({ name: 'default', hash: PACK }, { name: 'other', hash: OTHER_DIGEST })),
      maybe('sources', fc.constantFrom({ commit_sha: ['caller-token', 'declared'] }, { commit_sha: ['declared'] })),
    ),
  )
  .map(([makers, parts, more]) => written('agent', makers, true, parts, more));

const ofAgentsToTheLetter = ofAgents.map(
  ({ file: { provenance: _, review: asked, ...rest }, ...policy }): WrittenPolicy => {
    const { issuer: __, identities: ___, ...review } = asked as Record<string, unknown>;
    return { ...policy, file: { ...rest, review, profile: 'spec' }, reviewers: policy.makers, builders: [] };
  },
);

const ofPeople = fc
  .tuple(some<SignerName>('build', 'buildKey'), signed, fc.boolean())
  .map(([makers, parts, isReviewed]) => written('human', makers, isReviewed, parts));

const ofOld = all(
  common,
  fc
    .tuple(some(image.digest, OTHER_DIGEST), maybe('until', fc.constantFrom(hour(11), hour(13), hour(20))))
    .map(([digests, until]) => ({ legacy: { digests, owner: 'ops', reason: 'vendor', ...until } })),
).map((file): WrittenPolicy => ({ file, makers: [], reviewers: [], builders: [], required: [] }));

/** Any policy over the image of the tests. */
export const anyPolicy: fc.Arbitrary<WrittenPolicy> = fc.oneof(
  { weight: 6, arbitrary: ofAgents },
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
