import { expect, test } from 'vitest';
import { parseCommandLine } from './command-line.ts';

const TAG = 'v1.2.3';
const SIGNER = ['--', '--context', 'run.json'];

test('what follows the second -- is the signer', () => {
  expect(parseCommandLine(['--executable', 'a', '--executable', 'b', ...SIGNER], TAG, {})).toEqual({
    dryRun: false,
    tag: TAG,
    executables: ['a', 'b'],
    signer: ['--context', 'run.json'],
  });
  expect(parseCommandLine(['--dry-run', '--tag', 'v1'], TAG, {})).toMatchObject({
    dryRun: true,
    tag: 'v1',
    signer: [],
  });
});

test.each([
  ['a second file that the shell made of one pattern', ['--executable', 'a', 'b', ...SIGNER], {}, "'b'"],
  ['a release without a signer', [], {}, '--dry-run'],
  ['a release that ends with --', ['--'], {}, '--dry-run'],
  ['a dry run with a signer', ['--dry-run', ...SIGNER], {}, 'its own'],
  ['a dry run of npm', SIGNER, { npm_config_dry_run: 'true' }, '-- --dry-run'],
])('%s is refused', (_what, args, env, message) => {
  expect(() => parseCommandLine(args, TAG, env)).toThrow(message);
});
