// Writes the JSON Schemas of the records and of the commands' JSON results, and the OpenAPI document of an issuer, from
// their declarations; tests compare what is committed with them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPANY_ISSUER, openApiDocument } from '../../packages/program/server/src/openapi/openapi-document.ts';
import { SCHEMA_FOLDER, schemaFiles } from './schema-files.ts';

rmSync(SCHEMA_FOLDER, { recursive: true, force: true });
mkdirSync(SCHEMA_FOLDER);
for (const [file, text] of Object.entries(schemaFiles())) writeFileSync(join(SCHEMA_FOLDER, file), text);

const openApi = join(import.meta.dirname, '../../docs/openapi.json');
writeFileSync(openApi, `${JSON.stringify(openApiDocument(COMPANY_ISSUER), null, 2)}\n`);
