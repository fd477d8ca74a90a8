// From scanners' outputs to prioritised findings: grype's and trivy's shapes, entries as large as real ones, read from
// files, merged, compared with a known-exploited catalog, each import in a process of its own. `--full` does a million
// findings too.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { doing } from './measure/progress.ts';
import { makeScratchFolder } from './measure/scratch-folder.ts';
import { generatedCatalog, writeOutputs } from './triage/generated-outputs.ts';
import type { Needed } from './triage/triage-run.ts';

/** For 100,000 findings. */
const MOST_MS = 5_000;
const MOST_BYTES = 1024 ** 3;
/** Ten times the findings may take so many times as long: linear, and something for the garbage collector. */
const MOST_GROWTH = 13;
const PER_FILE = 1_000;

type Case = { readonly name: string; readonly findings: number; readonly perFile: number };

function run(folder: string, catalog: string): Needed {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'triage', 'triage-run.ts'), folder, catalog],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Needed;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { full: { type: 'boolean', default: false } },
    strict: false,
  });
  const folder = makeScratchFolder('triage');
  try {
    const catalog = join(folder, 'catalog.json');
    writeFileSync(catalog, JSON.stringify(generatedCatalog()));
    const cases: Case[] = [
      { name: '10,000', findings: 10_000, perFile: PER_FILE },
      { name: '100,000', findings: 100_000, perFile: PER_FILE },
      { name: '100,000 in one output', findings: 100_000, perFile: 100_000 },
      ...(values['full'] ? [{ name: '1,000,000', findings: 1_000_000, perFile: PER_FILE }] : []),
    ];
    const took = new Map<number, number>();
    const rows = cases.map(({ name, findings, perFile }) => {
      const outputs = join(folder, name.replaceAll(/\W+/g, '-'));
      doing(`${name} findings`);
      writeOutputs(outputs, findings, perFile);
      const bytes = readdirSync(outputs).reduce((sum, file) => sum + statSync(join(outputs, file)).size, 0);
      const needed = run(outputs, catalog);
      rmSync(outputs, { recursive: true, force: true });
      if (perFile === PER_FILE) took.set(findings, needed.cpuMs);
      return {
        findings: name,
        MB: Math.round(bytes / 1e6),
        'read ms': Math.round(needed.readMs),
        'merge ms': Math.round(needed.mergeMs),
        'enrich ms': Math.round(needed.enrichMs),
        'all ms': Math.round(needed.totalMs),
        'CPU ms': Math.round(needed.cpuMs),
        'after merging': needed.findings,
        'look-up ns': Math.round(needed.lookupNanos),
        'RSS MB': Math.round(needed.maxRssBytes / 1e6),
        wanted: findings > 100_000 || (needed.totalMs < MOST_MS && needed.maxRssBytes < MOST_BYTES) ? 'yes' : 'NO',
      };
    });
    console.log(`Wanted for 100,000: under ${MOST_MS / 1000} s, and under 1 GiB of resident memory`);
    console.table(rows);
    const grew = (from: number, to: number) => ((took.get(to) ?? 0) / (took.get(from) as number)).toFixed(1);
    console.log(`From 10,000 to 100,000: ${grew(10_000, 100_000)} × the CPU time (at most ${MOST_GROWTH} wanted)`);
    if (values['full']) console.log(`From 100,000 to 1,000,000: ${grew(100_000, 1_000_000)} × the CPU time`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
