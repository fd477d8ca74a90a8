// `colophon ledger verify` over a ledger as an issuer writes it, one process from start to end: leaves a second of CPU, and its memory
// beside that over a quarter of the ledger. `--tokens N` (200,000), `--full` for 1,000,000, which takes minutes to fill.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillLedger } from './ledger/scratch-ledger.ts';
import { useOfProcess } from './measure/process-cpu.ts';
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
  const memory: (number | undefined)[] = [];
  for (const size of [Math.floor(tokens / 4), tokens]) {
    const dataDir = join(folder, String(size));
    await fillLedger(dataDir, size);
    const uses = Array.from({ length: ROUNDS }, () =>
      useOfProcess([COLOPHON, '--data', dataDir, 'ledger', 'verify'], join(folder, 'note')),
    );
    const { cpuMs, memoryBytes } = uses.toSorted((a, b) => a.cpuMs - b.cpuMs)[0]!;
    const perSecond = (size / cpuMs) * 1000;
    memory.push(memoryBytes);
    const mebibytes = memoryBytes === undefined ? '' : `, ${Math.round(memoryBytes / 1024 / 1024)} MiB`;
    console.log(`${size} leaves: ${(cpuMs / 1000).toFixed(2)} s of CPU, ${Math.round(perSecond)} a second${mebibytes}`);
    if (size === tokens && perSecond < LEAST_PER_SECOND) {
      console.error(`fewer than ${LEAST_PER_SECOND} leaves a second`);
      process.exitCode = 1;
    }
  }
  const [small, large] = memory;
  if (small !== undefined && large !== undefined && large - small > MOST_MORE_MEMORY) {
    console.error('memory grows with the ledger');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
