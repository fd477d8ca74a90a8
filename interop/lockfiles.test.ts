import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isMissing, run } from './programs.ts';

// What npm, pip and go write and say themselves, against our document of it. No public registry is asked.
const COLOPHON = join(import.meta.dirname, '../packages/program/cli/bin/colophon.js');
// Where it is unpacked by hand, and not on every PATH.
const GO = existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : 'go';

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const put = (name: string, content: string | object) => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-lockfiles-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function tool(program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const ran = await run(program, args, { cwd, env });
  expect(ran.code, ran.stderr).toBe(0);
  return ran.stdout;
}

/** Components, and edges `from > to`, by name and version; `.` is the project. */
async function ours(lockfile: string) {
  const out = at('made.cdx.json');
  await tool(process.execPath, [COLOPHON, 'sbom', 'create', lockfile, '--out', out], folder);
  const { metadata, components, dependencies, compositions = [] } = JSON.parse(readFileSync(out, 'utf8'));
  const names = new Map<string, string>([[metadata.component['bom-ref'], '.']]);
  for (const { 'bom-ref': ref, group, name, version = '' } of components) {
    names.set(ref, `${group === undefined ? '' : `${group}/`}${name}@${version}`);
  }
  type Entry = { readonly ref: string; readonly dependsOn: readonly string[] };
  const edges = (dependencies as Entry[]).flatMap(({ ref, dependsOn }) =>
    dependsOn.map((needed) => `${names.get(ref)} > ${names.get(needed)}`),
  );
  type Composition = { readonly aggregate: string; readonly dependencies: readonly string[] };
  const unknown = (compositions as Composition[]).flatMap((one) =>
    one.dependencies.map((ref) => `${one.aggregate} ${names.get(ref)}`),
  );
  return {
    packages: [...names.values()].filter((name) => name !== '.').sort(),
    edges: edges.sort(),
    unknown: unknown.sort(),
  };
}

describe.skipIf(isMissing('npm'))('npm', () => {
  test('a lockfile says what npm ls says', async () => {
    put('tarball/package.json', {
      name: '@acme/packed',
      version: '2.0.0',
      dependencies: { inner: '1.0.0' },
      bundledDependencies: ['inner'],
    });
    put('tarball/node_modules/inner/package.json', { name: 'inner', version: '1.0.0' });
    await tool('npm', ['pack', '--silent', '--pack-destination', folder], at('tarball'));
    put('app/package.json', {
      ...{ name: 'app', version: '1.0.0', workspaces: ['parts/*'] },
      dependencies: { '@acme/packed': 'file:../acme-packed-2.0.0.tgz', near: 'file:near' },
      devDependencies: { tool: 'file:tool' },
    });
    put('app/near/package.json', { name: 'near', version: '0.1.0', peerDependencies: { '@acme/packed': '*' } });
    put('app/tool/package.json', { name: 'tool', version: '0.2.0' });
    put('app/parts/one/package.json', { name: '@acme/one', version: '1.1.0', dependencies: { '@acme/two': '1.2.0' } });
    put('app/parts/two/package.json', {
      name: '@acme/two',
      version: '1.2.0',
      dependencies: { near: 'file:../../near' },
    });
    await tool('npm', ['install', '--package-lock-only', '--offline', '--no-audit', '--no-fund'], at('app'));
    const tree = JSON.parse(await tool('npm', ['ls', '--all', '--json', '--package-lock-only'], at('app')));
    const packages = new Set<string>();
    const edges = new Set<string>();
    type Node = { readonly version?: string; readonly dependencies?: Readonly<Record<string, Node>> };
    const walk = (from: string, { dependencies = {} }: Node) => {
      for (const [name, node] of Object.entries(dependencies)) {
        const to = `${name}@${node.version}`;
        packages.add(to);
        edges.add(`${from} > ${to}`);
        walk(to, node);
      }
    };
    walk('.', tree);
    expect(packages.size).toBe(6);
    expect(await ours(at('app/package-lock.json'))).toEqual({
      packages: [...packages].sort(),
      edges: [...edges].sort(),
      unknown: [],
    });
  });
});

describe.skipIf(isMissing('python3', 'zip'))('pip', () => {
  const wheel = async (name: string, version: string, needs: readonly string[] = []) => {
    const info = `${name}-${version}.dist-info`;
    const requires = needs.map((one) => `Requires-Dist: ${one}\n`).join('');
    put(`${name}/${info}/METADATA`, `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${requires}`);
    put(`${name}/${info}/WHEEL`, 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
    put(`${name}/${info}/RECORD`, '');
    mkdirSync(at('wheels'), { recursive: true });
    const file = at('wheels', `${name}-${version}-py3-none-any.whl`);
    await tool('zip', ['-qr', file, info], at(name));
    rmSync(at(name), { recursive: true });
    return file;
  };

  test('every line is what pip takes it for, traps included', async () => {
    for (const name of [
      'hidden',
      'feed',
      'return',
      'separator',
      'nested',
      'joined',
      'extra',
      'pinned',
      'listed',
      'paren',
    ]) {
      await wheel(name, '1.0', name === 'listed' ? ['deep'] : []);
    }
    await wheel('deep', '3.0');
    const direct = await wheel('direct', '2.0');
    const local = await wheel('local', '4.0');
    put('app/sub/more.txt', 'nested==1.0\n--constraint "the limits.txt"\n');
    put('app/sub/the limits.txt', 'pinned==1.0\nabsent==9\n');
    put(
      'app/requirements.txt',
      [
        '# a comment \\',
        'hidden==1.0',
        'feed==1.0 # c\freturn==1.0\rseparator==1.0\u2028-r sub/more.txt',
        'joi\\',
        'ned==1.0 \\',
        '  ; python_version > "3"',
        'Extra[x,y]>=0.9,==1.0;python_version>"3"',
        'pinned',
        'listed (==1.0)',
        'paren(>=1,==1.0)',
        'never==1.0; python_version < "3"',
        `direct @ file://${direct}`,
        `${local}`,
      ].join('\n'),
    );
    const args = ['-m', 'pip', 'install', '--quiet', '--dry-run', '--ignore-installed', '--no-index'];
    const report = JSON.parse(
      await tool(
        'python3',
        [...args, '--find-links', at('wheels'), '--report', '-', '-r', 'requirements.txt'],
        at('app'),
        { PIP_BREAK_SYSTEM_PACKAGES: '1', PIP_CONFIG_FILE: '/dev/null', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
      ),
    );
    type Install = {
      readonly requested: boolean;
      readonly metadata: { readonly name: string; readonly version: string };
    };
    const requested = (report.install as Install[]).flatMap(
      ({ requested: isRequested, metadata: { name, version } }) => (isRequested ? [`${name}@${version}`] : []),
    );
    expect(requested).toHaveLength(12);
    // Its marker does not hold here, and may elsewhere.
    const packages = [...requested, 'never@1.0'].sort();
    const made = await ours(at('app/requirements.txt'));
    expect({ ...made, packages: made.packages.map((name) => name.toLowerCase()).sort() }).toEqual({
      packages,
      edges: made.packages.map((name) => `. > ${name}`),
      unknown: made.packages.map((name) => `unknown ${name}`),
    });
  });
});

describe.skipIf(isMissing(GO, 'zip'))('go', () => {
  const publish = async (module: string, version: string, needs: string, source: string) => {
    const root = `${module}@${version}`;
    const mod = `module ${module}\n\ngo 1.17\n${needs}`;
    put(`source/${root}/go.mod`, mod);
    put(`source/${root}/m.go`, source);
    put(`proxy/${module}/@v/list`, `${version}\n`);
    put(`proxy/${module}/@v/${version}.info`, { Version: version, Time: '2026-01-01T00:00:00Z' });
    put(`proxy/${module}/@v/${version}.mod`, mod);
    await tool('zip', ['-qr', at('proxy', module, '@v', `${version}.zip`), root], at('source'));
  };

  test('a go.mod says the modules that go lists, and which of them are direct', async () => {
    await publish('h.example/deep', 'v1.0.0', '', 'package deep\n');
    await publish('h.example/other/v2', 'v2.1.0', '', 'package other\n');
    await publish('h.example/fork', 'v0.9.0', '', 'package fork\n');
    await publish(
      'h.example/direct',
      'v1.2.0',
      '\nrequire h.example/deep v1.0.0\n',
      'package direct\n\nimport _ "h.example/deep"\n',
    );
    put('app/near/go.mod', 'module h.example/near\n\ngo 1.17\n');
    put('app/near/m.go', 'package near\n');
    const imports = ['direct', 'other/v2', 'near', 'fork'].map((name) => `import _ "h.example/${name}"\n`);
    put('app/main.go', `package main\n\n${imports.join('')}\nfunc main() {}\n`);
    put(
      'app/go.mod',
      [
        'module h.example/app\n\ngo 1.17\n',
        'require(\n\th.example/direct v1.2.0\n\t"h.example/other/v2" v2.1.0//why\n)',
        'require h.example/near v0.0.0\nrequire h.example/fork v0.1.0',
        'replace h.example/near => ./near\nreplace h.example/fork => h.example/fork v0.9.0\nexclude h.example/deep v0.1.0\n',
      ].join('\n'),
    );
    const env = {
      ...{ GOPROXY: `file://${at('proxy')}`, GOSUMDB: 'off', GOFLAGS: '-mod=mod -modcacherw', GOTOOLCHAIN: 'local' },
      ...{
        GOMODCACHE: at('cache'),
        GOPATH: at('gopath'),
        GOCACHE: at('build'),
        GONOSUMDB: '*',
        GOENV: 'off',
        GOWORK: 'off',
      },
    };
    // As it was written, before go puts it into its own order.
    const written = readFileSync(at('app/go.mod'), 'utf8');
    await tool(GO, ['mod', 'tidy'], at('app'), env);
    const format =
      '{{if not .Main}}{{if .Indirect}}indirect{{else}}direct{{end}} {{if .Replace}}{{with .Replace}}{{.Path}} {{.Version}}{{end}} {{.Path}}{{else}}{{.Path}} {{.Version}}{{end}}{{end}}';
    const listed = (await tool(GO, ['list', '-m', '-f', format, 'all'], at('app'), env))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(/ +/) as [string, string, string, string?])
      // A folder has no version, and is called by the module that it replaces.
      .map(
        ([how, path, version, of]) => [how, path.startsWith('.') ? `${of ?? version}@` : `${path}@${version}`] as const,
      );
    const expected = {
      packages: listed.map(([, name]) => name).sort(),
      edges: listed.flatMap(([how, name]) => (how === 'direct' ? [`. > ${name}`] : [])).sort(),
      unknown: listed.map(([, name]) => `unknown ${name}`).sort(),
    };
    expect(expected.packages).toHaveLength(5);
    expect(await ours(at('app/go.mod'))).toEqual(expected);
    put('app/go.mod', written);
    const isListed = (name: string) => !name.includes('deep');
    expect((await ours(at('app/go.mod'))).packages).toEqual(expected.packages.filter(isListed));
  });
});
