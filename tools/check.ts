// One command checks everything that needs no test run: each check with its result and its time.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const AT_ONCE = 2;

// The scripts of package.json named check:<what>; the slowest come first there.
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const checks = Object.entries(scripts).filter(([name]) => name.startsWith('check:'));

type Outcome = { readonly name: string; readonly ok: boolean; readonly seconds: number; readonly output: string };

function run(name: string, command: string): Promise<Outcome> {
  const startedAt = performance.now();
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}` };
  const child = spawn(command, { cwd: ROOT, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      resolve({ name, ok: status === 0, seconds: (performance.now() - startedAt) / 1000, output });
    });
  });
}

const waiting = [...checks];
let failed = 0;

async function worker(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { name, ok, seconds, output } = await run(...next);
    if (!ok) failed += 1;
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(16)} ${seconds.toFixed(1).padStart(5)} s`);
    if (!ok) console.log(output.replace(/^/gm, '       '));
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, worker));
process.exitCode = failed === 0 ? 0 : 1;
