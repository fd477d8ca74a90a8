import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LockedProject } from './locked-project.ts';
import { readLockfile } from './read-lockfile.ts';

const VECTORS = join(import.meta.dirname, '../../vectors/lockfile');
const text = (...path: string[]) => readFileSync(join(VECTORS, ...path), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: the output of others' tools, see vectors/lockfile/README.md
const json = (...path: string[]): any => JSON.parse(text(...path));

/** What somebody says of a project: packages, and edges `from > to`; `.` is the project itself. */
type Said = { readonly packages: readonly string[]; readonly edges: readonly string[] };

const sorted = (texts: Iterable<string>) => [...new Set(texts)].sort();
const said = (packages: Iterable<string>, edges: Iterable<string>): Said => ({
  packages: sorted(packages),
  edges: sorted(edges),
});

async function ours(...path: string[]): Promise<Said> {
  const project = await readLockfile(join(VECTORS, ...path));
  return saidBy(project);
}

function saidBy({ packages, dependsOn = [] }: LockedProject): Said {
  const names = new Map(
    packages.map(({ key, group, name, version }) => [key, `${group ? `${group}/` : ''}${name}@${version ?? ''}`]),
  );
  return said(names.values(), [
    ...dependsOn.map((key) => `. > ${names.get(key)}`),
    ...packages.flatMap(({ key, dependsOn: needed = [] }) =>
      needed.map((one) => `${names.get(key)} > ${names.get(one)}`),
    ),
  ]);
}

type Nodes = { readonly [name: string]: Node };
type Node = {
  readonly from?: string;
  readonly version?: string;
  readonly extraneous?: boolean;
  readonly dependencies?: Nodes;
  readonly devDependencies?: Nodes;
  readonly optionalDependencies?: Nodes;
};

/** Of a tree of npm or pnpm; `nameOf` is undefined for what is a part of the project. */
function saidByTree(root: Node, nameOf: (name: string, node: Node) => string | undefined): Said {
  const packages: string[] = [];
  const edges: string[] = [];
  const walk = (from: string, { dependencies, devDependencies, optionalDependencies }: Node) => {
    for (const [name, node] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      const to = nameOf(name, node);
      if (to !== undefined && to !== from) {
        packages.push(to);
        if (node.extraneous !== true) edges.push(`${from} > ${to}`);
      }
      walk(to ?? '.', node);
    }
  };
  walk('.', root);
  return said(packages, edges);
}

const ALIAS: Readonly<Record<string, string>> = { short: 'ms' };
const npmLs = (folder: string) =>
  saidByTree(json(folder, 'npm-ls.json'), (name, { version }) => `${ALIAS[name] ?? name}@${version}`);

describe('npm', () => {
  test.each(['npm-v2', 'npm-v3', 'npm-workspaces'])('%s: what npm ls says', async (folder) => {
    expect(await ours(folder, 'package-lock.json')).toEqual(npmLs(folder));
  });

  test('npm-v1: what npm ls says, but for peers and the versions of folders, which are not in it', async () => {
    const project = await readLockfile(join(VECTORS, 'npm-v1', 'package-lock.json'));
    const versionless = (texts: readonly string[]) =>
      texts.map((one) => one.replaceAll(/(local|@vector\/one)@[\d.]+/g, '$1@'));
    const { packages, edges } = npmLs('npm-v1');
    expect(saidBy(project)).toEqual(said(versionless(packages), versionless(edges)));
    expect(project.packages.every(({ isIncomplete }) => isIncomplete)).toBe(true);
    expect(project.notes?.at(-1)).toContain('peers');
  });
});

test('pip: what pip was asked for; what needs what, and what else comes along, is not in it', async () => {
  type Install = {
    readonly requested: boolean;
    readonly metadata: { readonly name: string; readonly version: string };
  };
  const report = json('pip', 'report.json').install as Install[];
  const requested = report.flatMap(({ requested: isRequested, metadata: { name, version } }) =>
    isRequested ? [`${name}@${version}`] : [],
  );
  // Its marker does not hold where pip ran.
  const expected = [...requested, 'colorama@0.4.6'];
  expect(await ours('pip', 'requirements.txt')).toEqual(
    said(
      expected,
      expected.map((name) => `. > ${name}`),
    ),
  );
});

test('go: every module of the file as Go builds it, and which of them are direct', async () => {
  const modules = text('go', 'list.txt')
    .trim()
    .split('\n')
    .map(
      (line) => /^(\S+) (\S+) (\S*) ?(main|direct|indirect)$/.exec(line)!.slice(1) as [string, string, string, string],
    );
  const required = new Set(
    text('go', 'go.mod')
      .match(/^(?:require)?\s+\S+\.\S+\/\S+(?= v)/gm)!
      .map((line) => line.split(/\s+/)[1]),
  );
  const listed = modules.filter(([path]) => required.has(path));
  // A folder has no version, and is called by the module that it replaces.
  const nameOf = ([path, built, version]: readonly string[]) =>
    built!.startsWith('.') ? `${path}@` : `${built}@${version}`;
  expect(await ours('go', 'go.mod')).toEqual(
    said(
      listed.map(nameOf),
      listed.filter(([, , , how]) => how === 'direct').map((one) => `. > ${nameOf(one)}`),
    ),
  );
  // What Go lists besides provides no package to the build, and the file does not name it.
  expect(modules.filter(([path, , , how]) => how !== 'main' && !required.has(path)).map(([, , , how]) => how)).toEqual(
    Array(7).fill('indirect'),
  );
});

test('cargo: what cargo metadata says', async () => {
  const { packages, resolve } = json('cargo', 'metadata.json');
  type Package = { readonly id: string; readonly name: string; readonly version: string };
  const names = new Map(
    packages.map(({ id, name, version }: Package) => [id, id === resolve.root ? '.' : `${name}@${version}`]),
  );
  const edges = resolve.nodes.flatMap(({ id, dependencies }: { id: string; dependencies: string[] }) =>
    dependencies.map((needed) => `${names.get(id)} > ${names.get(needed)}`),
  );
  const others = [...names.values()].filter((name) => name !== '.') as string[];
  expect(await ours('cargo', 'Cargo.lock')).toEqual(said(others, edges));
});

/** Of a tree that is drawn: four signs a level, then name and version, or name and range. */
function saidByDrawing(drawing: string, nameOf: (name: string, version: string) => string): Said {
  const packages: string[] = [];
  const edges: string[] = [];
  const above: string[] = [];
  for (const line of drawing.trimEnd().split('\n')) {
    const [, branch = '', name = '', version = ''] = /^((?:[│├└─ ]{4})*)(\S+) (\S+)/.exec(line)!;
    const to = nameOf(name, version);
    const level = branch.length / 4;
    above[level] = to;
    packages.push(to);
    if (level > 0) edges.push(`${above[level - 1]} > ${to}`);
  }
  return said(
    packages.filter((name) => name !== '.'),
    edges,
  );
}

test('uv: what uv tree says, with every extra, group and platform', async () => {
  const nameOf = (name: string, version: string) => (name === 'vector' ? '.' : `${name}@${version.slice(1)}`);
  expect(await ours('uv', 'uv.lock')).toEqual(saidByDrawing(text('uv', 'tree.txt'), nameOf));
});

test('poetry: what poetry show --tree says, with every extra and group', async () => {
  const tree = text('poetry', 'tree.txt');
  const locked = await readLockfile(join(VECTORS, 'poetry', 'poetry.lock'));
  // Below the first level poetry draws the range, and not the version.
  const versions = new Map(locked.packages.map(({ name, version }) => [name, version]));
  const byPoetry = saidByDrawing(tree, (name) => `${name}@${versions.get(name)}`);
  const direct = tree.match(/^[\w-]+/gm)!.map((name) => `. > ${name}@${versions.get(name)}`);
  expect(saidBy(locked)).toEqual(said(byPoetry.packages, [...byPoetry.edges, ...direct]));
});

test('pnpm: what pnpm list says, workspaces being parts of the project', async () => {
  const importers = json('pnpm', 'list.json') as Node[];
  const all = importers.map((importer) =>
    saidByTree(importer, (name, { from = name, version }) =>
      version?.startsWith('link:') ? undefined : `${from}@${version}`,
    ),
  );
  expect(await ours('pnpm', 'pnpm-lock.yaml')).toEqual(
    said(
      all.flatMap(({ packages }) => packages),
      all.flatMap(({ edges }) => edges),
    ),
  );
});
