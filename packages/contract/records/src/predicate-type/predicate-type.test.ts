import { expect, it } from 'vitest';
import { agentReviewType, agentRunType, reviewWithdrawalType, standingNegativesType } from './predicate-type.ts';

it('puts the version last, below a base that can be configured (contract §9)', () => {
  expect(agentRunType()).toBe('https://colophon.example/predicates/agent-run/v1');
  expect(agentReviewType()).toBe('https://colophon.example/predicates/agent-review/v1');
  expect(reviewWithdrawalType()).toBe('https://colophon.example/predicates/review-withdrawal/v1');
  expect(standingNegativesType()).toBe('https://colophon.example/predicates/standing-negatives/v2');
  expect(agentRunType('https://a.example/p')).toBe('https://a.example/p/agent-run/v1');
  expect(agentReviewType('https://a.example/p')).toBe('https://a.example/p/agent-review/v1');
  expect(reviewWithdrawalType('https://a.example/p')).toBe('https://a.example/p/review-withdrawal/v1');
  expect(standingNegativesType('https://a.example/p')).toBe('https://a.example/p/standing-negatives/v2');
});
