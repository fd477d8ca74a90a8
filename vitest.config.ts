import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    reporters: ['default', './tools/skipped-tests-reporter.ts'],
    // One less than there are processors leaves one for two, and half of a small machine idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'unit',
          // Files share processes: a test that changes something of its process puts it back. One process for each of
          // 500 files would cost a quarter more CPU time.
          isolate: false,
          globalSetup: ['tools/temporary-files.setup.ts'],
          setupFiles: ['packages/program/cli/test/frozen/asked.setup.ts'],
          include: [
            'packages/*/*/src/**/*.test.ts',
            'packages/*/*/test/**/*.test.ts',
            'tools/**/*.test.ts',
            'release/**/*.test.ts',
          ],
          // A loaded machine is slow, and says nothing of the program by that: this ends what hangs.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 100_000 } },
        },
      },
      {
        test: {
          name: 'interop',
          globalSetup: ['tools/temporary-files.setup.ts'],
          include: ['interop/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
});
