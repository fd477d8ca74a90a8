import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { POLICY_SCHEMA } from './policy-schema.ts';

it('the published JSON Schema of policies is the one that policies are checked with', () => {
  const published = readFileSync(new URL('../../schema/policy.v1.json', import.meta.url), 'utf8');
  // `node packages/admission/schema/write.ts` writes it anew.
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(POLICY_SCHEMA)));
});
