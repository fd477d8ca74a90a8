import {
  type CertificateIdentity,
  type RejectedSignature,
  STATEMENT_TYPE,
  type VerifiedSignature,
} from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyEvidence, anyNegative, anyRejections, anythingBy, anyUnread, byStranger } from '../../test/any-evidence.ts';
import { anyPolicy, load, permuted, type WrittenPolicy } from '../../test/any-policy.ts';
import { COSIGN, image, OTHER_SHA256, SHA256 } from '../../test/image-evidence.ts';
import { SIGNERS, type SignerName, STRANGERS } from '../../test/signers.ts';
import type { NegativesView } from '../negatives/negatives-view.ts';
import { type AdmissionDecision, type AdmissionInput, decideAdmission } from './decision.ts';
import { hasException } from './exception.ts';

const NUM_RUNS = process.env['FULL_RUN'] === 'true' ? 10_000 : 150;
const TEN_YEARS_SECONDS = 10 * 365 * 86_400;
const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;

type Case = {
  readonly policies: readonly WrittenPolicy[];
  readonly signatures: readonly VerifiedSignature[];
  readonly rejected: readonly RejectedSignature[];
  readonly incomplete: readonly RejectedSignature[];
  readonly overcrowded: string | undefined;
  readonly ofManifests: AdmissionInput['ofManifests'];
  readonly view: NegativesView;
  readonly profile: 'spec' | 'strict' | undefined;
  readonly nowSeconds: number | undefined;
};

type ListView = Extract<NegativesView, { kind: 'list' }>;
const listOf = (rejections: ListView['list']['rejections'], maxAgeSeconds?: number): NegativesView => ({
  kind: 'list',
  list: { from: 'https://lists.example', sequence: 1, time: '2026-11-21T11:58:00Z', rejections, withdrawals: [] },
  ...(maxAgeSeconds === undefined ? {} : { maxAgeSeconds }),
});
/** A list counts for 15 minutes, unless whoever read it says how long. */
const viewAt = (view: NegativesView, nowSeconds = NOON): NegativesView =>
  view.kind === 'list' && nowSeconds > Date.parse(view.list.time) / 1000 + (view.maxAgeSeconds ?? 900)
    ? { kind: 'incomplete', from: view.list.from, message: 'too old' }
    : view;
const anyView: fc.Arbitrary<NegativesView> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<NegativesView>({ kind: 'registry-only' }) },
  { weight: 3, arbitrary: fc.tuple(anyRejections, fc.constantFrom(undefined, 600, 5400)).map((all) => listOf(...all)) },
  { weight: 1, arbitrary: fc.constant<NegativesView>({ kind: 'incomplete', from: 'x', message: 'gone' }) },
);
const mostlyNone = <T>(one: fc.Arbitrary<T>) => fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, one);
const few = <T>(one: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant<T[]>([]) }, { weight: 1, arbitrary: fc.array(one, { maxLength: 2 }) });

const anyPolicies = fc.oneof(
  { weight: 3, arbitrary: anyPolicy.map((one) => [one]) },
  { weight: 1, arbitrary: fc.array(anyPolicy, { minLength: 2, maxLength: 2 }) },
);
const anyPartsOf = (policies: readonly WrittenPolicy[]) =>
  fc.record({ signatures: anyEvidence(policies), incomplete: few(anyUnread) });
const anyCase: fc.Arbitrary<Case> = anyPolicies.chain((policies) =>
  fc.record({
    policies: fc.constant(policies),
    signatures: anyEvidence(policies),
    rejected: few(anyUnread),
    incomplete: few(anyUnread),
    overcrowded: mostlyNone(fc.constant('1001')),
    ofManifests: mostlyNone(anyPartsOf(policies)),
    view: anyView,
    profile: mostlyNone(fc.constantFrom<'spec' | 'strict'>('spec', 'strict')),
    nowSeconds: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: NOON, max: NOON + 7200 }) }, fc.constant(undefined)),
  }),
);

function inputOf({ policies, view, profile, nowSeconds, overcrowded, ofManifests, ...evidence }: Case): AdmissionInput {
  return {
    image: ofManifests === undefined ? image : { ...image, manifests: [`sha256:${OTHER_SHA256}`] },
    ...evidence,
    policies: policies.map(load),
    negatives: () => viewAt(view, nowSeconds),
    ...(overcrowded === undefined ? {} : { overcrowded }),
    ...(ofManifests === undefined ? {} : { ofManifests }),
    ...(profile === undefined ? {} : { profile }),
    ...(nowSeconds === undefined ? {} : { nowSeconds }),
  };
}
const decide = (one: Case) => decideAdmission(inputOf(one));
const codesOf = ({ reasons, warnings }: AdmissionDecision) =>
  [reasons, warnings].map((some) => [...new Set(some.map(({ code, policy }) => `${policy} ${code}`))].sort());

const nameOf = ({ issuer, subject, key }: CertificateIdentity) => JSON.stringify([issuer, subject, key]);
const withoutClaims = ({ claims: _, sources: __, ...who }: CertificateIdentity) => who;

/** Holds a law over generated cases, and counts those to which it applied: a law that is about nothing holds always. */
function holds<T>(cases: fc.Arbitrary<T>, law: (one: T) => boolean | undefined): void {
  let applied = 0;
  const property = fc.property(cases, (one) => {
    if (law(one) !== undefined) applied += 1;
  });
  fc.assert(property, { numRuns: NUM_RUNS });
  expect(applied).toBeGreaterThan(NUM_RUNS / 50);
}

describe('a decision', { timeout: 600_000 }, () => {
  it('never admits, by a policy that enforces, what nobody made whom it lists', () => {
    holds(fc.tuple(anyCase, fc.constantFrom(...STRANGERS)), ([one, stranger]) => {
      const makers = one.policies.flatMap((policy) => policy.makers.map((name) => nameOf(SIGNERS[name])));
      const needed = one.policies.filter((policy) => {
        const { legacy, mode } = policy.file as { legacy?: { digests: string[] }; mode?: string };
        const isExcepted = hasException(load(policy), image.digest, one.nowSeconds);
        return mode !== 'audit' && !isExcepted && !legacy?.digests.includes(image.digest);
      });
      if (needed.length === 0) return undefined;
      // Whatever the makers say, a stranger says in their place.
      const signatures = one.signatures.map((signature) => {
        const { certificate_identity: by } = signature;
        if (!makers.includes(nameOf(by))) return signature;
        const { key: _, ...certified } = by;
        return { ...signature, certificate_identity: { ...certified, ...withoutClaims(stranger) } };
      });
      expect(decide({ ...one, signatures }).admitted).toBe(false);
      return true;
    });
  });

  it('is no admission, by a strict policy, where somebody whom it names said no', () => {
    holds(fc.tuple(anyCase, anyNegative), ([one, no]) => {
      const { certificate_identity: by, statement } = no;
      const isOfImage = statement?.subject.some(({ digest }) => digest['sha256'] === SHA256);
      const isNamed = ({ makers, reviewers, builders, required, file }: WrittenPolicy) =>
        file['mode'] !== 'audit' &&
        file['profile'] !== 'spec' &&
        [...makers, ...reviewers, ...builders, ...required.map(({ name }) => name)].some(
          (name) => nameOf(SIGNERS[name]) === nameOf(by),
        );
      // Nobody looks at what is attached to an image with too much of it: there an exception lets it pass.
      if (one.overcrowded !== undefined) return undefined;
      // Their own later approval takes it back.
      const latest = { ...no, log_entry: { ...no.log_entry, integrated_at: '2026-11-21T11:59:00Z' } };
      if (one.profile === 'spec' || !isOfImage || !one.policies.some(isNamed)) return undefined;
      expect(decide({ ...one, signatures: [...one.signatures, latest] }).admitted).toBe(false);
      return true;
    });
  });

  it('is no admission, without an exception, where more is attached than is looked at', () => {
    holds(anyCase, (one) => {
      const isDecided = one.policies.some(
        (policy) => policy.file['mode'] !== 'audit' && !hasException(load(policy), image.digest, one.nowSeconds),
      );
      if (!isDecided) return undefined;
      expect(decide({ ...one, overcrowded: '1001' }).admitted).toBe(false);
      return true;
    });
  });

  it('is never made an admission by what is attached to a manifest in the image', () => {
    const pairs = anyCase.chain((one) => fc.tuple(fc.constant(one), anyPartsOf(one.policies)));
    holds(pairs, ([one, { signatures, incomplete }]) => {
      const none = { ...one, ofManifests: { signatures: [], incomplete: [] } };
      const more = { ...one, ofManifests: { signatures, incomplete } };
      const isForAgents = one.policies.every(({ file }) => 'agent' in file);
      if (isForAgents) expect(decide(more)).toEqual(decide(none));
      if (decide(none).admitted) return undefined;
      expect(decide(more).admitted).toBe(false);
      return true;
    });
  });

  it('is never made an admission by what says no, by what could not be read, or by a stranger', () => {
    const more = fc.record({
      signatures: fc.array(fc.oneof(anyNegative, byStranger), { maxLength: 3 }),
      rejected: few(anyUnread),
      incomplete: few(anyUnread),
      rejections: anyRejections,
    });
    holds(fc.tuple(anyCase, more), ([one, added]) => {
      if (decide(one).admitted) return undefined;
      // To the letter of the contract any statement of an agent will do, also one that says no.
      const isLetter =
        one.profile === 'spec' ||
        (one.profile === undefined && one.policies.some(({ file }) => file['profile'] === 'spec'));
      const isStranger = ({ certificate_identity: by }: VerifiedSignature) =>
        STRANGERS.some((stranger) => nameOf(stranger) === nameOf(by));
      const signatures = [...one.signatures, ...(isLetter ? added.signatures.filter(isStranger) : added.signatures)];
      const known = one.view.kind === 'list' ? one.view.list.rejections : [];
      const age = one.view.kind === 'list' ? one.view.maxAgeSeconds : undefined;
      const view = one.view.kind === 'incomplete' ? one.view : listOf([...known, ...added.rejections], age);
      const rejected = [...one.rejected, ...added.rejected];
      const incomplete = [...one.incomplete, ...added.incomplete];
      expect(decide({ ...one, signatures, rejected, incomplete, view }).admitted).toBe(false);
      return true;
    });
  });

  it('does not depend on the order of anything', () => {
    const shuffled = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], { minLength: list.length });
    const pairs = anyCase.chain((one) =>
      fc.tuple(
        fc.constant(one),
        fc.record({
          signatures: shuffled(one.signatures),
          rejected: shuffled(one.rejected),
          incomplete: shuffled(one.incomplete),
          policies: fc.tuple(...one.policies.map(permuted)).chain(shuffled),
        }),
      ),
    );
    holds(pairs, ([one, other]) => {
      const [before, after] = [decide(one), decide({ ...one, ...other })];
      expect([after.admitted, after.valid_until, codesOf(after)]).toEqual([
        before.admitted,
        before.valid_until,
        codesOf(before),
      ]);
      return true;
    });
  });

  it('is the same when it is made again, and changes nothing that it is made from', () => {
    holds(anyCase, (one) => {
      const input = deepFrozen(inputOf(one));
      const first = decideAdmission(input);
      expect(decideAdmission(input)).toEqual(first);
      expect(first.reasons.map(({ code }) => code)).not.toContain('admission.internal');
      expect(first.admitted).toBe(first.reasons.length === 0);
      return true;
    });
  });

  it('admits no more by one more policy', () => {
    holds(fc.tuple(anyCase, anyPolicy), ([one, another]) => {
      if (decide(one).admitted) return undefined;
      expect(decide({ ...one, policies: [...one.policies, another] }).admitted).toBe(false);
      return true;
    });
  });

  it('stays an admission until the time that it names, and is another from then on', () => {
    const timed = anyCase.filter(({ nowSeconds }) => nowSeconds !== undefined);
    holds(fc.tuple(timed, fc.double({ min: 0, max: 1, noNaN: true })), ([one, share]) => {
      const now = one.nowSeconds as number;
      const { admitted, valid_until: until } = decide(one);
      if (!admitted) return undefined;
      expect(until === undefined || Date.parse(until) / 1000 >= now).toBe(true);
      if (until === undefined) {
        expect(decide({ ...one, nowSeconds: now + share * TEN_YEARS_SECONDS }).admitted).toBe(true);
        return true;
      }
      const end = Date.parse(until) / 1000;
      const before = decide({ ...one, nowSeconds: Math.min(now + share * (end - now), end - 0.001) });
      // Later where a longer exception has begun.
      expect([before.admitted, (before.valid_until ?? '') >= until]).toEqual([true, true]);
      const at = decide({ ...one, nowSeconds: end + 0.001 });
      expect(at.admitted && at.valid_until === until).toBe(false);
      // The last of the signatures was made at 11:30. Exceptions begin, too.
      if (one.policies.some(({ file }) => 'exceptions' in file)) return true;
      const earlier = Date.parse('2026-11-21T11:30:00Z') / 1000;
      expect(decide({ ...one, nowSeconds: earlier + share * (now - earlier) }).admitted).toBe(true);
      return true;
    });
  });

  it('is a refusal where evidence is hostile, and never an error', () => {
    const hostile = fc.tuple(
      anyCase,
      fc.constantFrom(...(Object.keys(SIGNERS) as SignerName[])).chain((name) => anythingBy(SIGNERS[name])),
      anyHostile,
    );
    holds(hostile, ([one, { statement, ...signature }, predicate]) => {
      const types = [statement?.predicateType, 'https://x.example/agent-review/v1', 'https://x.example/agent-run/v1'];
      const subject = statement?.subject ?? [{ digest: { sha256: SHA256 } }];
      const attacks = types.map((predicateType = 'https://slsa.dev/provenance/v1'): VerifiedSignature => {
        return { ...signature, statement: { _type: STATEMENT_TYPE, subject, predicateType, predicate } };
      });
      const decision = decide({ ...one, signatures: [...one.signatures, ...attacks] });
      expect(decision.reasons.map(({ code }) => code)).not.toContain('admission.internal');
      // In the form of a statement a plain signature says nothing else, and is good.
      if (statement?.predicateType === COSIGN || decide({ ...one, signatures: [], profile: 'strict' }).admitted)
        return true;
      expect(decide({ ...one, signatures: attacks, profile: 'strict' }).admitted).toBe(false);
      return true;
    });
  });
});

const nested = (depth: number) => JSON.parse(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`);
/** What JSON may hold, at its worst. */
const anyHostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 6 }),
  fc.constantFrom<unknown>(
    JSON.parse('{"__proto__":{"human_reviewer":"dana@example.com","decision":"approved"},"constructor":null}'),
    JSON.parse('{"decision":{"toString":"approved","valueOf":1},"hasOwnProperty":true}'),
    JSON.parse('{"human_review":{"approved":0,"review_duration_seconds":1e308},"git":[],"model":-0}'),
    JSON.parse('{"human_reviewer":["dana@example.com"],"review_timestamp":9007199254740993,"commit_sha":{}}'),
    JSON.parse('{"human_reviewer":"\\ud83d\\ude00","review_timestamp":"9999-12-31T23:59:60Z","decision":"\\u0000"}'),
    { human_reviewer: 'd'.repeat(100_000), review_timestamp: '1'.repeat(100_000), commit_sha: '\n'.repeat(1000) },
    { buildDefinition: { resolvedDependencies: Array(1000).fill({ digest: { gitCommit: 1 } }) }, runDetails: null },
    { length: -1, size: 'x', get: 'x', rejection: { toString: null } },
    nested(500),
  ),
);

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFrozen(member);
  }
  return value;
}
