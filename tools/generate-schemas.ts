// Writes the JSON Schemas of the records, those of the commands' JSON results, and the OpenAPI document of an issuer, from
// their declarations; tests compare what is committed with them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PUBLISHED_SCHEMAS, writeSchema } from '../packages/records/src/published-schema/published-schema.ts';
import { COMPANY_ISSUER, openApiDocument } from '../packages/server/src/openapi/openapi-document.ts';
import { JSON_RESULTS, RESULTS_FOLDER, resultFile } from './json-results/json-results.ts';

const folder = join(import.meta.dirname, '..', 'packages', 'records', 'schema');
for (const [name, schema] of Object.entries(PUBLISHED_SCHEMAS)) writeFileSync(join(folder, name), writeSchema(schema));

rmSync(RESULTS_FOLDER, { recursive: true, force: true });
mkdirSync(RESULTS_FOLDER);
for (const [command, schema] of Object.entries(JSON_RESULTS)) {
  writeFileSync(join(RESULTS_FOLDER, resultFile(command)), writeSchema(schema));
}

writeFileSync(join(import.meta.dirname, '../docs/openapi.json'), writeSchema(openApiDocument(COMPANY_ISSUER)));
