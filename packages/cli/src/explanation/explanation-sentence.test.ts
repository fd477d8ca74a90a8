import type { EvidenceExplanation } from '@colophon/gate';
import { describe, expect, test } from 'vitest';
import { explanationSentence } from './explanation-sentence.ts';

const ISSUER = 'https://issuer.example';
const signature = (subject: string, kind: EvidenceExplanation['signatures'][0]['kind'] = 'signature') => ({
  kind,
  about: 'subject' as const,
  certificate_identity: { issuer: ISSUER, subject, claims: {}, sources: {} },
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
