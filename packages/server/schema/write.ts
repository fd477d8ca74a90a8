// Writes the published JSON Schema of configuration files anew: `node packages/server/schema/write.ts`.
import { writeFileSync } from 'node:fs';
import { CONFIGURATION_SCHEMA } from '../src/configuration/configuration-schema.ts';

const text = `${JSON.stringify(CONFIGURATION_SCHEMA, null, 2)}\n`;
writeFileSync(new URL('configuration.v1.json', import.meta.url), text);
