// Writes the JSON Schemas of the records from their declarations; a test compares what is committed with them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PUBLISHED_SCHEMAS, writeSchema } from '../packages/records/src/published-schema/published-schema.ts';

const folder = join(import.meta.dirname, '..', 'packages', 'records', 'schema');
for (const [name, schema] of Object.entries(PUBLISHED_SCHEMAS)) writeFileSync(join(folder, name), writeSchema(schema));
