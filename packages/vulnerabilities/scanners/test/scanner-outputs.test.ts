import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseOutputDocument } from '../src/scanner-output/output-document.ts';
import { readOutputDocument, readScannerOutput } from '../src/scanner-output/read-scanner-output.ts';
import { SCAN_ENTRY_CODES, SCAN_FILE_CODES } from '../src/scanner-output/scan-issue.ts';

const VECTORS = join(import.meta.dirname, '../vectors/scanner-output');
const FILES = readdirSync(VECTORS).filter((name) => name.endsWith('.json'));
const read = (name: string) => readScannerOutput(readFileSync(join(VECTORS, name)));

test.each(FILES)('%s is read as its golden file says', async (name) => {
  const result = read(name);
  const golden = join(import.meta.dirname, 'golden/scanner-output', name.replace(/json$/, 'reading.json'));
  await expect(`${JSON.stringify(result, null, 2)}\n`).toMatchFileSnapshot(golden);
});

test.each(FILES)('%s with anything in the place of anything ends with a result, and never with an error', (name) => {
  const codes = new Set<string>([...SCAN_FILE_CODES, ...SCAN_ENTRY_CODES]);
  const document = parseOutputDocument(readFileSync(join(VECTORS, name)));
  // A stream of documents is the same as their list.
  const root = document.ok ? valuesOf(document.value) : null;
  const places = [...placesIn(root)];
  const odd = fc.constantFrom<unknown>(
    null,
    undefined,
    '',
    ' ',
    'text',
    0,
    -1,
    Number.POSITIVE_INFINITY,
    true,
    [],
    [null],
    {},
    { id: {} },
    [[]],
  );
  fc.assert(
    fc.property(fc.nat(places.length - 1), odd, (index, value) => {
      const [parent, key] = places[index] as (typeof places)[number];
      const before = parent[key];
      parent[key] = value;
      try {
        const result = readOutputDocument(root);
        const found = result.ok ? result.value.flatMap(({ unread }) => unread) : result.issues;
        expect(found.filter(({ code }) => !codes.has(code))).toEqual([]);
        if (result.ok) expect(result.value.length).toBeGreaterThan(0);
      } finally {
        parent[key] = before;
      }
    }),
    { numRuns: Math.min(1500, places.length * 14) },
  );
});

function valuesOf(document: unknown): unknown {
  return Array.isArray(document) ? document : ((document as { values?: unknown }).values ?? document);
}

type Place = readonly [parent: Record<string | number, unknown>, key: string | number];

function* placesIn(value: unknown): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  const parent = value as Record<string | number, unknown>;
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    yield [parent, key];
    yield* placesIn(parent[key]);
  }
}
