import { cleanupAt } from '@colophon/testkit';
// Reviewers by their company's login, as explanations name them: people by the issuers that a policy names, and by no other.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { type Company, installWithCompany, REVIEW_TYPE, SSO } from './company.ts';
import { COMMIT, CONTEXT, type Installation } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let company: Company;
let policy: string;

beforeAll(async () => {
  ({ here, company } = await installWithCompany(cleanup));
  policy = here.file(
    'policy.yaml',
    `version: 1
images: ["${here.registry}/webshop*"]
agent: { issuer: "${here.url}", subject: "agent:code-writer" }
review: { issuer: "${SSO}", subjectRegExp: ".*@acme[.]example" }
`,
  );
});
/** An image that the agent signed and that a person reviewed by the login of this issuer. */
async function reviewed(name: string, decision: string, address: string, issuer = SSO) {
  const image = await here.push(`webshop-${name}`);
  await here.document('sign', ...CONTEXT, image);
  const sha256 = image.split('@sha256:')[1];
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { sha256, gitCommit: COMMIT } }],
    predicateType: REVIEW_TYPE,
    predicate: {
      human_reviewer: address,
      review_timestamp: company.authority.now.toISOString(),
      decision,
      commit_sha: COMMIT,
      review_duration_seconds: 60,
    },
  };
  await company.attach(image, company.sign(statement, { issuer, subject: address }));
  return image;
}

async function explain(image: string, ...more: string[]) {
  const ran = await here.run('explain', image, '--config', company.configuration, ...more, '-o', 'json');
  return { exitCode: ran.exitCode, ...documentOf(ran) };
}

test('a person is one by the issuer that the policy names for reviews', async () => {
  const image = await reviewed('approved', 'approved', 'dana@acme.example');
  const found = await explain(image, '--policy', policy);
  expect([found.exitCode, found.sentence]).toEqual([
    0,
    expect.stringContaining('; approved by dana@acme.example (issuer https://sso.example, root company) in 60 s;'),
  ]);
  expect(found.reviews).toMatchObject([{ standing: 'confirmed' }]);
  // Without a policy nobody says whose addresses are people's.
  const bare = await explain(image);
  expect(bare.sentence).toContain('approved by dana@acme.example, who is no certified reviewer');
});

test('their rejection is one', async () => {
  const found = await explain(await reviewed('rejected', 'rejected', 'dana@acme.example'), '--policy', policy);
  expect([found.exitCode, found.rejections.length]).toEqual([20, 1]);
  expect(found.sentence).toContain(
    '; rejected by dana@acme.example (issuer https://sso.example, root company) in 60 s; 1 rejection of it;',
  );
});

test.each([
  ['another-issuer', 'dana@acme.example', 'https://other-sso.example'],
  ['a-machine', 'deployer@acme.iam.gserviceaccount.com', SSO],
])('%s is nobody', async (name, address, issuer) => {
  const found = await explain(await reviewed(name, 'approved', address, issuer), '--policy', policy);
  expect(found.exitCode).toBe(20);
  expect(found.sentence).toContain(`approved by ${address}, who is no certified reviewer`);
});
