// Writes the published JSON Schema of configuration files anew: `node packages/server/schema/write.ts`.
import { writeFileSync } from 'node:fs';
import { ADMISSION_SCHEMA } from '../src/admission-service/admission-schema.ts';
import { CONFIGURATION_SCHEMA } from '../src/configuration/configuration-schema.ts';

const SCHEMAS = { 'configuration.v1.json': CONFIGURATION_SCHEMA, 'admission.v1.json': ADMISSION_SCHEMA };
for (const [name, schema] of Object.entries(SCHEMAS)) {
  writeFileSync(new URL(name, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`);
}
