import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readScannerOutput } from '../src/index.ts';

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data');

// biome-ignore lint/suspicious/noExplicitAny: whatever stands in the file, counted without any of the code under test
type Any = any;

const list = (value: Any): Any[] => (Array.isArray(value) ? value : []);
const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0);
const distinct = (values: Any[]) => new Set(values.map((value) => JSON.stringify(value))).size;

const trivyResults = (results: Any) =>
  sum(
    list(results).map(
      (result) =>
        list(result.Vulnerabilities).length +
        list(result.ExperimentalModifiedFindings).filter(({ Type }) => Type === 'vulnerability').length,
    ),
  );

/** By folder: how many vulnerabilities a file lists, however it does. */
const COUNTS: Readonly<Record<string, (root: Any) => number>> = {
  'scan-grype': (root) => list(root.matches).length + list(root.ignoredMatches).length,
  'scan-trivy': (root) =>
    Array.isArray(root)
      ? trivyResults(root)
      : trivyResults(root.Results) +
        sum([...list(root.Resources), ...list(root.Vulnerabilities)].map(({ Results }) => trivyResults(Results))),
  'scan-osv': (root) =>
    sum(list(root.results).flatMap(({ packages }) => list(packages).map(({ groups }) => list(groups).length))),
  'scan-npm-audit': (root) =>
    root.auditReportVersion === undefined
      ? sum(
          Object.values<Any>(root.advisories).map(({ findings }) => distinct(findings.map((one: Any) => one.version))),
        )
      : sum(Object.values<Any>(root.vulnerabilities).map(({ via }) => via.filter((one: Any) => one.source).length)),
  'scan-pip-audit': (root) =>
    sum(list(Array.isArray(root) ? root : root.dependencies).map(({ vulns }) => list(vulns).length)),
  'scan-cargo-audit': (root) => root.vulnerabilities.count,
  'scan-govulncheck': (root) => {
    if (root.runs !== undefined) return sum(root.runs.map(({ results }: Any) => results.length));
    if (!Array.isArray(root)) return distinct(list(root.Vulns).map(({ OSV, ModPath }) => [OSV.id, ModPath]));
    return distinct(root.flatMap(({ finding }) => (finding ? [[finding.osv, finding.trace[0].module]] : [])));
  },
  'scan-snyk': (root) =>
    sum(
      (Array.isArray(root) ? root : [root]).map(
        ({ vulnerabilities }) => list(vulnerabilities).filter(({ type }) => type !== 'license').length,
      ),
    ),
  'scan-dependency-track': (root) => list(root.findings).length,
  'scan-kev-mixed': (root) =>
    root.jsonapi
      ? root.data.length
      : sum(list(root.vulnerabilities).map(({ affects }) => Math.max(1, list(affects).length))),
};

/** What is refused, and why; everything else is read. */
const REFUSED: ReadonlyArray<readonly [name: RegExp, code: string]> = [
  [/osv_scanner__no_findings\.json$/, 'scan.empty'],
  [/trivy__legacy_no_vuln\.json$/, 'scan.null_document'],
  [/snykcode.*\.json$/, 'scan.not_a_scan'],
  [/(?:aqua|retirejs|wizcli)_.*\.json$/, 'scan.unknown_format'],
];

/** Without an id, without a component: each of them is named in `unread`. */
const LOST = new Set(['scan.entry_invalid', 'scan.id_missing', 'scan.component_missing']);

const FILES = Object.keys(COUNTS)
  .filter((folder) => existsSync(join(DATA, folder)))
  .flatMap((folder) => readdirSync(join(DATA, folder)).map((name) => [folder, name] as const));

describe.skipIf(FILES.length === 0)('real outputs', () => {
  test.each(FILES)('%s/%s', (folder, name) => {
    const bytes = readFileSync(join(DATA, folder, name));
    const result = readScannerOutput(bytes);
    const refusal = REFUSED.find(([pattern]) => pattern.test(name));
    if (refusal !== undefined) {
      expect(result).toMatchObject({ ok: false, issues: [{ code: refusal[1] }] });
      return;
    }
    expect(result.ok ? [] : result.issues).toEqual([]);
    const readings = result.ok ? result.value : [];
    const lost = readings.flatMap(({ unread }) => unread.filter(({ code }) => LOST.has(code)));
    const reported = sum(readings.map((reading) => reading.reported.length));
    expect(reported + sum(lost.map(({ count = 1 }) => count))).toBe(
      COUNTS[folder]?.(JSON.parse(bytes.toString('utf8'))),
    );
  });

  test('hold their vulnerabilities, nearly all of them with a package URL', () => {
    const reported = FILES.flatMap(([folder, name]) => {
      const result = readScannerOutput(readFileSync(join(DATA, folder, name)));
      return result.ok ? result.value.flatMap((reading) => reading.reported) : [];
    });
    expect(reported.length).toBeGreaterThan(3500);
    const withPurl = reported.filter(({ component }) => component.purl !== undefined);
    expect(withPurl.length / reported.length).toBeGreaterThan(0.99);
    expect(withPurl.filter(({ component }) => !/^pkg:[a-z]+\/[^/ ]/.test(component.purl ?? ''))).toEqual([]);
    // Every score says something, and no vector is lost to a score of 0.
    const scores = reported.flatMap((one) => one.scores);
    expect(scores.filter(({ vector, score }) => vector === undefined && !(score ?? 0))).toEqual([]);
  });
});
