// A quarter's report out of 50,000 records: from the rows of the database, which is where they are kept, and from the bytes of a
// file of strangers, which is read strictly, to the bytes of the report; and then its pages. Beside JSON.parse of the same file,
// and a tenth of the records, in the same run; CPU time. Records are generated: each with a
// history and evidence, four of five closed.
import { parseArgs } from 'node:util';
import { parseStrictJson } from '@colophon/json';
import type { RemediationRecord } from '@colophon/records';
import {
  countReport,
  formatRecords,
  formatReport,
  ListingCheck,
  parsePeriod,
  parseRemediationRecord,
  reportDetails,
  reportFiles,
  reportNotes,
  reportPages,
  withComputedFields,
} from '@colophon/remediation-rules';
import { median } from './measure/measure.ts';
import { doing } from './measure/progress.ts';

const MOST_MS = 3_000;
const RECORDS = 50_000;
/** Ten times the records may take so many times as long: linear, and something for the garbage collector. */
const MOST_GROWTH = 13;
const ROUNDS = 5;
const BYTES = { maxBytes: 512 * 1024 * 1024, maxDepth: 32 };

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'unknown'] as const;
const COMPONENTS = ['log4j-core', 'lodash', 'openssl', 'netty-codec-http', 'libxml2', 'requests', 'jackson-databind'];
const FIRST_DAY = Date.UTC(2026, 7, 1);
const day = (after: number) => new Date(FIRST_DAY + after * 86_400_000).toISOString().slice(0, 10);
const digest = (number: number) => `sha256:${number.toString(16).padStart(64, '0')}`;

/** The n-th record: two components have each CVE, some were discovered before the quarter, one in five is open. */
function generatedRecord(n: number): RemediationRecord {
  const discovered = (n * 7) % 150;
  const isOpen = n % 5 === 0;
  const date_deployed = isOpen ? null : day(discovered + (n % 40));
  const sbom = { digest: digest(1), serial_number: null, version: 1, timestamp: null, artifact_version: '2.3.0' };
  const opened = {
    vex_status: 'under_investigation',
    owner: 'dana@example.com',
    tracking_id: `SEC-${n}`,
    state: 'open',
  };
  const fields = {
    cve: `CVE-2026-${10_000 + Math.floor(n / 2)}`,
    current_version: `1.${n % 10}.0`,
    decision: 'patch' as const,
    vex_status: isOpen ? ('affected' as const) : ('fixed' as const),
    owner: opened.owner,
    tracking_id: opened.tracking_id,
    date_deployed,
    deployed_at: date_deployed && `${date_deployed}T18:00:00Z`,
    cisa_kev: n % 20 === 0,
    severity: SEVERITIES[n % 5]!,
    cvss_score: 7.5,
    remediation_priority: 'high' as const,
    due_at: `${day(discovered + 14)}T08:00:00Z`,
    state: isOpen ? ('open' as const) : ('closed' as const),
    closed_at: date_deployed && `${date_deployed}T20:00:00Z`,
  };
  const changes = Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, [null, (opened as Record<string, unknown>)[name] ?? value] as const]),
  );
  const at = `${day(discovered)}T08:00:00Z`;
  const settled = isOpen
    ? { vex_status: ['under_investigation', 'affected'] as const }
    : { vex_status: ['under_investigation', 'fixed'] as const, state: ['open', 'closed'] as const };
  return withComputedFields(
    {
      ...fields,
      component: COMPONENTS[n % COMPONENTS.length]!,
      patch_version: null,
      estimated_patch_date: null,
      date_discovered: day(discovered),
      date_patched: null,
      id: n.toString(16).padStart(32, '0'),
      product: 'shop',
      purl: `pkg:maven/com.example/${COMPONENTS[n % COMPONENTS.length]}@1.${n % 10}.0`,
      aliases: [`GHSA-${n}`],
      discovered_at: at,
      scanner: 'grype',
      fixed_in_versions: ['9.9.9'],
      sightings: [],
      resolution: isOpen ? null : { kind: 'rescan', sbom, scans: [] },
      closing_signature: null,
      evidence: [
        { kind: 'sbom', digest: digest(1), name: 'shop-2.3.0.cdx.json' },
        { kind: 'scan', digest: digest(2 + (n % 50)), name: `scan-${n % 50}.json` },
      ],
      history: [
        { at, by: 'colophon', action: 'opened', changes },
        { at: fields.closed_at ?? at, by: 'dana@example.com', action: isOpen ? 'updated' : 'closed', changes: settled },
      ],
    },
    fields.closed_at ?? at,
  );
}

/** CPU time of the whole process, which other work on the machine changes less than the clock. */
function timed<T>(work: () => T): readonly [T, milliseconds: number] {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1000];
}

/** What a file holds, read as anybody's. */
function valuesOf(bytes: Uint8Array): readonly unknown[] {
  const parsed = parseStrictJson(bytes, BYTES);
  if (!parsed.ok) throw new Error(parsed.issues[0]!.message);
  return parsed.value as unknown[];
}

/** From what was read to the text of the report. */
function report(values: readonly unknown[]) {
  const records = values.map((value) => {
    const record = parseRemediationRecord(value);
    if (!record.ok) throw new Error(JSON.stringify(record.issues[0]));
    return record.value;
  });
  const period = parsePeriod('2026-Q4');
  const details = period.ok ? reportDetails(records, { period: period.value, asOf: '2026-12-31' }) : period;
  if (!details.ok) throw new Error(details.issues[0]!.message);
  const files = reportFiles(details.value);
  const made = countReport(details.value, files.artifacts);
  const listings = new ListingCheck(details.value.records);
  const notes = reportNotes({
    details: details.value,
    uncounted: [],
    closings: [],
    listings,
    catalog: undefined,
    inputs: [],
  });
  return { details: details.value, files, made, notes, text: formatReport(made) };
}

function measured(count: number) {
  doing(`${count} records`);
  const records = Array.from({ length: count }, (_, n) => generatedRecord(n));
  const bytes = new TextEncoder().encode(formatRecords(records));
  const rows = records.map((record) => JSON.stringify(record));
  const rounds = Array.from({ length: ROUNDS }, () => {
    const [, parseMs] = timed(() => JSON.parse(Buffer.from(bytes).toString()) as unknown);
    const [, fileMs] = timed(() => report(valuesOf(bytes)));
    const [{ details, files, made, notes }, reportMs] = timed(() =>
      report(rows.map((row) => JSON.parse(row) as unknown)),
    );
    const [pages, pagesMs] = timed(() => {
      let [number, size] = [0, 0];
      for (const { content } of reportPages(made, details, files.evidence, notes, '0.0.0')) {
        number += 1;
        size += content.length;
      }
      return { number, size };
    });
    return { parseMs, fileMs, reportMs, pagesMs, pages };
  });
  const of = (pick: (round: (typeof rounds)[number]) => number) => Math.round(median(rounds.map(pick)));
  return {
    records: count,
    MB: Math.round(bytes.length / 1e6),
    'JSON.parse ms': of(({ parseMs }) => parseMs),
    'report ms': of(({ reportMs }) => reportMs),
    'from a file ms': of(({ fileMs }) => fileMs),
    ratio: Number((of(({ reportMs }) => reportMs) / of(({ parseMs }) => parseMs)).toFixed(1)),
    'pages ms': of(({ pagesMs }) => pagesMs),
    pages: rounds[0]!.pages.number,
    'pages MB': Math.round(rounds[0]!.pages.size / 1e6),
  };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { records: { type: 'string', default: String(RECORDS) } }, strict: false });
  const count = Number(values.records);
  if (!Number.isSafeInteger(count) || count < 10 || count > 200_000) throw new TypeError('--records: 10 to 200000');
  const [few, many] = [measured(count / 10), measured(count)];
  console.table([few, many]);
  const growth = many['report ms'] / few['report ms'];
  const isMet = count > RECORDS || Math.max(many['report ms'], many['from a file ms']) < MOST_MS;
  console.log(
    `a report out of ${count} records, from either: the aim is less than ${MOST_MS} ms for ${RECORDS}: ${isMet ? 'met' : 'not met'}`,
  );
  console.log(`ten times the records took ${growth.toFixed(1)} times as long; the aim is ${MOST_GROWTH} at most`);
  if (!isMet) process.exitCode = 1;
}
