import { expect, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const NOWHERE = { HOME: '/nonexistent', COLOPHON_HOME: '/nonexistent' };

test.each([
  'schedule run --kev package.json --once --owner dana@example.com',
  'schedule run --kev package.json --once --scanner grype',
  'schedule run --kev package.json --once --remediation-policy package.json',
  'remediation list --open --closed',
  'log search --sha x --rekor-url http://a --rekor_server http://b',
  'sign image --yes=maybe',
  'verify image --new-bundle-format=1',
  'vex apply package.json --scan package.json --product foo',
  'vex apply package.json --scan package.json --product pkg:npm',
  'log get --log-index -1',
])('a flag that would be ignored is refused: %s', async (line) => {
  const ran = await runLine([...line.split(' '), '-o', 'json'], NOWHERE);
  expect([ran.exitCode, documentOf(ran).error.code]).toEqual([1, 'cli.usage']);
  expect(documentOf(ran).error.message).not.toMatch(/^not given/);
});

test('a report is not said to be verified as somebody who was not looked for', async () => {
  const line = ['report', 'verify', '.', '--unsigned', '--certificate-identity', 'a', '-o', 'json'];
  for (const more of [[], ['--certificate-oidc-issuer', 'u']]) {
    const ran = await runLine([...line, ...more], NOWHERE);
    expect([ran.exitCode, documentOf(ran).error]).toMatchObject([1, { code: 'cli.usage', found: 'both' }]);
  }
});

test('a server that re-scans nothing has no owner of what a re-scan opens', async () => {
  const { exitCode, stderr } = await runLine(['up', '--owner', 'dana@example.com'], NOWHERE);
  expect([exitCode, stderr]).toEqual([
    1,
    'error cli.usage: --owner is for a re-scan\n  expected with --rescan\n  found    --owner\n',
  ]);
});

test.each([
  ['sign --yes package.json', '<image>'],
  ['sign -y package.json', '<image>'],
])('%s: the argument behind a switch is no value of it', async (line, lacking) => {
  const { error } = documentOf(await runLine([...line.split(' '), '-o', 'json'], NOWHERE));
  expect(JSON.stringify(error)).not.toContain(lacking);
});
