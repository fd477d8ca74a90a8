import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readVexDocument, type VexDocument, validateVexDocument, writeVexDocument } from '../src/index.ts';

/** Collected documents of vendors and standards; not part of this repository. */
const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data');
const AT = '2026-11-21T12:00:00Z';

const filesIn = (folder: string): string[] => {
  const path = join(DATA, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));
};
const bytesOf = (file: string) => readFileSync(join(DATA, file));
const jsonOf = (file: string) => JSON.parse(bytesOf(file).toString());
const written = (value: unknown) => Buffer.from(JSON.stringify(value));
const read = (bytes: Uint8Array): VexDocument => {
  const result = readVexDocument(bytes);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
};

/** As `toEqual`, whose search for the difference takes seconds on thousands of statements. */
function expectSame(file: string, actual: unknown, expected: unknown): void {
  expect([file, isDeepStrictEqual(JSON.parse(JSON.stringify(actual)), JSON.parse(JSON.stringify(expected)))]).toEqual([
    file,
    true,
  ]);
}

/** The lists of CSAF that say something of a product, counted without a reader: one for each pair of id and status. */
const CSAF_STATUSES: Readonly<Record<string, string>> = {
  known_not_affected: 'not_affected',
  known_affected: 'affected',
  first_affected: 'affected',
  last_affected: 'affected',
  fixed: 'fixed',
  first_fixed: 'fixed',
  under_investigation: 'under_investigation',
};
const CDX_STATES = /^(?:not_affected|exploitable|resolved|resolved_with_pedigree|in_triage|false_positive)$/;

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape, looked into without a reader
type Json = { readonly [name: string]: any };
const productStatements = ({ statements }: VexDocument): number =>
  statements.reduce(
    (sum, { products }) => sum + products.reduce((all, one) => all + (one.subcomponents?.length ?? 1), 0),
    0,
  );

describe.each(['openvex', 'openvex-vendor', 'cdx-vex', 'csaf-vex'])('every document of %s', (folder) => {
  const files = filesIn(folder);

  test.skipIf(files.length === 0)('is read with all its statements, or refused for what it is', () => {
    const refused: string[] = [];
    for (const file of files) {
      const result = readVexDocument(bytesOf(file));
      if (!result.ok) {
        expect([file, result.issues.every(({ code }) => code.startsWith('vex.'))]).toEqual([file, true]);
        refused.push(...result.issues.slice(0, 1).map(({ code }) => code));
        continue;
      }
      const json: Json = jsonOf(file);
      const { shape, statements } = result.value;
      if (shape === 'cyclonedx') {
        const analysed = json['vulnerabilities'].filter((one: Json) => CDX_STATES.test(one['analysis']?.state));
        expect([file, statements.length]).toEqual([file, analysed.length]);
      } else if (shape === 'csaf') {
        const pairs = (json['vulnerabilities'] ?? []).flatMap((one: Json, at: number) =>
          Object.entries(one['product_status'] ?? {}).flatMap(([list, ids]) =>
            CSAF_STATUSES[list] === undefined
              ? []
              : (ids as string[]).map((id) => `${at} ${CSAF_STATUSES[list]} ${id}`),
          ),
        );
        expect([file, productStatements(result.value)]).toEqual([file, new Set(pairs).size]);
      } else {
        expect([file, statements.length]).toEqual([file, json['statements'].length]);
      }
    }
    expect(new Set(refused).size).toBeLessThanOrEqual(3);
  });

  // A test for each document, so that what one takes does not grow with their number.
  describe.skipIf(files.length === 0)(
    'is the same when it went through CycloneDX, and through OpenVEX but for its losses',
    () => {
      test.each(files)('%s', (file) => {
        const result = readVexDocument(bytesOf(file));
        if (!result.ok) return;
        const cyclonedx = read(written(writeVexDocument(result.value, { profile: 'cyclonedx' }).document));
        expectSame(file, cyclonedx.statements, result.value.statements);
        const { document, losses } = writeVexDocument(result.value, { profile: 'openvex', at: AT });
        const back = read(written(document));
        expect([file, back.statements.length]).toEqual([file, result.value.statements.length]);
        const again = writeVexDocument(back, { profile: 'openvex' });
        expectSame(file, again, { document, losses: [] });
        const statuses = (one: VexDocument) =>
          one.statements.map(({ status, timestamp, vulnerability }) => [status, timestamp, vulnerability]);
        expectSame(file, statuses(back), statuses(result.value));
        if (losses.length === 0) expectSame(file, withIds(back), withIds(result.value));
      });
    },
  );
});

/** A package URL alone gets an `@id`, in which some scanners look for it. */
function withIds({ statements }: VexDocument): unknown {
  return statements.map((one) => ({
    ...one,
    products: one.products.map((product) => ({ id: product.purl, ...product })),
  }));
}

describe('vendors’ documents', () => {
  const files = filesIn('openvex-vendor').filter(
    (file) => !bytesOf(file).toString('latin1', 0, 30).includes('git-lfs'),
  );

  test.skipIf(files.length === 0)('hold more than 20,000 statements', () => {
    expect(files.reduce((sum, file) => sum + jsonOf(file)['statements'].length, 0)).toBeGreaterThan(20_000);
  });

  describe.skipIf(files.length === 0)(
    'are valid, and say every member of every statement after they were read and written',
    () => {
      test.each(files)('%s', (file) => {
        const report = validateVexDocument(bytesOf(file), { profile: 'openvex', at: AT });
        expect([file, report.valid]).toEqual([file, true]);
        expect(report.document).not.toHaveProperty('notes');
        const before: Json = jsonOf(file);
        const { document, losses } = writeVexDocument(report.document!, { profile: 'openvex' });
        expect(losses).toEqual([]);
        const inherited = (json: Json) => ({
          ...json,
          // Times are moments: an offset is written as UTC.
          timestamp: moment(json['timestamp']),
          ...(json['last_updated'] && { last_updated: moment(json['last_updated']) }),
          statements: json['statements'].map((one: Json) => ({
            ...one,
            timestamp: moment(one['timestamp'] ?? json['timestamp']),
          })),
        });
        expectSame(file, inherited(document as Json), inherited(before));
      });
    },
  );
});

/** Seconds since 1970, and the digits behind them. */
function moment(text: string): string {
  return `${new Date(text.replace(/\.\d+/, '')).getTime()}${/\.(\d*?)0*(?=[Z+-])/.exec(text)?.[1] ?? ''}`;
}
