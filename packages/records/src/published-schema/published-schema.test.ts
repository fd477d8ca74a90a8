import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PUBLISHED_SCHEMAS, writeSchema } from './published-schema.ts';

const folder = join(import.meta.dirname, '..', '..', 'schema');

describe('packages/records/schema', () => {
  it.each(Object.entries(PUBLISHED_SCHEMAS))('holds %s as it is declared', (name, schema) => {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(writeSchema(schema));
  });

  it('holds nothing else', () => {
    expect(readdirSync(folder).sort()).toEqual(Object.keys(PUBLISHED_SCHEMAS));
  });
});
