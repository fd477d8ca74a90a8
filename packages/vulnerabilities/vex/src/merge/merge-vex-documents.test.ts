import { VEX_STATUSES } from '@colophon/records';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UNKNOWN_TIME, type VexDocument, type VexStatement } from '../vex-document/vex-document.ts';
import { mergeVexDocuments } from './merge-vex-documents.ts';

const MERGE = { author: 'Dana', at: '2026-11-21T12:00:00Z' };
const STATEMENT: VexStatement = {
  vulnerability: { name: 'CVE-2021-44228' },
  timestamp: '2026-01-30T12:00:00Z',
  products: [{ id: 'pkg:npm/app@1' }],
  status: 'under_investigation',
};
const documentOf = (...statements: Partial<VexStatement>[]): VexDocument => ({
  shape: 'openvex',
  author: 'Dana',
  statements: statements.map((one) => ({ ...STATEMENT, ...one })),
});

test('the history is kept, by vulnerability and time', () => {
  const older = documentOf({}, { vulnerability: { name: 'CVE-2024-0001' } });
  const newer = documentOf(
    { status: 'fixed', timestamp: '2026-01-30T12:00:00.5Z' },
    { vulnerability: { name: 'CVE-2020-0001' } },
  );
  const { document, conflicts, repeated, losses } = mergeVexDocuments([newer, older], MERGE);
  expect(document).toMatchObject({ shape: 'openvex', author: 'Dana', timestamp: '2026-11-21T12:00:00Z', version: 1 });
  expect(document).not.toHaveProperty('id');
  expect(document.statements.map(({ vulnerability, status }) => `${vulnerability.name} ${status}`)).toEqual([
    'CVE-2020-0001 under_investigation',
    'CVE-2021-44228 under_investigation',
    'CVE-2021-44228 fixed',
    'CVE-2024-0001 under_investigation',
  ]);
  expect({ conflicts, repeated, losses }).toEqual({ conflicts: [], repeated: 0, losses: [] });
});

test('what is said twice word by word is there once, however its members are ordered', () => {
  const { timestamp, ...rest } = STATEMENT;
  const reordered = { ...documentOf(), statements: [{ timestamp, ...rest }] };
  const { document, repeated } = mergeVexDocuments([documentOf({}), reordered, documentOf({ supplier: 's' })], MERGE);
  expect(document.statements).toHaveLength(2);
  expect(repeated).toBe(1);
});

test('a package URL says the same in either place', () => {
  const alone = documentOf({ products: [{ purl: 'pkg:npm/a', subcomponents: [{ purl: 'pkg:npm/b' }] }] });
  const both = documentOf({
    products: [{ id: 'pkg:npm/a', purl: 'pkg:npm/a', subcomponents: [{ id: 'pkg:npm/b', purl: 'pkg:npm/b' }] }],
  });
  expect(mergeVexDocuments([alone, both], MERGE)).toMatchObject({
    repeated: 1,
    document: { statements: both.statements },
  });
});

test('statements of the same time that contradict each other are conflicts, and both are kept', () => {
  const { document, conflicts } = mergeVexDocuments([documentOf({}), documentOf({ status: 'fixed' })], MERGE);
  expect(document.statements).toHaveLength(2);
  expect(conflicts).toMatchObject([{ path: '/statements/1', code: 'vex.statement_contradicts', severity: 'error' }]);
});

test('the id of a merged document makes its next version', () => {
  const known: VexDocument = { ...documentOf({}), id: 'https://example.com/vex/1', version: 4 };
  const other: VexDocument = { ...documentOf({}), id: 'https://example.com/vex/2', version: 9 };
  expect(mergeVexDocuments([known, other], { ...MERGE, id: known.id! }).document).toMatchObject({
    id: known.id,
    version: 5,
  });
  expect(mergeVexDocuments([known, other], { ...MERGE, id: 'urn:x:new', role: 'r' }).document).toMatchObject({
    id: 'urn:x:new',
    role: 'r',
    version: 1,
  });
});

test('whose words they were, and that a time is unknown, is said', () => {
  const others: VexDocument = { ...documentOf({ timestamp: UNKNOWN_TIME }), author: 'Eve', tooling: 'a tool' };
  expect(mergeVexDocuments([others], MERGE).losses.map(({ path }) => path)).toEqual([
    '/author',
    '/tooling',
    '/statements',
  ]);
});

test('the order of documents and statements makes no difference', () => {
  const statement = fc.record({
    vulnerability: fc.record({ name: fc.constantFrom('CVE-1', 'CVE-2') }),
    timestamp: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.0Z', '2026-01-01T00:00:00.5Z'),
    products: fc.subarray([{ id: 'a' }, { purl: 'b' }, { hashes: { md5: 'c', 'sha-256': 'd' } }]),
    status: fc.constantFrom(...VEX_STATUSES),
  });
  fc.assert(
    fc.property(fc.array(fc.array(statement, { maxLength: 4 }), { maxLength: 3 }), (documents) => {
      const merged = mergeVexDocuments(
        documents.map((one) => documentOf(...one)),
        MERGE,
      );
      const turned = mergeVexDocuments(
        documents.toReversed().map((one) => documentOf(...one.toReversed())),
        MERGE,
      );
      expect(turned).toEqual(merged);
      const again = mergeVexDocuments([merged.document, merged.document], MERGE);
      expect(again.document.statements).toEqual(merged.document.statements);
    }),
    { numRuns: 300 },
  );
});
