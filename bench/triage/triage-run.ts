// One import in a process of its own: `triage-run.ts FOLDER CATALOG`. Prints one line of JSON.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { combinedFindings, enrichFindings, parseCatalog } from '@colophon/findings';
import { readScans } from '../../packages/program/cli/src/scan-file/scan-file.ts';

/** What an import needed, wall clock. */
export type Needed = {
  readonly readMs: number;
  readonly mergeMs: number;
  readonly enrichMs: number;
  readonly totalMs: number;
  /** Of all threads, from the first file to the last finding: on a machine with other work the wall clock says little. */
  readonly cpuMs: number;
  readonly entries: number;
  readonly findings: number;
  /** Looked up one by one. */
  readonly lookupNanos: number;
  readonly maxRssBytes: number;
};

const [folder = '', catalogFile = ''] = process.argv.slice(2);
const parsed = parseCatalog(readFileSync(catalogFile));
if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues[0]));
const catalog = parsed.value;
const files = readdirSync(folder)
  .map((name) => join(folder, name))
  .sort();

const cpuBefore = process.cpuUsage();
const started = performance.now();
const scans = await readScans(files, { at: '2026-11-21T12:00:00Z' });
const read = performance.now();
const { findings } = combinedFindings(scans);
const merged = performance.now();
const enriched = enrichFindings(findings, catalog, { at: '2026-11-21T12:00:00Z' });
const done = performance.now();
const { user, system } = process.cpuUsage(cpuBefore);

let hits = 0;
const ids = enriched.map(({ id }) => id);
const before = performance.now();
for (const id of ids) if (catalog.entries.has(id)) hits++;
const lookupNanos = ((performance.now() - before) * 1e6) / ids.length;
if (hits === 0) throw new Error('no finding is in the catalog');

const needed: Needed = {
  readMs: read - started,
  mergeMs: merged - read,
  enrichMs: done - merged,
  totalMs: done - started,
  cpuMs: (user + system) / 1000,
  entries: scans.reduce((sum, scan) => sum + scan.findings.reduce((all, one) => all + one.reportedBy.length, 0), 0),
  findings: enriched.length,
  lookupNanos,
  maxRssBytes: process.resourceUsage().maxRSS * 1024,
};
console.log(JSON.stringify(needed));
