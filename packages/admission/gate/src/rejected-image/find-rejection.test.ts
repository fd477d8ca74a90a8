import { type NegativesView, type Policy, parsePolicy } from '@colophon/admission';
import { RegistryError } from '@colophon/sigstore';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, test } from 'vitest';
import type { RememberedDecision } from '../decision-cache/remembered-decision.ts';
import { findRejection } from './find-rejection.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const IMAGE = `registry.example/app@${DIGEST}`;
const ISSUER = 'https://issuer.example';
const { trust: TRUST } = new LocalSigstore();
const NOW = new Date('2026-11-21T12:00:00Z');

const REVIEW = `review: { issuer: ${ISSUER}, subject: "reviewer:dana@example.com", mayWithdraw: [{ issuer: ${ISSUER}, subject: "reviewer:lead@example.com" }] }`;

function policyOf(more = '', review = REVIEW): Policy {
  const parsed = parsePolicy(`version: 1
images: ["registry.example/**"]
agent: { issuer: ${ISSUER}, subject: agent:writer }
${review}
${more}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

const identityOf = (name: string) => ({ issuer: ISSUER, subject: `reviewer:${name}`, claims: {}, sources: {} });

type Said = { readonly by?: string; readonly images?: readonly string[]; readonly withdrawnBy?: string };

function listOf({ by = 'dana@example.com', images = [DIGEST], withdrawnBy }: Said = {}): NegativesView {
  const rejection = {
    id: '1'.repeat(64),
    content: '2'.repeat(64),
    person: { issuer: ISSUER, address: by },
    subject: `reviewer:${by}`,
    certificate_identity: identityOf(by),
    integrated_at: '2026-11-21T10:00:00Z',
    images,
    commits: ['3'.repeat(40)],
  };
  const withdrawals = withdrawnBy ? [{ rejection: rejection.id, certificate_identity: identityOf(withdrawnBy) }] : [];
  const list = { from: 'https://lists.example', sequence: 1, time: '2026-11-21T11:59:00Z' };
  return { kind: 'list', list: { ...list, rejections: [rejection], withdrawals } };
}

const GONE = new RegistryError('registry.not_found', 'the registry has no such image');
const ADMITTED: RememberedDecision = {
  admitted: true,
  reasons: [],
  warnings: [],
  agents: [],
  reviewers: [],
  excused: [],
};
const verdictOf = (...codes: string[]) =>
  ({ ...ADMITTED, admitted: false, reasons: codes.map((code) => ({ code, message: '' })) }) as RememberedDecision;

function find(
  view: NegativesView,
  decided: RememberedDecision | Error = GONE,
  policies: readonly Policy[] = [policyOf()],
  reference = IMAGE,
) {
  const decide = async () => {
    if (decided instanceof Error) throw decided;
    return decided;
  };
  return findRejection({ reference, policies, lists: { view: async () => view }, trust: TRUST, now: NOW, decide });
}

test('an image that its registry no longer has is rejected by the list of its policy', async () => {
  expect(await find(listOf())).toMatchObject({
    kind: 'rejected',
    reasons: [{ code: 'admission.review_rejected' }],
  });
  expect(await find(listOf(), GONE, [policyOf('', '')])).toMatchObject({ kind: 'rejected' });
  expect(await find(listOf(), GONE, [policyOf('mode: audit')])).toMatchObject({ kind: 'rejected' });
  const exception = `exceptions: [{ digest: "${DIGEST}", owner: ops, reason: fire, from: 2026-11-21T11:00:00Z, until: 2026-11-21T13:00:00Z }]`;
  expect(await find(listOf(), GONE, [policyOf(exception)])).toMatchObject({ kind: 'rejected' });
});

test.each<[string, NegativesView, Policy]>([
  ['the list rejects another image', listOf({ images: [OTHER] }), policyOf()],
  ['the list rejects a commit, and the registry would have to tell of which', listOf({ images: [] }), policyOf()],
  ['the policy does not name who rejected it', listOf({ by: 'mallory@example.com' }), policyOf()],
  ['somebody whom the policy allows withdrew the rejection', listOf({ withdrawnBy: 'lead@example.com' }), policyOf()],
  ['the policy hears no rejection, by the letter', listOf(), policyOf('profile: spec', '')],
  ['the list is missing', { kind: 'incomplete', from: 'https://lists.example', message: '' }, policyOf()],
  ['there is no list', { kind: 'registry-only' }, policyOf()],
])('an image that its registry no longer has is undecided where %s', async (_title, view, policy) => {
  expect(await find(view, GONE, [policy])).toEqual({ kind: 'undecided', why: GONE });
});

test('a withdrawal by somebody else leaves the rejection', async () => {
  expect(await find(listOf({ withdrawnBy: 'dana@example.com' }))).toMatchObject({ kind: 'rejected' });
});

test('where the registry was read the decision counts, which knows who took a rejection back', async () => {
  expect(await find(listOf(), ADMITTED)).toEqual({ kind: 'not-rejected' });
  expect(await find(listOf(), verdictOf('admission.no_signature'))).toEqual({ kind: 'not-rejected' });
  const found = verdictOf('admission.no_signature', 'admission.verdict_failed', 'admission.evidence_incomplete');
  expect(await find(listOf({ images: [OTHER] }), found)).toEqual({
    kind: 'rejected',
    reasons: [{ code: 'admission.verdict_failed', message: '' }],
  });
  const audited = { ...ADMITTED, warnings: verdictOf('admission.run_not_approved').reasons };
  expect(await find(listOf(), audited)).toMatchObject({ kind: 'rejected' });
});

test('after an internal error, which stops a decision before its lists are asked, they are asked', async () => {
  const broken = verdictOf('admission.internal');
  expect(await find(listOf(), broken)).toMatchObject({ kind: 'rejected' });
  expect(await find(listOf({ images: [OTHER] }), broken)).toEqual({ kind: 'undecided', why: 'admission.internal' });
});

test.each(['admission.evidence_incomplete', 'admission.rejections_incomplete', 'admission.too_many_signatures'])(
  'a decision with %s heard the lists, and may have missed a rejection',
  async (code) => {
    const partial = verdictOf('admission.no_signature', code);
    expect(await find(listOf(), partial)).toEqual({ kind: 'undecided', why: code });
    const excused = { ...ADMITTED, excused: [code] };
    expect(await find(listOf(), excused)).toEqual({ kind: 'undecided', why: code });
  },
);

test('an image that no policy covers has nobody who could reject it', async () => {
  expect(await find(listOf(), GONE, [policyOf()], `elsewhere.example/app@${DIGEST}`)).toEqual({ kind: 'not-rejected' });
});
