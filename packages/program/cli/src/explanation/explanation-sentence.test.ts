import type { EvidenceExplanation } from '@colophon/gate';
import { describe, expect, test } from 'vitest';
import { explanationSentence } from './explanation-sentence.ts';

const ISSUER = 'https://issuer.example';
const EVIL = 'https://evil.example';
const signature = (
  subject: string,
  kind: EvidenceExplanation['signatures'][0]['kind'] = 'signature',
  issuer = ISSUER,
) => ({
  kind,
  about: 'subject' as const,
  certificate_identity: { issuer, subject, claims: {}, sources: {} },
  log_entry: { log_index: 1, log_id: 'd'.repeat(64), integrated_at: '2026-11-25T10:00:00Z' },
  found_in: ['registry' as const],
});
const review = (issuer = ISSUER) => ({
  decision: 'approved',
  standing: 'confirmed' as const,
  signer: 'reviewer:alice@example.com',
  issuer,
  about: 'subject' as const,
  log_index: 2,
  reviewer: 'alice@example.com',
});
const explained = (some: Partial<EvidenceExplanation>): EvidenceExplanation => ({
  subject: { kind: 'image', name: 'localhost/app:1', digest: `sha256:${'a'.repeat(64)}` },
  facts: [],
  reviews: [],
  claimed_reviews: [],
  contradictions: [],
  differences: [],
  rejections: [],
  rejection_lists: [],
  signatures: [signature('agent:a')],
  log_entries: [],
  unverified: [],
  unread: [],
  places: [],
  ...some,
});
const sentence = (some: Partial<EvidenceExplanation>) => explanationSentence(explained(some), 'own');

test('a person of another issuer than the maker is named with that issuer', () => {
  expect(sentence({ reviews: [review()] })).toContain('; approved by alice@example.com, for how long is not said;');
  expect(sentence({ reviews: [review('https://other.example')] })).toContain(
    '; approved by alice@example.com (issuer https://other.example), for how long is not said;',
  );
});

describe('a name', () => {
  test.each([
    ['of several words', 'x; admitted by all', '"x; admitted by all"'],
    ['with a line and an escape', 'x\n\u001b[2J', '"x\\n\\u001b[2J"'],
    ['that turns the text around', 'x\u202ey', '"x\\u{202e}y"'],
  ])('%s stands in quotes', (_title, value, shown) => {
    const fact = { field: 'model_id', value, standing: 'claimed', source: 'declared', log_index: 1 } as const;
    expect(sentence({ facts: [fact] })).toContain(`; model ${shown} (claimed);`);
  });
});

test('a review by nobody who is certified as its reviewer names the signer', () => {
  const forged = { ...review(), standing: 'claimed' as const, signer: 'agent:a' };
  expect(sentence({ reviews: [forged] })).toContain('approved by agent:a, who is no certified reviewer');
});

test('what was not read or not reached is said', () => {
  const unread = [{ code: 'image.attachment_too_large', message: 'one' }];
  const places = [{ place: 'log', state: 'incomplete' }] as const;
  expect(sentence({ unread, places })).toMatch(/1 not read; rejections: only what is attached; incomplete: log\.$/);
});

test('what the pack alone says is never the reader’s verdict', () => {
  expect(explanationSentence(explained({}), 'pack')).toMatch(/^by the pack's own word only, no policy was asked: /);
});

describe('against somebody who would like to be believed', () => {
  test('a reviewer is named with the issuer where makers are of several', () => {
    const theirs = signature('agent:x', 'signature', EVIL);
    const said = sentence({ signatures: [signature('agent:a'), theirs], reviews: [review(EVIL), review()] });
    expect(said).toContain('approved by alice@example.com (issuer https://evil.example)');
    expect(said).toContain('approved by alice@example.com (issuer https://issuer.example)');
  });

  test('a value is confirmed by an issuer that is named where makers are of several', () => {
    const fact = {
      field: 'model_id',
      value: 'm',
      standing: 'confirmed',
      source: 'caller-token',
      log_index: 1,
    } as const;
    const confirmed = (issuer: string, signatures = [signature('agent:a'), signature('agent:x', 'signature', EVIL)]) =>
      sentence({ signatures, facts: [{ ...fact, issuer }] });
    expect(confirmed(EVIL)).toContain('; model m (confirmed by caller-token, issuer https://evil.example);');
    expect(confirmed(ISSUER)).toContain('; model m (confirmed by caller-token, issuer https://issuer.example);');
    expect(confirmed(ISSUER, [signature('agent:a')])).toContain('; model m (confirmed by caller-token);');
  });

  test('a rejection is not left out for approvals', () => {
    const strangers = [1, 2, 3].map((n) => ({
      ...review(),
      standing: 'claimed' as const,
      signer: `x${n}@evil.example`,
    }));
    const no = { ...review(), decision: 'rejected', standing: 'claimed' as const, signer: 'dana@example.com' };
    expect(sentence({ reviews: [...strangers, no] })).toContain(
      ' and rejected by dana@example.com, who is no certified reviewer, for how long is not said and 1 more;',
    );
  });

  test('a list that is incomplete is said beside one that is not', () => {
    const lists = [
      { from: 'https://a.example/negatives', sequence: 1, signed_at: '2026-11-25T10:00:00Z' },
      { from: 'https://b.example/negatives', incomplete: 'HTTP 500' },
    ];
    expect(sentence({ rejection_lists: lists })).toContain(
      '; rejections as of 2026-11-25T10:00:00Z, 1 list incomplete',
    );
  });

  test('whoever has more rejections than a list holds is named', () => {
    const over = { issuer: 'https://i.example', subject: 'reviewer:mallory@example.com' };
    const [from, signed_at] = ['https://a.example/negatives', '2026-11-25T10:00:00Z'];
    expect(sentence({ rejection_lists: [{ from, sequence: 1, signed_at, overflows: [over] }] })).toContain(
      '; rejections as of 2026-11-25T10:00:00Z, not all of those by reviewer:mallory@example.com',
    );
  });

  test('a commit that somebody names is not the artifact’s own', () => {
    const ofCommit = { ...review(), about: 'commit' as const };
    expect(sentence({ reviews: [ofCommit] })).toContain(
      '; no review of it, but a commit that its signers name was approved by',
    );
  });

  test('a refusal by a policy that only watches is said', () => {
    const verdict = (policy: string, mode: 'enforce' | 'audit', admitted: boolean) => ({
      ...{ policy, mode, admitted, profile: 'strict' as const, reasons: [], agent_signatures: [], reviews: [] },
      ...{ requirements: [], withdrawn_rejections: [], contradictions: [], differences: [] },
    });
    const admission = (...verdicts: ReturnType<typeof verdict>[]) => ({
      admitted: true,
      reasons: [],
      warnings: [{ code: 'admission.review_missing', message: 'No review.', policy: 'watched' }],
      verdicts,
    });
    expect(
      sentence({ admission: admission(verdict('own', 'enforce', true), verdict('watched', 'audit', false)) }),
    ).toMatch(/^admitted by own, and watched would refuse but only watches \(admission\.review_missing\): /);
    expect(sentence({ admission: admission(verdict('watched', 'audit', false)) })).toMatch(
      /^admitted by no policy, and watched would refuse but only watches \(admission\.review_missing\): /,
    );
  });

  test('a refusal names the policies that refuse, and no other', () => {
    const reasons = [{ code: 'admission.image_not_covered', message: 'Not covered.', policy: 'other' }];
    const verdict = {
      ...{ policy: 'own', mode: 'enforce' as const, admitted: true, profile: 'strict' as const, reasons: [] },
      ...{
        agent_signatures: [],
        reviews: [],
        requirements: [],
        withdrawn_rejections: [],
        contradictions: [],
        differences: [],
      },
    };
    const admission = { admitted: false, reasons, warnings: [], verdicts: [verdict] };
    expect(sentence({ admission })).toMatch(/^refused by other \(admission\.image_not_covered\): /);
  });

  test('the rejections of a pack are those that its maker put in', () => {
    const places = [{ place: 'pack', state: 'asked' }] as const;
    expect(sentence({ places })).toContain('; rejections: only what the pack holds.');
  });

  test('an entry of the log that may say anything is no signature', () => {
    const entry = (kind: string) => ({
      ...{ uuid: 'a'.repeat(64), log_index: 1, log_id: 'd'.repeat(64), integrated_at: '2026-11-25T10:00:00Z' },
      ...{ kind, version: '0.0.1', tree_size: 2 },
      signers: [{ subject: 'reviewer:bob@example.com', issuer: ISSUER, trusted: true }],
    });
    expect(sentence({ signatures: [], log_entries: [entry('hashedrekord')] })).toContain(
      ' has in the log alone a signature by reviewer:bob@example.com',
    );
    expect(sentence({ signatures: [], log_entries: [entry('dsse')] })).toMatch(
      /^nothing verifies, .* has no signature that verifies, and in the log a statement by reviewer:bob@example\.com that is not at hand;/,
    );
  });
});
