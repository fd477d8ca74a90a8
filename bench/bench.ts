// Runs every bench of this folder, one after the other; `npm run bench -- mint` runs one.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const benches = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.ts') && name !== 'bench.ts')
  .map((name) => name.slice(0, -'.ts'.length))
  .sort();

for (const name of wanted.filter((name) => !benches.includes(name))) {
  console.error(`there is no bench ${name}; there are: ${benches.join(', ')}`);
  process.exitCode = 1;
}
for (const name of benches.filter((bench) => wanted.length === 0 || wanted.includes(bench))) {
  console.log(`\n== ${name}`);
  const started = performance.now();
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...options], {
    stdio: 'inherit',
  });
  console.error(`${name} took ${Math.round((performance.now() - started) / 1000)} s`);
  if (status !== 0) {
    console.error(`bench ${name} failed`);
    process.exitCode = 1;
  }
}
