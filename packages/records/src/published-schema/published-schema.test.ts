import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PUBLISHED_SCHEMAS, writeSchema } from './published-schema.ts';

const folder = join(import.meta.dirname, '..', '..', 'schema');

describe('packages/records/schema', () => {
  it.each(Object.entries(PUBLISHED_SCHEMAS))('holds %s as it is declared', (name, schema) => {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(writeSchema(schema));
  });

  it.each(Object.entries(PUBLISHED_SCHEMAS))(
    'asks in %s for nothing that regular expressions of Python and RE2 lack',
    (_name, schema) => {
      const patterns = patternsIn(schema);
      // Lookarounds and backreferences are not in RE2, properties of characters not in Python.
      for (const pattern of patterns) expect(pattern).not.toMatch(/\(\?[^:]|\\[1-9a-rt-zA-RT-Z]/);
      expect(patterns.length).toBeGreaterThan(0);
    },
  );

  it('holds nothing else', () => {
    expect(readdirSync(folder).sort()).toEqual(Object.keys(PUBLISHED_SCHEMAS));
  });
});

function patternsIn(schema: object): string[] {
  return Object.entries(schema).flatMap(([name, part]) => {
    if (name === 'pattern' && typeof part === 'string') return [part];
    return typeof part === 'object' && part !== null ? patternsIn(part) : [];
  });
}
