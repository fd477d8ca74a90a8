import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../names.ts';
import { programAssets } from './assets.ts';
import { bundleModules, OPENPGP_FILE } from './bundle.ts';

// Most of a short command's time is loading: which packages a command brings is counted, since a time is not the same twice.
const folder = mkdtempSync(join(tmpdir(), 'colophon-loaded-'));
const KEPT = join(ROOT, 'packages/program/cli/test/frozen/releases/0.1.0');
let outputs: ReadonlyMap<string, Metafile['outputs'][string]>;

beforeAll(async () => {
  const metafile = await bundleModules(join(folder, 'lib'));
  outputs = new Map(Object.entries(metafile.outputs).map(([file, output]) => [basename(file), output]));
  for (const [name, file] of programAssets()) {
    const carried = join(folder, 'assets', name);
    mkdirSync(dirname(carried), { recursive: true });
    symlinkSync(file, carried);
  }
  writeFileSync(join(folder, 'bom.json'), '{"bomFormat":"CycloneDX","specVersion":"1.6","version":1}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Tells each file that Node.js loads on a fourth stream, and in the end each module of its own. */
const HOOK = `
  import { writeSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) writeSync(3, url + '\\n');
      return next(url, context);
    },
  });
  process.on('exit', () => {
    for (const name of process.moduleLoadList) writeSync(3, name.replace('NativeModule ', 'node:') + '\\n');
  });`;

/** Runs the bundled program, which must end well; the packages that it loaded, and the kilobytes of the files. */
function loadedBy(line: readonly string[]): { readonly packages: ReadonlySet<string>; readonly kB: number } {
  const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
  const { status, stderr, output } = spawnSync(
    process.execPath,
    ['--import', hook, join(folder, 'lib/main.js'), ...line],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: { HOME: folder } },
  );
  expect([status, stderr]).toEqual([0, expect.anything()]);
  const files = output[3]!
    .trim()
    .split('\n')
    .map((url) => basename(url));
  const bytes = files.reduce((sum, file) => sum + (outputs.get(file)?.bytes ?? 0), 0);
  return { packages: new Set(files.flatMap(packagesIn)), kB: bytes / 1000 };
}

/** The packages in a file of the bundle, or the file itself that is not bundled. */
function packagesIn(file: string): string[] {
  const output = outputs.get(file);
  return output === undefined ? [file] : Object.keys(output.inputs).map(packageOf);
}

/** `ajv` of `node_modules/ajv/dist/ajv.js`, `packages/contents/sbom` of one of ours. */
function packageOf(input: string): string {
  return (/.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input) ?? /^(packages\/[^/]+\/[^/]+)/.exec(input))?.[1] ?? input;
}

const VERIFY_BLOB = [
  'verify-blob',
  ...['--trusted-root', join(KEPT, 'data/trust/trusted_root.json')],
  ...['--bundle', join(KEPT, 'files/report.txt.sigstore.json')],
  ...['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', 'http://localhost:47080'],
  join(KEPT, 'files/report.txt'),
];
const NETWORK_AND_STORES = [
  'fastify',
  'pg',
  'packages/base/store',
  'packages/identity/issuer',
  'packages/identity/authority',
];
/** Node's own: with an import statement for the first comes the client for fetch and WebSocket. */
const BUILT_IN = ['node:http', 'node:https', 'node:http2', 'node:tls'];

test.each([
  ['--version', ['--version'], 150, ['ajv', 'yaml', 're2js', 'packages/base/json', 'packages/contract/records']],
  [
    'sbom validate',
    ['sbom', 'validate', join(folder, 'bom.json')],
    1000,
    ['tinyglobby', 'yaml', 're2js', OPENPGP_FILE],
  ],
  [
    'verify-blob',
    VERIFY_BLOB,
    1300,
    ['ajv', 'packages/contents/sbom', OPENPGP_FILE, 'web-tree-sitter', 'packageurl-js'],
  ],
])('%s loads what it needs', (_name, line, mostKilobytes, needless) => {
  const { packages, kB } = loadedBy(line);
  expect([...packages]).toEqual(expect.arrayContaining(['commander', 'node:fs']));
  expect(BUILT_IN.filter((name) => packages.has(name))).toEqual([]);
  const unwanted = [...NETWORK_AND_STORES, ...needless];
  expect(unwanted.filter((name) => packages.has(name))).toEqual([]);
  // A package that the program no longer has is not missed.
  const bundled = new Set([OPENPGP_FILE, ...[...outputs.keys()].flatMap(packagesIn)]);
  expect(unwanted.filter((name) => !bundled.has(name))).toEqual([]);
  expect(kB).toBeLessThan(mostKilobytes);
});
