// Where the executable starts: what it carries lies in the file itself, and helper processes are the file again.
import { getRawAsset, isSea } from 'node:sea';
import { brotliDecompressSync } from 'node:zlib';
import { scriptStdio, useCarrier } from '@colophon/assets';
import { main } from '../../../packages/program/cli/src/main.ts';

/** First argument of a process that the executable starts for itself. */
const RUN_SCRIPT = 'run-carried-script';

const SCRIPTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'aside-process': () => import('../../../packages/program/server/src/aside/aside-process.ts'),
};

useCarrier({
  readAsset: (name) => brotliDecompressSync(getRawAsset(name)),
  forkScript: (name, { heapMb }) =>
    process.getBuiltinModule('node:child_process').fork(RUN_SCRIPT, [name], {
      serialization: 'advanced',
      execArgv: [],
      env: { ...process.env, NODE_OPTIONS: `--max-old-space-size=${heapMb}` },
      stdio: scriptStdio(),
    }),
});

const [first, script = ''] = process.argv.slice(2);
// Only a process with a channel was started so: nobody gets anything from typing it.
if (isSea() && first === RUN_SCRIPT && process.send !== undefined) void SCRIPTS[script]?.();
else void main(process.argv.slice(2));
