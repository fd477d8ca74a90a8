import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SchemaSource } from '../src/index.ts';

const LIBRARY = dirname(fileURLToPath(import.meta.resolve('@cyclonedx/cyclonedx-library/package.json')));

/** The schema files as the CycloneDX library ships them. */
export const readOfficialSchema: SchemaSource = (file) =>
  JSON.parse(readFileSync(join(LIBRARY, 'res', 'schema', file), 'utf8'));
