import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { RECORD_SCHEMAS } from './record-schemas.ts';

// What the program wrote on 2026-11-23.
const KEPT = join(import.meta.dirname, '../../packages/cli/test/frozen/kept/files');
const documentsIn = (path: string): unknown[] => [JSON.parse(readFileSync(join(KEPT, path), 'utf8'))].flat();

test.each([
  ['scan.v1.json', readdirSync(join(KEPT, 'scans')).map((name) => `scans/${name}`)],
  ['enriched-finding.v1.json', ['enriched-findings.json']],
  ['remediation-record.v1.json', ['records.json', 'closed-record.json']],
])('what the program keeps is what %s says', (schema, files) => {
  const documents = files.flatMap(documentsIn);
  expect(documents.length).toBeGreaterThan(0);
  for (const document of documents) expect(Check(RECORD_SCHEMAS[schema] as object, document)).toBe(true);
});
