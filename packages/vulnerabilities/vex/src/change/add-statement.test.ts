import type { JsonObject } from '@colophon/json';
import type { VexStatus } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readVexDocument } from '../read/read-vex-document.ts';
import type { VexProduct, VexStatement } from '../vex-document/vex-document.ts';
import { writeVexDocument } from '../write/write-vex-document.ts';
import { addStatement } from './add-statement.ts';
import { standingStatements } from './standing-statements.ts';

const NOW = '2026-11-21T12:00:00Z';
const TEXTS: Readonly<Record<VexStatus, Partial<VexStatement>>> = {
  under_investigation: {},
  affected: { action_statement: 'update' },
  not_affected: { justification: 'component_not_present' },
  fixed: {},
};
const said = (
  status: VexStatus,
  product: VexProduct | string,
  timestamp = '2026-11-01T00:00:00Z',
  name = 'CVE-2026-1',
): VexStatement => ({
  vulnerability: { name },
  timestamp,
  products: [typeof product === 'string' ? { id: product } : product],
  status,
  ...TEXTS[status],
});
const inside = (product: string, ...subcomponents: string[]) => ({
  id: product,
  subcomponents: subcomponents.map((id) => ({ id })),
});
const standing = (statements: readonly VexStatement[], about: VexProduct | string) =>
  standingStatements({ statements }, said('fixed', about)).map(({ status }) => status);

describe('what stands', () => {
  const [early, middle, late] = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', '2026-11-03T00:00:00Z'];

  test.each<[string, readonly VexStatement[], VexProduct | string, readonly VexStatus[]]>([
    ['nothing, where nothing was said', [], 'pkg:npm/a@1', []],
    [
      'nothing, where something else was meant',
      [said('affected', 'pkg:npm/b@1'), said('affected', 'pkg:npm/a@2')],
      'pkg:npm/a@1',
      [],
    ],
    ['nothing of another vulnerability', [said('affected', 'pkg:npm/a@1', early, 'CVE-2026-2')], 'pkg:npm/a@1', []],
    [
      'the later of two',
      [said('affected', 'pkg:npm/a@1', late), said('fixed', 'pkg:npm/a@1', early)],
      'pkg:npm/a@1',
      ['affected'],
    ],
    [
      'the one below, of two of the same time',
      [said('affected', 'pkg:npm/a@1'), said('fixed', 'pkg:npm/a@1')],
      'pkg:npm/a@1',
      ['fixed'],
    ],
    ['what was said of every version', [said('affected', 'pkg:npm/a')], 'pkg:npm/a@1', ['affected']],
    ['what was said of one version, of every version', [said('affected', 'pkg:npm/a@1')], 'pkg:npm/a', ['affected']],
    [
      'each of what was said of parts',
      [said('affected', 'pkg:npm/a@1', early), said('fixed', 'pkg:npm/a@2', middle)],
      'pkg:npm/a',
      ['fixed', 'affected'],
    ],
    [
      'what overrules all parts',
      [said('affected', 'pkg:npm/a@1', early), said('under_investigation', 'pkg:npm/a', late)],
      'pkg:npm/a@1',
      ['under_investigation'],
    ],
    [
      'what was said later of a part, and not before of more',
      [said('affected', 'pkg:npm/a', early), said('fixed', 'pkg:npm/a@1', late)],
      'pkg:npm/a@1',
      ['fixed'],
    ],
    ['what may be about the same', [said('affected', 'pkg:deb/d/a?arch=x')], 'pkg:deb/d/a@1', ['affected']],
    [
      'what was said of a component in it',
      [said('affected', inside('pkg:oci/app', 'pkg:npm/a@1'))],
      'pkg:oci/app@1',
      ['affected'],
    ],
    [
      'what was said of all of it',
      [said('affected', 'pkg:oci/app')],
      inside('pkg:oci/app@1', 'pkg:npm/a'),
      ['affected'],
    ],
    [
      'nothing of another component in it',
      [said('affected', inside('pkg:oci/app', 'pkg:npm/a'))],
      inside('pkg:oci/app', 'pkg:npm/b'),
      [],
    ],
    [
      'nothing of another version of a component in it',
      [said('affected', inside('pkg:oci/app', 'pkg:npm/a@1'))],
      inside('pkg:oci/app', 'pkg:npm/a@2'),
      [],
    ],
    ['what was said of the same text', [said('affected', 'urn:x')], 'urn:x', ['affected']],
    ['nothing of another text', [said('affected', 'urn:x')], 'urn:y', []],
  ])('is %s', (_what, statements, about, expected) => {
    expect(standing(statements, about)).toEqual(expected);
  });

  test('is what counts for any of several products', () => {
    const statements = [said('affected', 'pkg:npm/a', early), said('fixed', 'pkg:npm/a@1', late)];
    const about = { ...said('fixed', 'pkg:npm/a@1'), products: [{ id: 'pkg:npm/a@1' }, { id: 'pkg:npm/a@2' }] };
    expect(standingStatements({ statements }, about).map(({ status }) => status)).toEqual(['fixed', 'affected']);
  });

  test('is found by any name of the vulnerability', () => {
    const statement = {
      ...said('affected', 'pkg:npm/a@1'),
      vulnerability: { name: 'GHSA-1', aliases: ['cve-2026-1'] },
    };
    expect(standing([statement], 'pkg:npm/a@1')).toEqual(['affected']);
  });
});

describe('a statement that is added', () => {
  const document = (statements: readonly VexStatement[], more: object = {}) => {
    const model = {
      shape: 'openvex' as const,
      author: 'Dana',
      timestamp: '2026-11-01T00:00:00Z',
      version: 1,
      statements,
    };
    const json: JsonObject = { ...writeVexDocument(model, { profile: 'openvex' }).document, ...more };
    const read = readVexDocument(new TextEncoder().encode(JSON.stringify(json)));
    if (!read.ok) throw new Error(JSON.stringify(read.issues));
    return { document: read.value, json };
  };
  const codeOf = (work: () => unknown) => {
    try {
      work();
      return undefined;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test('leaves everything that was written as it was written', () => {
    const first = { ...said('under_investigation', 'pkg:npm/a@1'), status_notes: 'looking' };
    const before = document([first], { extra: { a: [1] } });
    const { json, statement } = addStatement(before, said('affected', 'pkg:npm/a@1', NOW), {});
    expect((json['statements'] as unknown[])[0]).toBe((before.json['statements'] as unknown[])[0]);
    const { statements: _, ...rest } = before.json;
    expect(json).toEqual({ ...rest, version: 2, last_updated: NOW, statements: expect.anything() });
    expect(Object.keys(json).slice(0, 6)).toEqual([
      '@context',
      '@id',
      'author',
      'timestamp',
      'last_updated',
      'version',
    ]);
    expect(statement.timestamp).toBe(NOW);
  });

  test('keeps the time of the document, which older statements inherit', () => {
    const before = document([]);
    const inheriting = {
      vulnerability: { name: 'CVE-2026-1' },
      products: [{ '@id': 'pkg:npm/a@1' }],
      status: 'under_investigation',
    };
    const json = { ...before.json, statements: [inheriting] };
    const read = readVexDocument(new TextEncoder().encode(JSON.stringify(json)));
    const added = addStatement(
      { json, document: read.ok ? read.value : before.document },
      said('affected', 'pkg:npm/a@1', NOW),
      {},
    );
    expect(added.json['timestamp']).toBe('2026-11-01T00:00:00Z');
    expect(added.from.map(({ status }) => status)).toEqual(['under_investigation']);
  });

  test.each([
    ['2026-11-21T12:00:00Z', '2026-11-21T12:00:00.001Z'],
    ['2026-11-21T12:00:00.5Z', '2026-11-21T12:00:00.501Z'],
    ['2026-11-21T11:59:59Z', NOW],
  ])('after one of %s is of %s', (before, expected) => {
    const { statement, json } = addStatement(
      document([said('under_investigation', 'pkg:npm/a@1', before)]),
      said('affected', 'pkg:npm/a@1', NOW),
      {},
    );
    expect(statement.timestamp).toBe(expected);
    expect(json['last_updated']).toBe(expected);
  });

  test('has to be later than the one that counts', () => {
    const future = document([said('under_investigation', 'pkg:npm/a@1', '2026-11-21T12:00:01Z')]);
    expect(codeOf(() => addStatement(future, said('affected', 'pkg:npm/a@1', NOW), {}))).toBe(
      'vex.statement_not_later',
    );
  });

  test('has to be allowed after everything that stands', () => {
    const parts = document([said('under_investigation', 'pkg:npm/a@1'), said('affected', 'pkg:npm/a@2')]);
    expect(codeOf(() => addStatement(parts, said('not_affected', 'pkg:npm/a@1', NOW), {}))).toBeUndefined();
    expect(codeOf(() => addStatement(parts, said('not_affected', 'pkg:npm/a', NOW), {}))).toBe(
      'vex.transition_refused',
    );
    const proof = { isProven: true as const, evidence: [] };
    expect(codeOf(() => addStatement(parts, said('fixed', 'pkg:npm/a', NOW), {}))).toBe('vex.transition_proof_missing');
    expect(codeOf(() => addStatement(parts, said('fixed', 'pkg:npm/a', NOW), { proof }))).toBeUndefined();
  });

  test.each<[string, object]>([
    ['an older version', { '@context': 'https://openvex.dev/ns/v0.0.1' }],
    ['no context', { '@context': undefined }],
    [
      "the contract's own shape",
      { statements: [{ vulnerability: { id: 'CVE-2026-1' }, components: [], status: 'fixed' }] },
    ],
    ['no list', { statements: {} }],
  ])('goes into no document of %s', (_what, change) => {
    const { json, document: read } = document([]);
    expect(
      codeOf(() =>
        addStatement(
          { document: read, json: { ...json, ...change } as JsonObject },
          said('affected', 'pkg:npm/a@1', NOW),
          {},
        ),
      ),
    ).toBe('vex.not_openvex');
  });

  test('keeps a member that is called as an object’s own', () => {
    const { json, document: read } = document([]);
    const odd = JSON.parse(`{"__proto__": {"polluted": true}, ${JSON.stringify(json).slice(1)}`) as JsonObject;
    const added = addStatement({ document: read, json: odd }, said('affected', 'pkg:npm/a@1', NOW), {}).json;
    expect(Object.hasOwn(added, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((added as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('is what stands then, whatever was said before', () => {
    const statuses = fc.constantFrom<VexStatus>('under_investigation', 'affected', 'not_affected', 'fixed');
    const products = fc.constantFrom('pkg:npm/a', 'pkg:npm/a@1', 'pkg:npm/a@2', 'pkg:npm/b@1');
    const before = fc.array(
      fc
        .tuple(statuses, products, fc.integer({ min: 1, max: 20 }))
        .map(([status, product, day]) => said(status, product, `2026-11-${String(day).padStart(2, '0')}T00:00:00Z`)),
      { maxLength: 6 },
    );
    const context = { reason: 'x', proof: { isProven: true as const, evidence: [] } };
    fc.assert(
      fc.property(before, statuses, products, (statements, status, product) => {
        const next = said(status, product, NOW);
        let json: JsonObject;
        try {
          json = addStatement(document(statements), next, context).json;
        } catch (error) {
          expect((error as { code: string }).code).toBe('vex.transition_refused');
          return;
        }
        const read = readVexDocument(new TextEncoder().encode(JSON.stringify(json)));
        expect(read.ok && standingStatements(read.value, next).map((one) => one.status)).toEqual([status]);
      }),
    );
  });
});
