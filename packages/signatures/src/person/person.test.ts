import { expect, test } from 'vitest';
import { isPerson } from './person.ts';

test.each([
  ['reviewer:dana@example.com', true],
  ['dana@example.com', true],
  ['agent:dana@example.com', false],
  ['reviewer:agent:dana@example.com', false],
  ['reviews:issuer.example', false],
  ['https://github.com/acme/app/.github/workflows/ci.yml@refs/heads/main', false],
  ['builder@acme.iam.gserviceaccount.com', false],
  ['reviewer:dana', false],
  ['reviewer:dana..b@example.com', false],
  ['dana@example..com', false],
  ['dana%40b@example.com', false],
  ['dana@example.com\n', false],
  ['', false],
])('%j is a person: %s', (subject, expected) => {
  expect(isPerson(subject)).toBe(expected);
});
