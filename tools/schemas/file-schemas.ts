import { POLICY_SCHEMA } from '../../packages/admission/policy/src/policy/policy-schema.ts';
import { ADMISSION_SCHEMA } from '../../packages/program/server/src/admission-service/admission-schema.ts';
import { CONFIGURATION_SCHEMA } from '../../packages/program/server/src/configuration/configuration-schema.ts';
import { REMEDIATION_POLICY_SCHEMA } from '../../packages/vulnerabilities/remediation-rules/src/remediation/policy-schema.ts';

/** The schemas of the files that users write, by their file in docs/json. */
export const FILE_SCHEMAS: Readonly<Record<string, object>> = {
  'admission.v1.json': ADMISSION_SCHEMA,
  'configuration.v1.json': CONFIGURATION_SCHEMA,
  'policy.v1.json': POLICY_SCHEMA,
  'remediation-policy.v1.json': REMEDIATION_POLICY_SCHEMA,
};
