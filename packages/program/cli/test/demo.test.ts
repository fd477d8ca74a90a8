import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What differs from run to run, by a word for it. */
const VOLATILE: ReadonlyArray<readonly [RegExp, string]> = [
  [/localhost:\d+/g, 'localhost:PORT'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/(sha256:)[0-9a-f]{4,64}/g, '$1HEX'],
  [/\b[0-9a-f]{40}\b/g, 'HEX'],
  [/in [\d.]+ s\./g, 'in SECONDS s.'],
];

function lasting(line: string): string {
  return VOLATILE.reduce((text, [pattern, word]) => text.replace(pattern, word), line.trim());
}

/** The block of the README that begins below "From `npm run demo`". */
function shownInReadme(): string[] {
  const readme = readFileSync(at('../../../../README.md'), 'utf8');
  const [, block = ''] = /^From `npm run demo`.*?^```text\n(.*?)^```/ms.exec(readme) ?? [];
  return block.split('\n').filter((line) => line !== '');
}

/** Whether a line of the README, in which `…` stands for anything, is what the demo printed. */
function isShort(shown: string, printed: string): boolean {
  const parts = lasting(shown).split('…');
  if (parts.length === 1) return lasting(printed) === parts[0];
  return lasting(printed).startsWith(parts[0]!) && lasting(printed).endsWith(parts.at(-1)!);
}

async function runDemo(): Promise<string[]> {
  const env = { ...process.env, NO_COLOR: '1', TMPDIR: temporaryFolder(onTestFinished) };
  const program = spawn(process.execPath, [at('../bin/colophon.js'), 'demo'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [program.stdout, program.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  expect(await new Promise((resolve) => program.on('close', resolve))).toBe(0);
  return text.split('\n');
}

test('every line that the README shows of the demo is printed by it, in this order', async () => {
  const shown = shownInReadme();
  expect(shown.length).toBeGreaterThan(25);
  const printed = await runDemo();
  const missing: string[] = [];
  let from = 0;
  for (const line of shown) {
    const found = printed.findIndex((one, index) => index >= from && isShort(line, one));
    if (found === -1) missing.push(line);
    else from = found + 1;
  }
  expect(missing).toEqual([]);
});
