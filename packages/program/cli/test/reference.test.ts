import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { tarGz } from '@colophon/testkit/package-registry/archives';
import { type Registry, startRegistry } from '@colophon/testkit/package-registry/registry';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, type Ran, runLine } from './command-line.ts';

// A gate compares a tree with a package. Whoever wrote the tree wrote every file in it.
const PROGRAM = join(import.meta.dirname, '../bin/colophon.js');
const PURL = 'pkg:npm/fair-split@2.1.0';

const PUBLISHED = `export function fairSplit(amount, people) {
  const shares = [];
  let left = amount;
  for (const person of people) {
    const share = Math.floor(left / (people.length - shares.length));
    shares.push({ person: person.name, share, paid: false });
    left -= share;
  }
  if (left !== 0) throw new RangeError('nothing may be left over: ' + left);
  return shares.sort((one, other) => other.share - one.share || one.person.localeCompare(other.person));
}
`;
const INNOCENT = `export class Queue {
  #items = new Map();
  async *drain(signal) {
    while (!signal.aborted && this.#items.size > 0) {
      const [key, item] = this.#items.entries().next().value;
      this.#items.delete(key);
      try { yield await item(); } catch { continue; }
    }
  }
}
`;
const COPIED = PUBLISHED.replaceAll(/\b(?:fairSplit|amount|people|shares|left|person|share)\b/g, (word) => `${word}2`);

let registry: Registry;
let home: string;
let tree: string;
/** Writes a file of the judged tree. */
function plant(path: string, content: string, folder = tree): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

async function publish(to: Registry, source: string, licence: string): Promise<void> {
  const archive = await tarGz({
    'package/package.json': JSON.stringify({ name: 'fair-split', version: '2.1.0', license: licence }),
    'package/index.js': source,
  });
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const dist = { tarball: `${to.url}/fair-split/-/fair-split-2.1.0.tgz`, integrity };
  to.files['/fair-split'] = JSON.stringify({ versions: { '2.1.0': { dist } } });
  to.files['/fair-split/-/fair-split-2.1.0.tgz'] = archive;
}

/** Runs the program where the tree is, as a job does that has checked it out. */
function inTree(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const options = { cwd: tree, env: { PATH: process.env['PATH'], HOME: home, ...env }, timeout: 60_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const GATE = ['sbom', 'similarity', '--against', PURL, '--fail-on', 'strong', '-o', 'json'];
const VENDOR = ['sbom', 'vendor', '--made-from', PURL, '-o', 'json'];
/** The same here, about the tree. */
const gate = (...args: string[]) => runLine([...GATE, join(tree, 'src'), ...args], { HOME: home });
const vendor = (args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  runLine([...VENDOR, join(tree, 'src/shares.js'), '--out', join(home, 'out.json'), ...args], { HOME: home, ...env });
const similarity = (...args: string[]) => runLine(['sbom', 'similarity', ...args, '-o', 'json'], { HOME: home });

beforeEach(async () => {
  registry = await startRegistry(onTestFinished);
  await publish(registry, PUBLISHED, 'GPL-3.0-only');
  home = temporaryFolder(onTestFinished);
  writeFileSync(join(home, '.npmrc'), `registry=${registry.url}\n`);
  tree = temporaryFolder(onTestFinished);
  mkdirSync(join(tree, '.git'));
  plant('src/shares.js', COPIED);
});

/** What the author of a tree puts beside a copy, so that the gate compares it with something else. */
const PLANTED: ReadonlyArray<[string, () => void | Promise<void>]> = [
  ['nothing', () => {}],
  [
    'a package of that name and version in node_modules',
    () => {
      plant('node_modules/fair-split/package.json', '{"name":"fair-split","version":"2.1.0","license":"MIT"}');
      plant('node_modules/fair-split/index.js', INNOCENT);
    },
  ],
  [
    'an .npmrc with another registry',
    async () => {
      const other = await startRegistry(onTestFinished);
      await publish(other, INNOCENT, 'MIT');
      plant('.npmrc', `registry=${other.url}\n`);
      plant('src/.npmrc', `registry=${other.url}\n`);
    },
  ],
  [
    'settings of pip, cargo, go and yarn with another registry',
    async () => {
      const other = await startRegistry(onTestFinished);
      await publish(other, INNOCENT, 'MIT');
      plant('.yarnrc', `registry "${other.url}"\n`);
      plant('.yarnrc.yml', `npmRegistryServer: "${other.url}"\n`);
      plant('pip.conf', `[global]\nindex-url = ${other.url}/simple\n`);
      plant(
        '.cargo/config.toml',
        `[source.crates-io]\nreplace-with = "other"\n[source.other]\nregistry = "sparse+${other.url}/"\n`,
      );
      plant('go.sum', 'example.com/pad v1.0.0 h1:AAAA\n');
      plant('.env', `npm_config_registry=${other.url}\n`);
      plant('colophon.yaml', `registry: ${other.url}\n`);
      plant('.colophon.yaml', `registry: ${other.url}\n`);
    },
  ],
];

test.each(PLANTED)('a copy is held against the package of the registry in a tree with %s', async (_, put) => {
  await put();
  const ran = await inTree([...GATE, 'src']);
  const { ok, reference, files } = documentOf(ran);
  expect([ran.exitCode, ok, reference, files[0]?.verdict]).toEqual([21, false, 'registry', 'strong']);
});

test('rewritten code has the licence of the package of the registry, whatever lies in the tree', async () => {
  for (const [, put] of PLANTED) await put();
  const ran = await inTree([...VENDOR, 'src/shares.js', '--out', 'vendored.json']);
  expect(documentOf(ran)).toMatchObject({ ok: true, licence: 'GPL-3.0-only', reference: 'registry' });
});

test('what npm hands on of the .npmrc of the tree is refused, and says how it is meant', async () => {
  const other = await startRegistry(onTestFinished);
  await publish(other, INNOCENT, 'MIT');
  const userconfig = plant('evil', `registry=${other.url}\n`);
  for (const handedOn of [{ npm_config_registry: other.url }, { npm_config_userconfig: userconfig }]) {
    const env = { HOME: home, npm_command: 'exec', ...handedOn };
    for (const ran of [await runLine([...GATE, join(tree, 'src')], env), await vendor([], env)]) {
      expect([ran.exitCode, documentOf(ran).error.code]).toEqual([13, 'feeds.registry_unclear']);
    }
  }
  expect(other.requests).toEqual([]);
  const meant = { npm_command: 'exec', npm_config_registry: other.url, NPM_CONFIG_REGISTRY: registry.url };
  expect(documentOf(await vendor([], meant)).licence).toBe('GPL-3.0-only');
});

test.each<[string, NodeJS.ProcessEnv, () => void]>([
  [
    'a folder',
    {},
    () => {
      rmSync(join(home, '.npmrc'));
      mkdirSync(join(home, '.npmrc'));
    },
  ],
  ['UTF-16', {}, () => writeFileSync(join(home, '.npmrc'), Buffer.from(`registry=${registry.url}\n`, 'utf16le'))],
  ['a variable that is not set', {}, () => writeFileSync(join(home, '.npmrc'), `registry=\${CORP_NPM}\n`)],
  ['no such file', { NPM_CONFIG_USERCONFIG: '/nowhere/npmrc' }, () => {}],
])('a reader’s .npmrc that cannot be used is not taken for none: %s', async (_, env, spoil) => {
  spoil();
  for (const ran of [await runLine([...GATE, join(tree, 'src')], { HOME: home, ...env }), await vendor([], env)]) {
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([1, 'feeds.settings_unreadable']);
  }
  expect(registry.requests).toEqual([]);
});

describe('a copy in the tree', () => {
  beforeEach(() => {
    plant('node_modules/fair-split/package.json', '{"name":"fair-split","version":"2.1.0","license":"MIT"}');
    plant('node_modules/fair-split/index.js', INNOCENT);
  });

  test('is not used without a network either, unless it is named', async () => {
    const index = ['index', '--out', join(home, 'index'), PURL, '--offline'];
    for (const ran of [await gate('--offline'), await vendor(['--offline']), await similarity(...index)]) {
      expect([ran.exitCode, documentOf(ran).error.code]).toEqual([1, 'cli.usage']);
    }
    expect(registry.requests).toEqual([]);
  });

  test('is used where it is named, and the result says so', async () => {
    const copy = join(tree, 'node_modules/fair-split');
    const found = documentOf(await similarity('--against', copy, join(tree, 'src')));
    expect([found.reference, found.files[0].verdict]).toEqual(['judged tree', 'noise']);
    const pair = await similarity(join(tree, 'src/shares.js'), join(copy, 'index.js'));
    expect(documentOf(pair).reference).toBe('judged tree');
    const told = await runLine(['sbom', 'similarity', '--against', copy, join(tree, 'src')]);
    expect(told.stdout).toContain('reference: judged tree\n');
    const ran = await vendor(['--source', copy, '--offline']);
    expect(documentOf(ran)).toMatchObject({ licence: 'MIT', reference: 'judged tree' });
    expect(registry.requests).toEqual([]);
  });

  test.each<[string, string, () => string]>([
    ['outside of it', 'given', () => dirname(plant('pad/index.js', INNOCENT, temporaryFolder(onTestFinished)))],
    [
      'outside, through a link of the tree',
      'judged tree',
      () => {
        const folder = temporaryFolder(onTestFinished);
        plant('index.js', INNOCENT, folder);
        symlinkSync(folder, join(tree, 'link'));
        return join(tree, 'link');
      },
    ],
    [
      'inside, through a link from outside',
      'judged tree',
      () => {
        const link = join(temporaryFolder(onTestFinished), 'link');
        symlinkSync(join(tree, 'node_modules/fair-split'), link);
        return link;
      },
    ],
    [
      'in a tree that brings a second .git',
      'judged tree',
      () => {
        mkdirSync(join(tree, 'src/.git'));
        return join(tree, 'node_modules/fair-split');
      },
    ],
  ])('a reference %s is: %s', async (_, expected, put) => {
    expect(documentOf(await similarity('--against', put(), join(tree, 'src'))).reference).toBe(expected);
  });
});

test('without a repository the tree is what is judged, or the current folder that it is in', async () => {
  const judged = temporaryFolder(onTestFinished);
  const source = plant('src/shares.js', COPIED, judged);
  const beside = plant('pad/index.js', INNOCENT, judged);
  const reference = async (...args: string[]) => documentOf(await similarity(...args)).reference;
  expect(await reference('--against', dirname(beside), dirname(source))).toBe('given');
  expect(await reference(source, beside)).toBe('given');
  expect(await reference('--against', dirname(source), source)).toBe('judged tree');
  tree = judged;
  const ran = await inTree(['sbom', 'similarity', '--against', 'pad', 'src', '-o', 'json']);
  expect(documentOf(ran).reference).toBe('judged tree');
});

describe('a file that is not read', () => {
  const against = () => ['sbom', 'similarity', '--against', join(home, 'reference'), join(tree, 'src'), '-o', 'json'];
  const strict = () => [...against(), '--fail-on', 'strong'];
  beforeEach(() => {
    plant('reference/index.js', PUBLISHED, home);
    plant('src/shares.js', INNOCENT);
  });

  test('is nothing that a gate misses where there is none', async () => {
    const ran = await runLine(strict());
    expect([ran.exitCode, ran.stderr, documentOf(ran).unread]).toEqual([0, '', { count: 0, files: [] }]);
  });

  test.each<[string, string, string, () => void]>([
    [
      'of a language that is not compared',
      'shares.rb',
      'of no language',
      () => plant('src/shares.rb', 'def f; 1; end\n'),
    ],
    ['without a name that says its language', 'tool', 'of no language', () => plant('src/tool', COPIED)],
    [
      'behind a link',
      'link.js',
      'a link',
      () => symlinkSync(join(home, 'reference/index.js'), join(tree, 'src/link.js')),
    ],
    ['in node_modules', 'node_modules', 'not part of the source', () => plant('src/node_modules/a/a.js', COPIED)],
    ['with a NUL in it', 'nul.es6', 'binary', () => plant('src/nul.es6', `/*\0*/${COPIED}`)],
    [
      'too large to be read',
      'large.es6',
      'over',
      () => plant('src/large.es6', `//${' '.repeat(8 * 1024 * 1024)}\n${COPIED}`),
    ],
    [
      'with nothing that a parser takes',
      'deep.js',
      '',
      () => plant('src/deep.js', `//${' '.repeat(4 * 1024 * 1024)}\n${COPIED}`),
    ],
  ])('%s is named, and closes a gate until that is allowed', async (_, name, reason, put) => {
    put();
    const found = documentOf(await runLine(against()));
    expect(found.ok).toBe(true);
    expect(found.unread).toEqual({
      count: 1,
      files: [{ file: join(tree, 'src', name), reason: expect.stringContaining(reason) }],
    });
    const closed = await runLine(strict());
    expect([closed.exitCode, documentOf(closed).ok, documentOf(closed).unread]).toEqual([21, false, found.unread]);
    expect(closed.stderr).toContain('--allow-unread');
    const open = await runLine([...strict(), '--allow-unread']);
    expect([open.exitCode, documentOf(open).ok, documentOf(open).unread]).toEqual([0, true, found.unread]);
    const told = await runLine(against().slice(0, -2));
    expect(told.stdout).toContain(`1 not read: ${join(tree, 'src', name)}`);
  });

  test('does not open a gate that a verdict closes', async () => {
    plant('src/copy.js', COPIED);
    plant('src/notes.md', 'words');
    expect((await runLine([...strict(), '--allow-unread'])).exitCode).toBe(21);
  });

  test('is counted where there are many, and the first hundred are named', async () => {
    for (let i = 0; i < 130; i++) plant(`src/many/${1000 + i}.rb`, 'def f; 1; end\n');
    const { unread } = documentOf(await runLine(against()));
    expect([unread.count, unread.files.length, unread.files[0].file]).toEqual([
      130,
      100,
      join(tree, 'src/many/1000.rb'),
    ]);
  });

  test('is none in a history, or of another language than the caller asks for', async () => {
    plant('src/.git/config', '');
    plant('src/more.py', 'def f(a):\n  return a\n');
    const ran = await runLine([...strict(), '--language', 'javascript']);
    expect([ran.exitCode, documentOf(ran).unread.count, documentOf(ran).other_language_count]).toEqual([0, 0, 1]);
    plant('src/more.rb', 'def f; 1; end\n');
    expect((await runLine([...strict(), '--language', 'javascript'])).exitCode).toBe(21);
  });

  test('is allowed to a gate alone', async () => {
    const ran = await runLine([...against(), '--allow-unread']);
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([1, 'cli.usage']);
    const index = await runLine(['sbom', 'similarity', 'index', '--out', 'i', tree, '--allow-unread', '-o', 'json']);
    expect([index.exitCode, documentOf(index).error.code]).toEqual([1, 'cli.usage']);
  });

  test('of a file in a folder that is vendored is named too', async () => {
    plant('src/shares.js', COPIED);
    plant('src/shares.rb', 'def f; 1; end\n');
    plant('pad/package.json', '{"name":"fair-split","version":"2.1.0","license":"MIT"}', home);
    plant('pad/index.js', PUBLISHED, home);
    const line = ['sbom', 'vendor', join(tree, 'src'), '--made-from', PURL, '--source', join(home, 'pad')];
    const found = documentOf(await runLine([...line, '--out', join(home, 'out.json'), '-o', 'json']));
    expect(found.reference).toBe('given');
    expect(found.similarity.unread).toEqual({
      count: 1,
      files: [{ file: 'src/shares.rb', reason: 'of no language that is compared here' }],
    });
  });
});
