import { expect, test } from 'vitest';
import { wordsOf } from './read-standing-negatives.ts';

const signed = { issuer: 'https://issuer.example', subject: 'reviews:reviews.example', person: 'dana@example.com' };
const rejection = {
  ...signed,
  id: '1'.repeat(64),
  content: '2'.repeat(64),
  time: '2026-11-22T10:00:00Z',
  images: [],
  commits: [],
};

test('the person whom the certificate of a review service names is named in the list, and one who is only stated is not', () => {
  const { rejections, overflows } = wordsOf({
    rejections: [rejection, { ...rejection, certified: true }],
    withdrawals: [],
    overflows: [signed, { ...signed, certified: true }],
  });
  const named = [...rejections, ...overflows].map(({ certificate_identity: { claims } }) => claims);
  const dana = { human_reviewer: 'dana@example.com' };
  expect(named).toEqual([{}, dana, {}, dana]);
});
