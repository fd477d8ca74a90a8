// Writes policy.v1.json from its declaration; run it after a change of the declaration, then `npm run fix`.
import { writeFileSync } from 'node:fs';
import { POLICY_SCHEMA } from '../src/policy/policy-schema.ts';

writeFileSync(new URL('policy.v1.json', import.meta.url), `${JSON.stringify(POLICY_SCHEMA, null, 2)}\n`);
