import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REMEDIATION_POLICY_SCHEMA } from './policy-schema.ts';

test('the published JSON Schema of policies is the one that policies are checked with', () => {
  const published = readFileSync(new URL('../../schema/remediation-policy.v1.json', import.meta.url), 'utf8');
  // `node packages/remediation-rules/schema/write.ts` writes it anew.
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(REMEDIATION_POLICY_SCHEMA)));
});
