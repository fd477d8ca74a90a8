import { expect, test } from 'vitest';
import { RECORD_SCHEMAS } from './record-schemas.ts';

test.each(Object.entries(RECORD_SCHEMAS))(
  '%s asks for nothing that regular expressions of Python and RE2 lack',
  (_name, schema) => {
    const patterns = patternsIn(schema);
    // Lookarounds and backreferences are not in RE2, properties of characters not in Python.
    for (const pattern of patterns) expect(pattern).not.toMatch(/\(\?[^:]|\\[1-9a-rt-zA-RT-Z]/);
    expect(patterns.length).toBeGreaterThan(0);
  },
);

function patternsIn(schema: object): string[] {
  return Object.entries(schema).flatMap(([name, part]) => {
    if (name === 'pattern' && typeof part === 'string') return [part];
    return typeof part === 'object' && part !== null ? patternsIn(part) : [];
  });
}
