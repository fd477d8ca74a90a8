// Whatever is admitted, a no by one of those by whom it is admitted refuses it: in every spelling, type and position.
import { type CertificateIdentity, STATEMENT_TYPE, type VerifiedSignature } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyEvidence } from '../../test/any-evidence.ts';
import { anyPolicy, load } from '../../test/any-policy.ts';
import { BASE, COMMIT, image, OTHER_SHA256, SHA256 } from '../../test/image-evidence.ts';
import type { NegativesView } from '../negatives/negatives-view.ts';
import { type AdmissionInput, decideAdmission, type PolicyVerdict } from './decision.ts';

const NUM_RUNS = process.env['FULL_RUN'] === 'true' ? 10_000 : 300;
const LATER = '2026-11-21T12:30:00Z';
const NOW = Date.parse('2026-11-21T12:31:00Z') / 1000;

const SPELLINGS: Readonly<Record<string, (subject: string) => string>> = {
  'as it is': (subject) => subject,
  'in capitals': (subject) => subject.toUpperCase(),
  'with one capital': (subject) => subject.replace(/[a-z](?=[a-z]*@|[a-z]*$)/, (letter) => letter.toUpperCase()),
  'with a capital domain': (subject) => subject.replace(/@.*/, (domain) => domain.toUpperCase()),
  'as an e-mail certificate': (subject) => subject.replace(/^reviewer:(?=.*@)/, ''),
  'as a reviewer': (subject) => (/^[^:/@]+@[^:/@]+$/.test(subject) ? `reviewer:${subject}` : subject),
};
const WORDS: ReadonlyArray<readonly [type: string, predicate: unknown]> = [
  [`${BASE}/agent-review/v1`, { decision: 'rejected' }],
  ['https://elsewhere.example/agent-review/v1', { decision: 'REJECTED', commit_sha: COMMIT }],
  [`${BASE}/agent-review/v1`, { decision: null }],
  [`${BASE}/agent-review/v7`, { decision: 'no' }],
  [`${BASE}/agent-run/v1`, { human_review: { approved: false } }],
  [`${BASE}/agent-run/v1`, { human_review: { approved: 'never' } }],
  ['https://slsa.dev/verification_summary/v1', { verificationResult: 'FAILED' }],
  ['https://in-toto.io/attestation/test-result/v0.1', { result: 'FAILED' }],
  ['https://acme.example/board/v1', { verdict: 'stop' }],
];
const YES_WORDS: typeof WORDS = [
  [
    `${BASE}/agent-review/v1`,
    {
      human_reviewer: 'dana@example.com',
      review_timestamp: '2026-11-21T09:00:00Z',
      decision: 'approved',
      commit_sha: COMMIT,
    },
  ],
  ['https://slsa.dev/verification_summary/v1', { verificationResult: 'PASSED' }],
];
const ABOUT = {
  image: [{ digest: { sha256: SHA256 } }],
  'image and commit': [{ digest: { sha256: SHA256 } }, { digest: { gitCommit: COMMIT } }],
  part: [{ digest: { sha256: OTHER_SHA256 } }],
};
const POSITIONS = ['attached', 'listed', 'attached to a part'] as const;

/** Those by whom a policy that enforces admits. */
function admitting({ mode, profile, ...verdict }: PolicyVerdict): CertificateIdentity[] {
  if (mode === 'audit') return [];
  const required = verdict.requirements.flatMap(({ signatures }) => signatures);
  const all = [...verdict.agent_signatures, ...(verdict.human_signatures ?? []), ...verdict.reviews, ...required];
  const counting = profile === 'strict' ? all : required;
  // A bare key has no name to spell.
  return counting.map(({ certificate_identity: by }) => by).filter(({ key }) => key === undefined);
}

function listOf(by: CertificateIdentity, images: string[], commits: string[]): NegativesView {
  const { issuer, subject } = by;
  const rejection = {
    person: { issuer, address: subject.replace('reviewer:', '') },
    subject,
    integrated_at: LATER,
    images,
    commits,
    content: 'f'.repeat(64),
    certificate_identity: { issuer, subject, claims: {}, sources: {} },
  };
  const list = { from: 'https://lists.example', sequence: 1, time: LATER, rejections: [rejection], withdrawals: [] };
  return {
    kind: 'list',
    list: list as unknown as Extract<NegativesView, { kind: 'list' }>['list'],
    maxAgeSeconds: 900,
  };
}

const anyCase = anyPolicy.chain((policy) => fc.tuple(fc.constant(policy), anyEvidence([policy])));

describe('what is admitted', { timeout: 900_000 }, () => {
  it('is refused by a no of one by whom it is admitted, however that is spelt, called, or where it stands', () => {
    let applied = 0;
    const property = fc.property(
      anyCase,
      fc.constantFrom(...Object.values(SPELLINGS)),
      fc.constantFrom(...WORDS),
      fc.constantFrom<keyof typeof ABOUT>('image', 'image and commit', 'part'),
      fc.constantFrom(...POSITIONS),
      fc.constantFrom('', '/'),
      fc.nat(),
      ([policy, signatures], spell, [predicateType, predicate], about, position, slash, which) => {
        const input: AdmissionInput = {
          image: { ...image, manifests: [`sha256:${OTHER_SHA256}`] },
          signatures,
          rejected: [],
          policies: [load(policy)],
          nowSeconds: NOW,
        };
        const before = decideAdmission(input);
        const named = before.admitted ? before.verdicts.flatMap(admitting) : [];
        const signer = named[which % named.length];
        if (signer === undefined) return;
        const by = { ...signer, issuer: signer.issuer + slash, subject: spell(signer.subject) };
        const subject = ABOUT[about];
        const no: VerifiedSignature = {
          certificate_identity: by,
          certified_at: LATER,
          log_entry: { log_index: 99_999, log_id: 'cc', integrated_at: LATER },
          statement: { _type: STATEMENT_TYPE, subject, predicateType, predicate },
        };
        const images = subject.flatMap((one) => ('sha256' in one.digest ? [`sha256:${one.digest.sha256}`] : []));
        // Only a policy for people asks what is attached to a part.
        const isOfParts = before.verdicts[0]?.human_signatures !== undefined;
        const where = position === 'attached to a part' && !isOfParts ? 'attached' : position;
        const after = decideAdmission({
          ...input,
          ...(where === 'attached' ? { signatures: [...signatures, no] } : {}),
          ...(where === 'listed' ? { negatives: () => listOf(by, images, []) } : {}),
          ...(where === 'attached to a part' ? { ofManifests: { signatures: [no], incomplete: [] } } : {}),
        });
        expect(after.admitted).toBe(false);
        applied += 1;
      },
    );
    fc.assert(property, { numRuns: NUM_RUNS });
    expect(applied).toBeGreaterThan(NUM_RUNS / 20);
  });

  it('stays as it is, and what is refused too, whatever another company’s issuer certifies', () => {
    const property = fc.property(
      anyCase,
      fc.constantFrom(...Object.values(SPELLINGS)),
      fc.constantFrom(...WORDS, ...YES_WORDS),
      fc.constantFrom('https://other.example', 'https://issuer.example.evil.example', 'http://issuer.example', ''),
      fc.constantFrom<keyof typeof ABOUT>('image', 'image and commit', 'part'),
      fc.constantFrom(...POSITIONS),
      fc.constantFrom('reviewer:dana@example.com', 'agent:writer', 'dana@example.com', 'reviews:issuer.example'),
      ([policy, signatures], spell, [predicateType, predicate], issuer, about, position, name) => {
        // Of images that people made, or nobody signed, any agent's run says that they are none of those.
        if (!('agent' in policy.file)) return;
        const subject = ABOUT[about];
        const by = { issuer, subject: spell(name), claims: { human_reviewer: 'dana@example.com' }, sources: {} };
        const no: VerifiedSignature = {
          certificate_identity: by,
          certified_at: LATER,
          log_entry: { log_index: 99_999, log_id: 'cc', integrated_at: LATER },
          statement: { _type: STATEMENT_TYPE, subject, predicateType, predicate },
        };
        const images = subject.flatMap((one) => ('sha256' in one.digest ? [`sha256:${one.digest.sha256}`] : []));
        const empty = listOf(by, [OTHER_SHA256], []);
        const input: AdmissionInput = {
          image: { ...image, manifests: [`sha256:${OTHER_SHA256}`] },
          signatures,
          rejected: [],
          policies: [load(policy)],
          nowSeconds: NOW,
          negatives: () => empty,
        };
        const after = decideAdmission({
          ...input,
          ...(position === 'attached' ? { signatures: [...signatures, no] } : {}),
          ...(position === 'listed' ? { negatives: () => listOf(by, images, [COMMIT]) } : {}),
          ...(position === 'attached to a part' ? { ofManifests: { signatures: [no], incomplete: [] } } : {}),
        });
        expect(after.admitted).toBe(decideAdmission(input).admitted);
      },
    );
    fc.assert(property, { numRuns: NUM_RUNS });
  });
});
