// Writes remediation-policy.v1.json from its declaration; run it after a change of the declaration, then `npm run fix`.
import { writeFileSync } from 'node:fs';
import { REMEDIATION_POLICY_SCHEMA } from '../src/remediation/policy-schema.ts';

const text = `${JSON.stringify(REMEDIATION_POLICY_SCHEMA, null, 2)}\n`;
writeFileSync(new URL('remediation-policy.v1.json', import.meta.url), text);
