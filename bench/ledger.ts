// `colophon ledger verify` over a ledger as an issuer writes it, one process from start to end: CPU and memory, beside
// a quarter of the ledger. `--tokens N` (200,000), `--full` for 1,000,000, which takes minutes to fill.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillLedger } from './ledger/scratch-ledger.ts';
import { useOfProcess } from './measure/process-cpu.ts';
import { doing } from './measure/progress.ts';
import { makeScratchFolder } from './measure/scratch-folder.ts';

const LEAST_PER_SECOND = 100_000;
const MOST_MORE_MEMORY = 64 * 1024 * 1024;
const ROUNDS = 3;
const COLOPHON = join(import.meta.dirname, '..', 'node_modules', '.bin', 'colophon');

const { values } = parseArgs({
  options: { tokens: { type: 'string', default: '200000' }, full: { type: 'boolean', default: false } },
  strict: false,
});
const tokens = values.full === true ? 1_000_000 : Number(values.tokens);
if (!Number.isSafeInteger(tokens) || tokens < 4 || tokens > 10_000_000) throw new TypeError('--tokens: 4 to 10000000');

const folder = makeScratchFolder('ledger');
try {
  const measured: { readonly size: number; readonly cpuMs: number; readonly memoryBytes?: number }[] = [];
  for (const size of [Math.floor(tokens / 4), tokens]) {
    const dataDir = join(folder, String(size));
    doing(`a ledger of ${size} leaves is written`);
    await fillLedger(dataDir, size);
    doing('it is verified');
    const line = [COLOPHON, '--data', dataDir, 'ledger', 'verify'];
    execFileSync(line[0]!, line.slice(1));
    const uses = Array.from({ length: ROUNDS }, () => useOfProcess(line, join(folder, 'note')));
    const least = uses.toSorted((a, b) => a.cpuMs - b.cpuMs)[0]!;
    measured.push({ size, ...least });
    const { cpuMs, memoryBytes } = least;
    const mebibytes = memoryBytes === undefined ? '' : `, ${Math.round(memoryBytes / 1024 / 1024)} MiB`;
    console.log(`${size} leaves: ${(cpuMs / 1000).toFixed(2)} s of CPU${mebibytes}`);
  }
  const [few, many] = measured as [(typeof measured)[0], (typeof measured)[0]];
  const perSecond = ((many.size - few.size) / (many.cpuMs - few.cpuMs)) * 1000;
  console.log(`${Math.round(perSecond)} leaves a second, the start of the program apart`);
  if (perSecond < LEAST_PER_SECOND) {
    console.error(`fewer than ${LEAST_PER_SECOND} leaves a second`);
    process.exitCode = 1;
  }
  const [small, large] = [few.memoryBytes, many.memoryBytes];
  if (small !== undefined && large !== undefined && large - small > MOST_MORE_MEMORY) {
    console.error('memory grows with the ledger');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
