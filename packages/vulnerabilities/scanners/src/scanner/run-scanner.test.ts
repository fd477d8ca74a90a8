import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { installedScanners, runScanner, type ScannerRequest } from './run-scanner.ts';
import type { ScannerName } from './scanners.ts';

const BOM = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [] };
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A folder for PATH with programs that are a few lines of script each; `argv` are their arguments. */
function programs(scripts: Partial<Record<ScannerName, string>>): { PATH: string } {
  const folder = temporaryFolder(onTestFinished);
  for (const [name, script] of Object.entries(scripts)) {
    const file = join(folder, name);
    const head = `#!${process.execPath}\nconst fs = require('node:fs'); const argv = process.argv.slice(2);\n`;
    writeFileSync(file, head + script);
    chmodSync(file, 0o755);
  }
  return { PATH: folder };
}

const scan = (scripts: Partial<Record<ScannerName, string>>, more: Partial<ScannerRequest> = {}) =>
  runScanner({ target: { kind: 'sbom', bytes: bytesOf(BOM) }, env: programs(scripts), timeoutMs: 20_000, ...more });

/** Prints how it was called, and where. */
const ECHO = `
  if (argv[0] === 'version' || argv[0] === '--version' || argv[0] === 'db') process.exit(0);
  const file = argv.at(-1).replace(/^sbom:/, '');
  const sbom = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null;
  console.log(JSON.stringify({ argv, sbom, cwd: fs.readdirSync('.') }));`;

test('scanners are found on PATH, in the order in which one is taken', () => {
  const names = (scripts: Partial<Record<ScannerName, string>>) =>
    installedScanners(programs(scripts)).map(({ name }) => name);
  expect(names({ trivy: '', grype: '', 'osv-scanner': '' })).toEqual(['osv-scanner', 'grype', 'trivy']);
  expect(names({ trivy: '' })).toEqual(['trivy']);
  expect(names({})).toEqual([]);
});

test('a program without the right to run is none', () => {
  const env = programs({ grype: '' });
  chmodSync(join(env.PATH, 'grype'), 0o644);
  expect(installedScanners(env)).toEqual([]);
});

test.each([{ scanner: 'trivy' as const }, {}])(
  'a scanner that is not there is named, with where to get it: %o',
  async (wanted) => {
    await expect(scan({ ...('scanner' in wanted && { grype: ECHO }) }, wanted)).rejects.toMatchObject({
      code: 'feeds.scanner_missing',
      facts: { next: expect.stringContaining('trivy: https://') },
    });
  },
);

describe('an SBOM', () => {
  test.each<[ScannerName, string[]]>([
    ['osv-scanner', ['scan', 'source', '--format', 'json', '--offline', '--lockfile']],
    ['grype', ['--output', 'json', '--offline', '--']],
    ['trivy', ['sbom', '--format', 'json', '--offline', '--']],
  ])('is given to %s under a name that it goes by, with the further flags before it', async (scanner, flags) => {
    const { output } = await scan({ [scanner]: ECHO }, { scanner, args: ['--offline'] });
    const { argv, sbom, cwd } = JSON.parse(textOf(output));
    expect(argv.slice(0, -1)).toEqual(flags);
    expect(argv.at(-1)).toMatch(/^(?:sbom:)?\/.*\/sbom\.cdx\.json$/);
    expect(sbom).toEqual(BOM);
    // Nothing else lies there: no configuration of a stranger is obeyed.
    expect(cwd).toEqual(['sbom.cdx.json']);
  });

  test('of CycloneDX 1.7 is given as 1.6, which scanners read', async () => {
    const bytes = bytesOf({ $schema: 'http://cyclonedx.org/schema/bom-1.7.schema.json', ...BOM, specVersion: '1.7' });
    const { output } = await scan({ grype: ECHO }, { target: { kind: 'sbom', bytes } });
    expect(JSON.parse(textOf(output)).sbom).toEqual(BOM);
  });

  test.each([
    ['<?xml version="1.0"?>\n<bom xmlns="http://cyclonedx.org/schema/bom/1.6"/>', 'sbom.cdx.xml'],
    ['{"spdxVersion":"SPDX-2.3"}', 'sbom.spdx.json'],
    ['# made by hand\nSPDXVersion: SPDX-2.3\n', 'sbom.spdx'],
  ])('that begins with %j is called by its format', async (text, name) => {
    const print = 'console.log(argv.at(-1))';
    const { output } = await scan(
      { trivy: print },
      { target: { kind: 'sbom', bytes: new TextEncoder().encode(text) } },
    );
    expect(textOf(output).trim().endsWith(`/${name}`)).toBe(true);
  });

  test.each(['', 'lodash 4.17.4', '{}', '[]', '{"bomFormat":"CycloneDX"', '<html></html>'])(
    'is not %j',
    async (text) => {
      const target = { kind: 'sbom' as const, bytes: new TextEncoder().encode(text) };
      await expect(scan({ grype: ECHO }, { target })).rejects.toMatchObject({ code: 'feeds.scanner_target' });
    },
  );
});

test.each<[ScannerName, string[]]>([
  ['osv-scanner', ['scan', 'image', '--format', 'json', '--', 'docker.io/library/alpine:3.19']],
  ['grype', ['--output', 'json', '--', 'docker.io/library/alpine:3.19']],
  ['trivy', ['image', '--format', 'json', '--scanners', 'vuln', '--', 'docker.io/library/alpine:3.19']],
])('an image is given to %s behind the end of its flags', async (scanner, argv) => {
  const target = { kind: 'image' as const, reference: 'docker.io/library/alpine:3.19' };
  const { output } = await scan({ [scanner]: ECHO }, { scanner, target });
  expect(JSON.parse(textOf(output))).toEqual({ argv, sbom: null, cwd: [] });
});

test('a scanner gets nothing that signs, issues, uploads or opens our database', async () => {
  const secrets = {
    COLOPHON_OPENPGP_PASSPHRASE: 'canary',
    COLOPHON_DATABASE: 'postgres://triage:canary@db.example.com/triage',
    COSIGN_PASSWORD: 'canary',
    SIGSTORE_ID_TOKEN: 'canary',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'canary',
    DTRACK_API_KEY: 'canary',
    PGPASSWORD: 'canary',
    PGPASSFILE: 'canary/.pgpass',
  };
  // Every question too: whatever it is asked, it tells what it was given.
  const tell = 'console.log(JSON.stringify(process.env)); console.error(JSON.stringify(process.env))';
  const env = { ...programs({ grype: tell }), ...secrets, GRYPE_DB_CACHE_DIR: '/var/grype' };
  const run = await scan({}, { env });
  expect(JSON.parse(textOf(run.output))).toMatchObject({
    GRYPE_DB_CACHE_DIR: '/var/grype',
    GRYPE_CHECK_FOR_APP_UPDATE: 'false',
  });
  expect(JSON.stringify([textOf(run.output), run.log, run.scanner])).not.toContain('canary');
});

describe('how a scanner ends', () => {
  const ending = (code: number, words = 'out of luck') =>
    `console.log('{}'); console.error('${words}'); process.exitCode = argv.includes('json') ? ${code} : 0;`;

  test.each<[ScannerName, number]>([
    ['osv-scanner', 0],
    ['osv-scanner', 1],
    ['grype', 0],
    ['grype', 2],
    ['trivy', 0],
  ])('%s with %i has an output', async (scanner, code) => {
    const run = await scan({ [scanner]: ending(code) }, { scanner });
    expect(textOf(run.output)).toBe('{}\n');
    expect(run.log).toBe('out of luck\n');
  });

  test.each<[ScannerName, number]>([
    ['osv-scanner', 127],
    ['osv-scanner', 2],
    ['grype', 1],
    ['trivy', 1],
  ])('%s with %i has failed, and its last words say why', async (scanner, code) => {
    await expect(scan({ [scanner]: ending(code) }, { scanner })).rejects.toMatchObject({
      code: 'feeds.scanner_failed',
      facts: { found: 'out of luck' },
    });
  });

  test('osv-scanner with 128 had nothing to look up, which is no clean scan', async () => {
    const scripts = { 'osv-scanner': ending(128, 'No package sources found') };
    await expect(scan(scripts)).rejects.toMatchObject({ code: 'feeds.scanner_no_packages' });
  });

  test('without a word on standard output it has failed, however it ends', async () => {
    await expect(scan({ grype: '' })).rejects.toMatchObject({ code: 'feeds.scanner_output' });
  });

  test('too late it is ended, with what it started, and nothing is left behind', async () => {
    const folder = temporaryFolder(onTestFinished);
    // A shell has begun long before its time is over, where Node takes seconds to start on a busy machine.
    const env = programs({ grype: '' });
    const script = `/bin/sleep 1000 & echo "[$!,\\"$PWD\\"]" >'${join(folder, 'pids')}'; wait`;
    writeFileSync(join(env.PATH, 'grype'), `#!/bin/sh\n${script}\n`);
    await expect(scan({}, { env, timeoutMs: 4_000 })).rejects.toMatchObject({
      code: 'feeds.scanner_timeout',
    });
    const [pid, cwd] = JSON.parse(readFileSync(join(folder, 'pids'), 'utf8'));
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(existsSync(cwd)).toBe(false);
  });

  test('an abort ends it, and its reason is what is thrown', async () => {
    const controller = new AbortController();
    const running = scan({ grype: 'setInterval(() => {}, 1000)' }, { signal: controller.signal });
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 200);
    await expect(running).rejects.toBe(reason);
  });
});

describe('what a scanner says of itself', () => {
  const answering = (answers: Record<string, string>) =>
    `const answer = (${JSON.stringify(answers)})[argv.join(' ')];
     if (answer === undefined) console.log('{}'); else process.stdout.write(answer);`;

  test('grype is asked for its version and for its database', async () => {
    const script = answering({
      'version -o json': '{"application":"grype","version":"0.104.1"}',
      'db status -o json': '{"schemaVersion":"v6.1.2","built":"2026-11-20T06:31:00+02:00","valid":true}',
    });
    const { scanner } = await scan({ grype: script });
    expect(scanner).toEqual({ name: 'grype', version: '0.104.1', databaseBuiltAt: '2026-11-20T04:31:00Z' });
  });

  test('trivy says both in one answer', async () => {
    const script = answering({
      'version --format json':
        '{"Version":"0.66.0","VulnerabilityDB":{"Version":2,"UpdatedAt":"2026-11-20T06:31:00.5Z"}}',
    });
    const { scanner } = await scan({ trivy: script });
    expect(scanner).toEqual({ name: 'trivy', version: '0.66.0', databaseBuiltAt: '2026-11-20T06:31:00.5Z' });
  });

  test('osv-scanner asks a service, whose knowledge is that of the moment', async () => {
    const script = answering({ '--version': 'osv-scanner version: 2.2.4\nosv-scalibr version: 0.3.6\n' });
    const { scanner, startedAt } = await scan({ 'osv-scanner': script });
    expect(scanner).toEqual({ name: 'osv-scanner', version: '2.2.4', databaseBuiltAt: startedAt });
  });

  test('osv-scanner with a database on the disk knows what the oldest file of it has', async () => {
    const folder = temporaryFolder(onTestFinished);
    const files = ['2026-11-03', '2026-11-01'].map((day) => {
      const file = join(folder, `all ${day}.zip`);
      writeFileSync(file, '');
      return `const file = ${JSON.stringify(file)}, at = new Date('${day}T10:00:00Z'); fs.utimesSync(file, at, at);
        console.error('Loaded npm local db from ' + file);`;
    });
    const script = `if (argv[0] === 'scan') { console.log('{}'); ${files.map((each) => `{ ${each} }`).join('\n')} }`;
    const { scanner } = await scan({ 'osv-scanner': script });
    expect(scanner).toEqual({ name: 'osv-scanner', databaseBuiltAt: '2026-11-01T10:00:00Z' });
  });

  test.each(['', 'null', '{"version":"[not provided]","built":"0001-01-01T00:00:00Z"}', '{"version":7,"built":[]}'])(
    'nothing that it does not say is made up: %j',
    async (answer) => {
      const script = answering({ 'version -o json': answer, 'db status -o json': answer });
      expect((await scan({ grype: script })).scanner).toEqual({ name: 'grype' });
    },
  );
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that has ended and that nobody has waited for is none.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
