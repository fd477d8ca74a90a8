import { expect, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const URLS = ['--fulcio-url', 'http://127.0.0.1:1', '--rekor-url', 'http://127.0.0.1:1'];
const NOWHERE = { HOME: '/nonexistent', COLOPHON_HOME: '/nonexistent' };

test.each([
  [['sign-blob', 'package.json', '--key', 'tsconfig.json', ...URLS], { checked: 'tsconfig.json' }],
  [['kev', 'status', '--data', 'package.json'], { message: 'package.json is a file', checked: '--data' }],
  [['log', 'get', '--log-index', '-1'], { checked: '--log-index', found: '-1' }],
  [['sbom', 'upload', 'x', '--dashboard', 'http://a', '--api-key-file', 'none.key'], { checked: '--api-key-file' }],
])('%j: what is wrong is named', async (line, named) => {
  const { error } = documentOf(await runLine([...line, '-o', 'json'], NOWHERE));
  expect(error).toMatchObject(named);
});
