import { expect, test } from 'vitest';
import { CLAIM_ARC_NUMBERS } from '../certificate-identity/certificate-identity.ts';
import { REQUEST_SHAPES } from '../token-request/token-request.ts';
import { RESERVED_CLAIMS } from './claim.ts';
import { SOURCED_CLAIMS } from './claim-table.ts';

test('no two claims share an extension, and none takes the name of a claim that only the issuer sets', () => {
  const numbers = Object.values(CLAIM_ARC_NUMBERS);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const claim of SOURCED_CLAIMS) expect(RESERVED_CLAIMS).not.toContain(claim);
});

test.each(SOURCED_CLAIMS)('a request of some purpose may carry %s', (claim) => {
  const carried = Object.values(REQUEST_SHAPES).flatMap(({ required, optional }) => [...required, ...optional]);
  expect(carried).toContain(claim);
});

// A certificate that was issued keeps its numbers for ever.
test('the numbers of extensions are those of certificates that were issued', () => {
  expect(CLAIM_ARC_NUMBERS).toEqual({
    ...{ iss: 1, sub: 2, aud: 3, exp: 4, iat: 5, agent_name: 6, agent_version: 7, model_id: 8, model_provider: 9 },
    ...{ policy_pack_hash: 10, prompt_hash: 11, human_reviewer: 12, review_timestamp: 13, repo: 14, commit_sha: 15 },
    ...{ jti: 16, claim_sources: 17, trigger: 18, agent_id: 19, repo_uri: 20, key_thumbprint: 21 },
    ...{ tree_sha: 22, parent_sha: 23 },
  });
});
