import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { SchemaSource } from '../src/index.ts';

const LIBRARY = dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json'));

/** The schema files as the CycloneDX library ships them. */
export const readOfficialSchema: SchemaSource = (file) =>
  JSON.parse(readFileSync(join(LIBRARY, 'res', 'schema', file), 'utf8'));
