import type { CertificateIdentity } from '@colophon/records';
import { expect, test } from 'vitest';
import { isPerson, isPersonsKey } from './person.ts';

const ISSUER = 'https://sso.example';
const identity = (subject: string, more: Partial<CertificateIdentity> = {}): CertificateIdentity => ({
  ...{ issuer: ISSUER, subject, claims: {}, sources: {} },
  ...more,
});
const named = [ISSUER];

test.each([
  ['reviewer:dana@example.com', true],
  ['agent:dana@example.com', false],
  ['reviewer:agent:dana@example.com', false],
  ['reviews:issuer.example', false],
  ['https://github.com/acme/app/.github/workflows/ci.yml@refs/heads/main', false],
  ['reviewer:builder@acme.iam.gserviceaccount.com', false],
  ['reviewer:dana', false],
  ['reviewer:dana..b@example.com', false],
  ['', false],
])('%j is a person: %s', (subject, expected) => {
  expect(isPerson(identity(subject), named)).toBe(expected);
});

test.each([
  ['dana@example.com', true],
  ['builder@acme.iam.gserviceaccount.com', false],
  ['Builder@acme.iam.GServiceAccount.com', false],
  ['12345-compute@developer.gserviceaccount.com', false],
  ['41898282+github-actions[bot]@users.noreply.github.com', false],
  ['project_123_bot_0f1e2d@noreply.gitlab.example', false],
  ['service_account_group_9_0f1e@noreply.gitlab.example', false],
  ['12345+dana@users.noreply.github.com', true],
  ['dana@example..com', false],
  ['dana%40b@example.com', false],
  ['dana@example.com\n', false],
])('the e-mail certificate of %j is a person’s: %s', (subject, expected) => {
  const certified = identity(subject, { subject_type: 'email' });
  expect(isPerson(certified, named)).toBe(expected);
  // By an issuer that nobody names it is nobody's.
  expect(isPerson(certified, [])).toBe(false);
  expect(isPerson({ ...certified, issuer: `${ISSUER}/` }, named)).toBe(false);
  // A URI or a user name that reads like an address.
  expect(isPerson(identity(subject), named)).toBe(false);
});

test('a review service signs for persons, and is none', () => {
  expect(isPerson(identity('reviews:issuer.example', { claims: { human_reviewer: 'dana@example.com' } }), named)).toBe(
    false,
  );
});

test.each([
  [['Dana <dana@example.com>'], true],
  [['dana@example.com'], true],
  [[' dana@example.com '], true],
  [['Dana (work) <dana@example.com>', 'Dana <d@example.com>'], true],
  [['Deploy <deploy@acme.iam.gserviceaccount.com>'], false],
  [['Dana <dana@example.com>', 'Release <release-bot@example.com>'], false],
  [['Copilot <198982749+Copilot@users.noreply.github.com>'], false],
  [['Dana <dana@example.com> at work'], false],
  [['Dana @ home'], false],
  [['Dana', 'Dana <dana@example.com>'], false],
  [[], false],
])('a key with the user ids %j is a person’s: %s', (userIds, expected) => {
  expect(isPersonsKey(userIds)).toBe(expected);
});
