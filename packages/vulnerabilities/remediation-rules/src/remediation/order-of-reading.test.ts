import type { Finding, RemediationRecord } from '@colophon/records';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BY,
  CLOSED_AT,
  codesOf,
  digestOf,
  done,
  findingOf,
  LOG4J,
  openAll,
  proofOf,
  rescanOf,
  scanOf,
} from '../../test/remediation-story.ts';
import { ListingCheck } from '../report/check-listings.ts';
import { parsePeriod } from '../report/period.ts';
import { reportDetails } from '../report/report-details.ts';
import { closeRecord } from './close-record.ts';
import { parseRemediationRecord } from './parse-remediation-record.ts';
import { DEFAULT_REMEDIATION_POLICY } from './remediation-policy.ts';
import type { KeptScan } from './sighting.ts';

const [ONE, TWO] = ['CVE-2026-70001', 'CVE-2026-70002'];
const [GHSA, EUVD] = ['GHSA-aaaa-bbbb-cccc', 'EUVD-2026-700'];
const named = (id: string, ...aliases: string[]): Finding => findingOf({ id, aliases, cvss: { score: 9.5 } });

/** What each scanner knows of one advisory: nothing but its own name, a name more, a CVE, or both CVEs. */
const KNOWLEDGE: readonly (readonly Finding[])[] = [
  [named(GHSA)],
  [named(EUVD)],
  [named(GHSA, EUVD)],
  [named(ONE)],
  [named(ONE, GHSA)],
  [named(ONE, GHSA, EUVD)],
];
const BOTH = [named(ONE, GHSA), named(TWO, GHSA)];
/** Each opens every scan twice and closes every record with each scanner: a hundred take ten seconds. */
const RUNS = 30;
const SCANNERS = ['grype', 'osv-scanner', 'snyk', 'trivy'];

const HOURS = ['05', '06', '07', '08'];
function scanBy(number: number, findings: readonly Finding[]): KeptScan {
  return scanOf(
    {
      scanner: { name: SCANNERS[number]!, databaseBuiltAt: '2026-11-01T00:00:00Z' },
      scannedAt: `2026-11-02T${HOURS[number]}:00:00Z`,
      findings: [...findings],
    },
    digestOf(String(number)),
  );
}

/** Opens scans one after the other, and gives every record as it is kept then. */
function opened(scans: readonly KeptScan[]): readonly RemediationRecord[] {
  const records = new Map<string, RemediationRecord>();
  for (const scan of scans) {
    const opening = done(openAll({ scan, known: [...records.values()], exploited: [ONE], at: '2026-11-02T08:00:00Z' }));
    for (const record of Object.values(opening).flat()) records.set(record.id, record);
  }
  return [...records.values()];
}

const openOf = (records: readonly RemediationRecord[]) => records.filter(({ state }) => state === 'open');
const silent = (by: string) =>
  rescanOf({ scanner: { name: by, databaseBuiltAt: '2026-11-09T00:00:00Z' }, findings: [] });

/** Everything that people ask of the records, without what only says in which order they were made. */
function answersOf(records: readonly RemediationRecord[], scans: readonly KeptScan[]) {
  const open = openOf(records);
  const period = parsePeriod('2026-Q4');
  const read = period.ok ? reportDetails(records, { period: period.value, asOf: '2026-11-20' }) : expect.fail();
  const details = read.ok ? read.value : expect.fail();
  const listings = new ListingCheck(records);
  for (const scan of scans) listings.add(scan);
  return {
    open: open
      .map(({ cve, aliases, discovered_at, cisa_kev, remediation_priority, sightings }) => ({
        cve,
        aliases,
        discovered_at,
        cisa_kev,
        remediation_priority,
        scanners: sightings.map(({ scanner }) => scanner),
      }))
      .sort((a, b) => (a.cve < b.cve ? -1 : 1)),
    closings: SCANNERS.map((scanner) =>
      open
        .map((record) => {
          const proof = proofOf({ scans: [silent(scanner)] });
          const context = { at: CLOSED_AT, by: BY, policy: DEFAULT_REMEDIATION_POLICY, others: records, evidence: [] };
          return `${record.cve} ${codesOf(closeRecord(record, proof, context))}`;
        })
        .sort(),
    ),
    counted: details.cves.map(({ cve, stated, isExploited, discovered, outcome }) => [
      cve,
      stated,
      isExploited,
      discovered,
      outcome,
    ]),
    differences: listings.differences(),
  };
}

const fewScans = fc
  .array(fc.constantFrom(...KNOWLEDGE), { minLength: 1, maxLength: SCANNERS.length })
  .chain((all) => fc.boolean().map((hasBoth) => (hasBoth ? [...all.slice(0, SCANNERS.length - 1), BOTH] : all)));

test('the order in which scans and records are read changes nothing that is open, closed, counted or verified', () => {
  const orders = fewScans.chain((all) => {
    const scans = all.map((findings, number) => scanBy(number, findings));
    return fc.tuple(fc.constant(scans), fc.shuffledSubarray(scans, { minLength: scans.length }), fc.nat());
  });
  fc.assert(
    fc.property(orders, ([scans, shuffled, seed]) => {
      const first = opened(scans);
      const second = opened(shuffled);
      const expected = answersOf(first, scans);
      expect(answersOf(second, shuffled)).toEqual(expected);
      expect(expected.differences).toEqual([]);
      const turned = second.map((_, index) => second[(index + seed) % second.length]!);
      expect(answersOf(turned, scans)).toEqual(expected);
      for (const record of [...first, ...second]) {
        expect(parseRemediationRecord(JSON.parse(JSON.stringify(record)))).toEqual({ ok: true, value: record });
      }
    }),
    { numRuns: RUNS },
  );
});

test('reading everything once more changes nothing', () => {
  fc.assert(
    fc.property(fewScans, (all) => {
      const scans = all.map((findings, number) => scanBy(number, findings));
      const records = opened(scans);
      for (const scan of scans) {
        const {
          opened: more,
          reopened,
          updated,
        } = done(openAll({ scan, known: records, exploited: [ONE], at: '2026-11-02T09:00:00Z' }));
        expect([more, reopened, updated]).toEqual([[], [], []]);
      }
    }),
    { numRuns: RUNS },
  );
});

test('of the names of one advisory none is left alone, and none of two CVEs takes the name of the other', () => {
  fc.assert(
    fc.property(fewScans, (all) => {
      const open = openOf(opened(all.map((findings, number) => scanBy(number, findings))));
      expect(new Set(open.map(({ cve }) => cve)).size).toBe(open.length);
      for (const { cve, aliases, component } of open) {
        expect(component).toBe(LOG4J.name);
        expect(aliases).not.toContain(cve === ONE ? TWO : ONE);
      }
    }),
    { numRuns: RUNS },
  );
});
