import type { ForeignIssuer } from '@colophon/testkit';
import { expect } from 'vitest';

/** Who reviews. */
const REVIEWER = 'alice@example.com';

/** An entry of `callers`: people who have signed in at their company's own issuer may sign reviews. */
export const reviewersEntry = (sso: ForeignIssuer, issuer: string) => `
  - name: reviewers
    kind: oidc
    oidc:
      issuer: ${sso.url}
      audience: ${issuer}
      where: { email_verified: "true" }
      claims: { human_reviewer: email }
    may: { agents: [], purposes: [review] }`;

/** What a reviewer who has signed in says of a commit, and the token that they sign it with. */
export async function signedInReview(sso: ForeignIssuer, issuer: string, commit: string) {
  const now = Math.floor(Date.now() / 1000);
  const login = sso.sign({
    ...{ aud: issuer, sub: 'u-17', iat: now, exp: now + 300 },
    ...{ email: REVIEWER, email_verified: true },
  });
  const response = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${login}` },
    body: JSON.stringify({ purpose: 'review', human_reviewer: REVIEWER, commit_sha: commit }),
  });
  const token = await response.text();
  expect(response.status, token).toBe(200);
  const predicate = {
    ...{ human_reviewer: REVIEWER, review_timestamp: new Date().toISOString().replace(/\.\d+/, '') },
    ...{ decision: 'approved', commit_sha: commit },
  };
  return { token, predicate };
}
