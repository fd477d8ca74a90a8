import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfiguredTrust } from '@colophon/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runLine } from './command-line.ts';
import { CONTEXT, type Installation, install } from './installation.ts';

const undo: Array<() => void | Promise<void>> = [];
const cleanup = (one: () => void | Promise<void>) => undo.push(one);
/** Where this user is at home, and services of somebody else's. */
let here: Installation;
let theirs: Installation;
let artifact: string;
let configuration: string;

const rootOf = ({ dataDir }: Installation) => join(dataDir, 'trust', 'trusted_root.json');
const configOf = ({ dataDir }: Installation) => join(dataDir, 'trust', 'signing_config.json');
const run = (...line: string[]) => runLine(line, here.env);
const codeOf = async (...line: string[]) => {
  const ran = await run(...line, '--output', 'json');
  return ran.exitCode === 0 ? 'accepted' : JSON.parse(ran.stdout).error.code;
};

beforeAll(async () => {
  here = await install(cleanup);
  theirs = await install(cleanup);
  artifact = here.file('change.patch', 'a change\n');
  copyFileSync(rootOf(theirs), join(here.folder, 'company.json'));
  configuration = here.file(
    'colophon.yaml',
    `issuer: ${theirs.url}
trust:
  roots: [{ name: own, file: ${rootOf(here)} }, company.json]
  signingConfig: ${configOf(theirs)}
`,
  );
});
afterAll(async () => {
  for (const one of undo.reverse()) await one();
});

describe('a configuration file', () => {
  test('says where to sign and whom to trust, for every command that signs or verifies', async () => {
    const bundle = here.file('theirs.json', '');
    const signed = await run('sign-blob', '--config', configuration, ...CONTEXT, '--bundle', bundle, artifact);
    expect(signed.exitCode, signed.stderr).toBe(0);
    const line = ['verify-blob', '--bundle', bundle, ...theirs.pinned, artifact];
    expect(await codeOf(...line)).toBe('log_entry.untrusted_log');
    expect(await codeOf(...line, '--config', configuration)).toBe('accepted');
    const verified = await runLine([...line, '-o', 'json'], { ...here.env, COLOPHON_CONFIG: configuration });
    expect(JSON.parse(verified.stdout)).toMatchObject({
      trusted_root: expect.stringMatching('company.json$'),
      checks: expect.arrayContaining([
        { check: 'certificate.chain', detail: 'to an authority of company, with its certificate timestamp' },
      ]),
    });
  });

  test('trusts what each of its roots vouches for, and nobody else', async () => {
    const bundle = here.file('own.json', '');
    await run('sign-blob', ...CONTEXT, '--bundle', bundle, artifact);
    expect(await codeOf('verify-blob', '--config', configuration, '--bundle', bundle, ...here.pinned, artifact)).toBe(
      'accepted',
    );
    const stranger = await install(cleanup);
    const other = stranger.file('change.patch', 'a change\n');
    await stranger.document('sign-blob', ...CONTEXT, other);
    expect(
      await codeOf(
        'verify-blob',
        '--config',
        configuration,
        '--bundle',
        `${other}.sigstore.json`,
        ...stranger.pinned,
        artifact,
      ),
    ).toBe('certificate.untrusted');
  });

  test('gives way to what a variable or a flag says', async () => {
    const bundle = here.file('flagged.json', '');
    const signed = await run('sign-blob', '--config', configuration, ...CONTEXT, '--bundle', bundle, artifact);
    expect(signed.exitCode).toBe(0);
    const line = ['verify-blob', '--config', configuration, '--bundle', bundle, ...theirs.pinned, artifact];
    expect(await codeOf(...line, '--trusted-root', rootOf(here))).toBe('log_entry.untrusted_log');
    const env = { ...here.env, COLOPHON_TRUSTED_ROOT: rootOf(here) };
    expect((await runLine(line, env)).exitCode).toBe(13);
  });

  test.each([
    ['a root that is not there', 'trust: { roots: [nowhere.json] }', 'cli.file_unreadable'],
    [
      'a file that is another thing',
      'trust: { roots: [{ name: patch, file: change.patch }] }',
      'trusted_root.malformed',
    ],
    ['two roots of one name', 'trust: { roots: [a/own.json, b/own.json] }', 'server.configuration_invalid'],
    ['a mistyped key', 'trust: { root: own.json }', 'server.configuration_invalid'],
    ['no YAML', 'trust: [', 'server.configuration_invalid'],
  ])('with %s is refused, and nothing stands in for it', async (_title, text, code) => {
    const file = here.file('bad.yaml', text);
    expect(await codeOf('verify-blob', '--config', file, '--bundle', artifact, ...here.pinned, artifact)).toBe(code);
  });

  test('that has all that an issuer needs serves a client too, and its secrets are not looked for', async () => {
    const whole = readFileSync(configuration, 'utf8');
    const file = here.file(
      'whole.yaml',
      `${whole}listen: { address: 0.0.0.0, port: 8443, tls: { certificate: nowhere.crt, key: "env:NOT_SET" } }
data: /nowhere
callers: [{ name: builder, apiKey: true, may: { agents: [code-writer] } }]
`,
    );
    const bundle = here.file('whole.json', '');
    await run('sign-blob', ...CONTEXT, '--bundle', bundle, artifact);
    expect(await codeOf('verify-blob', '--config', file, '--bundle', bundle, ...here.pinned, artifact)).toBe(
      'accepted',
    );
  });
});

describe('an evidence store', () => {
  test('keeps and finds what a configured root vouches for, and refused it before', async () => {
    const attested = theirs.file('run.json', '');
    const change = theirs.file('change.patch', 'a change\n');
    await theirs.document(
      'attest-blob',
      '--type',
      'agent-run',
      ...CONTEXT,
      '--bundle',
      attested,
      '--no-evidence',
      change,
    );
    expect(await codeOf('evidence', 'import', attested)).toBe('evidence.not_verified');
    const roots = [{ name: 'company', file: rootOf(theirs), insecureIgnoreSct: false }];
    const store = await install(cleanup, { trust: readConfiguredTrust({ roots }, new Date()) });
    await store.document('evidence', 'import', attested);
    const { rows } = await store.document('query', 'runs limit 10');
    expect(rows).toHaveLength(1);
    // What the store's own authority certified is kept beside it.
    const own = store.file('own.patch', 'another change\n');
    await store.document('attest-blob', '--type', 'agent-run', ...CONTEXT, own);
    expect((await store.document('query', 'runs limit 10')).rows).toHaveLength(2);
  });
});
