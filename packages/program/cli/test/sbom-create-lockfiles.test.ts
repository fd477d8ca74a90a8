import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { PackageURL } from 'packageurl-js';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { SbomCreateResult } from '../src/commands/sbom/document-results.ts';
import { documentOf, runLine } from './command-line.ts';

const SHA256 = '0f'.repeat(32);
const integrity = (byte: number) => `sha512-${Buffer.alloc(64, byte).toString('base64')}`;

let folder: string;
const at = (name: string) => join(folder, name);
const put = (name: string, content: string) => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
  return at(name);
};

beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
});

type Made = {
  readonly text: string;
  /** By bom-ref: what it needs, undefined where the graph has no entry. */
  readonly needs: (ref: string) => readonly string[] | undefined;
  readonly purls: readonly string[];
  readonly names: readonly string[];
  readonly notes: readonly string[];
  readonly root: string;
  readonly compositions: ReadonlyArray<{ readonly aggregate: string; readonly dependencies: readonly string[] }>;
};

/** What is said of a document, in words. */
function notesOf({ notes, completions }: SbomCreateResult): readonly string[] {
  return [...notes, ...completions.map(({ message }) => message)];
}

/** Makes the document of the first of some files, which has to be valid, and reads it. */
async function create(files: Readonly<Record<string, string>>, ...flags: string[]): Promise<Made> {
  for (const [name, content] of Object.entries(files)) put(name, content);
  const out = at('out/made.cdx.json');
  mkdirSync(dirname(out), { recursive: true });
  const ran = await runLine(['sbom', 'create', at(Object.keys(files)[0]!), '--out', out, '-o', 'json', ...flags], {
    PATH: '',
    SOURCE_DATE_EPOCH: '1763719200',
  });
  expect(ran.exitCode, ran.stdout).toBe(0);
  const text = readFileSync(out, 'utf8');
  const document = JSON.parse(text);
  // biome-ignore lint/suspicious/noExplicitAny: a document of the program
  const components: any[] = document.components;
  return {
    text,
    needs: (ref) => document.dependencies.find((entry: { ref: string }) => entry.ref === ref)?.dependsOn,
    purls: components.map(({ purl }) => purl),
    names: components.map(({ name, version }) => (version === undefined ? name : `${name}@${version}`)),
    notes: notesOf(documentOf(ran)),
    root: document.metadata.component['bom-ref'],
    compositions: document.compositions ?? [],
  };
}

/** The code of the refusal of a lockfile. */
async function refusal(name: string, content: string): Promise<string> {
  const ran = await runLine(['sbom', 'create', put(name, content), '-o', 'json'], { PATH: '' });
  expect(ran.exitCode, ran.stdout).toBe(1);
  return documentOf(ran).error.code;
}

const requirements = (text: string, more: Record<string, string> = {}) => create({ 'requirements.txt': text, ...more });
const goMod = (text: string) => create({ 'go.mod': `module example.com/app\n\ngo 1.22\n\n${text}` });

describe('requirements.txt', () => {
  test('an editable repository is a component', async () => {
    const { purls, notes } = await requirements('-e git+https://github.com/pallets/click.git@8.1.7#egg=click\n');
    expect(purls).toEqual(['pkg:pypi/click?vcs_url=git%2Bhttps%3A%2F%2Fgithub.com%2Fpallets%2Fclick.git%408.1.7']);
    expect(notes.join()).not.toMatch(/line/);
  });

  test.each([
    ['git+https://h.example/jinja.git#egg=jinja2', 'pkg:pypi/jinja2?vcs_url=git%2Bhttps%3A%2F%2Fh.example%2Fjinja.git'],
    [
      'git+https://h.example/x.git#egg=a[b]&subdirectory=s',
      'pkg:pypi/a?vcs_url=git%2Bhttps%3A%2F%2Fh.example%2Fx.git%23s',
    ],
    ['a @ git+ssh://git@h.example/x.git@abc', 'pkg:pypi/a?vcs_url=git%2Bssh%3A%2F%2Fgit%40h.example%2Fx.git%40abc'],
    [
      'https://h.example/a_b-1.0-py3-none-any.whl',
      'pkg:pypi/a-b@1.0?download_url=https%3A%2F%2Fh.example%2Fa_b-1.0-py3-none-any.whl',
    ],
    ['./wheels/a-1.0-py3-none-any.whl', 'pkg:pypi/a@1.0'],
    ['a (==1.0)', 'pkg:pypi/a@1.0'],
    ['a[b, c] == 1.0, >=0.9 ; python_version > "3"', 'pkg:pypi/a@1.0'],
    [`a===1.0 --hash=sha256:${SHA256}`, 'pkg:pypi/a@1.0'],
    ['a==1.0 \\\n  --hash=sha256:00 \\\n  --hash=sha256:11', 'pkg:pypi/a@1.0'],
    ['req\\\nuests==1.0', 'pkg:pypi/requests@1.0'],
    ['\ufeffa==1.0', 'pkg:pypi/a@1.0'],
  ])('%j is %s', async (line, purl) => {
    expect((await requirements(`${line}\n`)).purls).toEqual([purl]);
  });

  test('files that it names are followed, once each, and cycles end', async () => {
    const { names, notes } = await requirements('-r sub/more.txt\n--requirement=sub/more.txt\na==1\n', {
      'sub/more.txt': '-r ../requirements.txt\n-rdeep.txt\nb==2\n',
      'sub/deep.txt': '-c "../the limits.txt"\nc\n',
      'the limits.txt': 'c==3\nd==4\n',
    });
    expect(names).toEqual(['a@1', 'b@2', 'c@3']);
    expect(notes).toContainEqual(expect.stringMatching(/^the limits\.txt line 2 \(d\): a constraint on what no line/));
  });

  test('a file elsewhere on the machine is not read, whichever way leads there', async () => {
    const other = temporaryFolder(onTestFinished);
    writeFileSync(join(other, 'stolen.txt'), 'stolen==1\n');
    symlinkSync(join(other, 'stolen.txt'), at('linked.txt'));
    symlinkSync(other, at('linked'));
    const lines = ['../../etc/passwd', '/etc/passwd', join(other, 'stolen.txt'), 'linked.txt', 'linked/stolen.txt'];
    const more = ['https://h.example/r.txt', 'file:///etc/passwd', 'absent.txt', '.', ''];
    const { text, names, notes, compositions, root } = await requirements(
      [...lines, ...more].map((path) => `-r "${path}"\n`).join(''),
    );
    expect(names).toEqual([]);
    expect(text).not.toMatch(/stolen|passwd|root:/);
    const numbers = notes.flatMap((note) => [...note.matchAll(/\bline (\d+)/g)].map(([, number]) => Number(number)));
    expect(numbers.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(compositions).toEqual([{ aggregate: 'incomplete', dependencies: [root] }]);
  });

  test('what the packages need is not said: they are not in the graph, and compositions say so', async () => {
    const { needs, root, compositions, notes } = await requirements('a==1\nb==2\n');
    expect(needs(root)).toEqual(['pkg:pypi/a@1', 'pkg:pypi/b@2']);
    expect([needs('pkg:pypi/a@1'), needs('pkg:pypi/b@2')]).toEqual([undefined, undefined]);
    expect(compositions).toEqual([{ aggregate: 'unknown', dependencies: ['pkg:pypi/a@1', 'pkg:pypi/b@2'] }]);
    expect(notes).toContainEqual(expect.stringContaining('2 components'));
  });

  test.each([
    ['a comment that ends in a backslash', '# nothing to see \\\nhidden==1\n'],
    ['a carriage return after a comment', 'a==1 # looks harmless\rhidden==1\n'],
    ['a line separator', 'a==1 # looks harmless\u2028hidden==1\n'],
    ['a form feed', 'a==1\fhidden==1\n'],
  ])('%s hides no line from us that pip sees', async (_what, text) => {
    expect((await requirements(text)).names).toContain('hidden@1');
  });

  test('one name in several versions is several components, and said', async () => {
    const { names, notes } = await requirements('A_b==1\na-B>=1\na.b==2 ; python_version < "3"\n');
    expect(names).toEqual(['A_b@1', 'a.b@2']);
    expect(notes).toContainEqual(expect.stringMatching(/^line 1 and line 3 \(a-b\): one package in several versions/));
  });

  test('a file that is not read is named', async () => {
    const { notes } = await requirements('-r missing.txt\n-c https://me:(sesame@h.example/c.txt?sig=sesame\na==1\n');
    expect(notes.slice(0, 2)).toEqual([
      'line 1 (missing.txt): the file that it names is not read: it is not there',
      'line 2 (https://h.example/c.txt): the file that it names is not read: it is not in the folder',
    ]);
  });

  test('logins and secrets in addresses are nowhere', async () => {
    const { text, notes } = await requirements(
      [
        '--index-url https://me:sesame@h.example/simple',
        '-e git+https://sesame@h.example/a.git#egg=a',
        'git+https://me:sesame@h.example/b.git',
        'c @ https://me:ses@me:sesame@h.example/c-1-py3-none-any.whl?private_token=sesame&rev=1&X-Amz-Signature=sesame&sas=sesame&code=sesame&access=sesame',
        'git+https://$' + '{USER}:sesame@h.example/d.git#egg=d',
        'git+ssh://git:sesame@h.example/e.git#egg=e',
        'nonsense https://me:sesame@h.example/f',
      ].join('\n'),
    );
    expect(`${text}${notes.join()}`).not.toMatch(/sesame|ses@/);
    expect(text).toContain('rev%3D1');
  });

  test.each([
    ['git+https://h.example/evil.git#egg=../../x', 'evil', 'pkg:generic/evil'],
    ['git+https://h.example/evil.git#egg=x@1?vcs_url=y', 'evil', 'pkg:generic/evil'],
    ['git+https://h.example/evil.git', 'evil', 'pkg:generic/evil'],
    ['https://h.example/down.tar.gz?x=1', 'down.tar.gz', 'pkg:generic/down.tar.gz'],
    ['./folder', 'folder', undefined],
  ])('%s has no name of its own: it is called by its place, and that is said', async (line, name, purl) => {
    const { names, purls, notes } = await requirements(`${line}\n`);
    expect([names, purls[0]?.split('?')[0]]).toEqual([[name], purl]);
    expect(notes).toContainEqual(expect.stringMatching(/^line 1 \(.*\): does not say what the package is called/));
  });

  test.each([
    'git+https://h.example/a\u202e.git#egg=b',
    'a\u200b==1',
    'a==1\u202e',
    'a==1 b==2',
    '--weird x',
    '(a',
    '-e a',
    'a @ b',
  ])('%j is no requirement, and said to be none', async (line) => {
    const { names, notes, compositions } = await requirements(`${line}\n`);
    expect([names, compositions[0]?.aggregate]).toEqual([[], 'incomplete']);
    expect(notes).toContainEqual(expect.stringMatching(/^line 1: no requirement that is understood/));
  });

  test('names that differ for one package are told', async () => {
    const { names, notes } = await requirements('a @ https://h.example/evil-1.0-py3-none-any.whl#egg=c\n');
    expect(names).toEqual(['a@1.0']);
    expect(notes).toContainEqual(expect.stringMatching(/^line 1 \(a, c, evil\): gives one package different names/));
  });

  test('folders of the project are called as their manifest says', async () => {
    const { names, notes } = await requirements('-e .\n-e ./libs/one[x]\n', {
      'libs/one/pyproject.toml': '[project]\nname = "the-one"\nversion = "0.3"\n',
    });
    expect(names).toEqual(['the-one@0.3']);
    expect(notes).toContainEqual(expect.stringMatching(/^line 1: the project itself/));
  });

  test('lines that are made to take long are read at once', async () => {
    const many = (sign: string) => sign.repeat(200_000);
    const lines = [
      `a${many('[')}`,
      `-r ${many('"')}"`,
      `-r "${many('\\"')}`,
      `./${many('/')}x`,
      `a @ b${many(' ')}c`,
      `x;${many(' ')}y`,
    ];
    const { notes } = await requirements([...lines, `${many('\\')}x\\`, `git+https:${many('/')}x`].join('\n'));
    expect(notes[0]).toMatch(/^line 1, /);
  });

  test('100,000 lines are read', async () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => (index % 2 === 0 ? `p${index}==1` : `(${index}`));
    const { names, notes } = await requirements(lines.join('\n'));
    expect(names).toHaveLength(50_000);
    expect(notes[0]).toMatch(/^line 2, .* and 49980 more: no requirement/);
  });
});

describe('go.mod', () => {
  test('what modules need is not said: they are not in the graph, and compositions say so', async () => {
    const { needs, root, compositions } = await goMod(
      'require a.example/x v1.0.0\nrequire b.example/y v1.0.0 // indirect\n',
    );
    expect(needs(root)).toEqual(['pkg:golang/a.example/x@v1.0.0']);
    const modules = ['pkg:golang/a.example/x@v1.0.0', 'pkg:golang/b.example/y@v1.0.0'];
    expect(modules.map(needs)).toEqual([undefined, undefined]);
    expect(compositions).toEqual([{ aggregate: 'unknown', dependencies: modules }]);
  });

  test('a project with indirect requirements alone needs none directly', async () => {
    const { needs, root } = await goMod('require a.example/x v1.0.0 // indirect; for y\n');
    expect(needs(root)).toEqual([]);
  });

  test.each([
    ['a bracket beside the word', 'require(\n\ta.example/x v1.0.0\n)\n'],
    ['quotes', 'require "a.example/x" `v1.0.0`\n'],
    ['a comment beside the version', 'require a.example/x v1.0.0//indirect?\n'],
    ['carriage returns', 'require (\r\n\ta.example/x v1.0.0\r\n)\r\n'],
  ])('%s hides no module', async (_what, text) => {
    const { needs, root } = await goMod(text);
    expect(needs(root)).toEqual(['pkg:golang/a.example/x@v1.0.0']);
  });

  test('a module that is replaced by a folder has no published version', async () => {
    const { purls, notes } = await goMod('require a.example/x v1.0.0\nreplace a.example/x => ./x\n');
    expect(purls).toEqual(['pkg:golang/a.example/x']);
    expect(notes).toContainEqual(expect.stringMatching(/^line 6 \(a\.example\/x\): replaced by a folder/));
  });

  test('lines that name no module of the build are said', async () => {
    const { notes } = await goMod(
      'exclude a.example/x v1.0.0\nretract [v1.0.0, v1.1.0]\ntool b.example/c/cmd\nreplace z.example/z => z.example/y v1.0.0\n',
    );
    expect(notes).toContainEqual(expect.stringMatching(/^line 5, line 6, line 7: no module of the build/));
    expect(notes).toContainEqual(expect.stringMatching(/^line 8 \(z\.example\/z\): replaces what no line requires/));
  });

  test('one module in two versions is two components, and said', async () => {
    const { names, notes } = await goMod('require a.example/x v1.0.0\nrequire a.example/x v1.1.0\n');
    expect(names).toEqual(['a.example/x@v1.0.0', 'a.example/x@v1.1.0']);
    expect(notes).toContainEqual(expect.stringMatching(/^line 5 and line 6 \(a\.example\/x\): one module in several/));
  });

  test('before Go 1.17 indirect modules are not listed, and that is said', async () => {
    const { notes } = await create({ 'go.mod': 'module a.example\n\ngo 1.16\n\nrequire b.example/x v1.0.0\n' });
    expect(notes).toContainEqual(expect.stringMatching(/^go\.mod: of a version of Go before 1\.17/));
  });

  test.each(['require a.example/x\n', 'replace a.example/x v1.0.0\n', 'requier a.example/x v1.0.0\n', 'require (\n'])(
    '%j is refused, as by Go',
    async (text) => {
      expect(await refusal('go.mod', `module example.com/app\n\n${text}`)).toBe('feeds.lockfile_invalid');
    },
  );
});

test.each([
  [
    'Cargo.lock',
    '[[package]]\nname = "app"\nversion = "1.0.0"\ndependencies = ["gone 1 (registry+https://me:sesame@h.example/i?code=sesame)"]\n',
  ],
  [
    'pnpm-lock.yaml',
    JSON.stringify({
      lockfileVersion: '9.0',
      importers: { '.': { dependencies: { a: { version: 'https://me:sesame@h.example/a.tgz?sas=sesame' } } } },
      packages: { 'a@https://me:sesame@h.example/a.tgz?sas=sesame': { resolution: {}, version: '1.0.0' } },
      snapshots: { 'a@https://me:sesame@h.example/a.tgz?sas=sesame': { dependencies: { gone: '1.0.0' } } },
    }),
  ],
])('logins and secrets in addresses of a %s are nowhere', async (name, content) => {
  const { text, notes } = await create({ [name]: content });
  expect(notes).toContainEqual(expect.stringMatching(/gone/));
  expect(text + notes.join()).not.toContain('sesame');
});

test('a word of a megabyte in a note is read at once', async () => {
  const { notes } = await create({
    'Cargo.lock': `[[package]]\nname = "app"\nversion = "1.0.0"\ndependencies = ["${'a'.repeat(1e6)}"]\n`,
  });
  expect(notes).toContainEqual(expect.stringMatching(/^a{200}…/));
});

test.each([
  ['https://h.example/a.tgz?ref=1;sas=sesame', 'https://h.example/a.tgz'],
  ['https://h.example/a.tgz?ref=1%26sas=sesame', 'https://h.example/a.tgz'],
  ['https://h.example/a.tgz?ref=v1?sas=sesame&tag=v2', 'https://h.example/a.tgz?tag=v2'],
  ['https://h.example/a.tgz?path=https://me:sesame@other.example/', 'https://h.example/a.tgz'],
  ['https://h.example/a.tgz#sha256=0f&sas=sesame', 'https://h.example/a.tgz#sha256=0f'],
  ['https://h.example/a.tgz#?sas=sesame', 'https://h.example/a.tgz'],
  ['https://me:ses/sesame@h.example/a.tgz', 'https://h.example/a.tgz'],
  ['https://me:ses#sesame@h.example/a.tgz', 'https://h.example/a.tgz'],
  ['https://me:sesame%40h.example/a.tgz', 'https://h.example/a.tgz'],
  ['https://h.example:8443/%40scope/a@1/a.tgz?branch=feature%2Fb#v1', undefined],
  ['git+ssh://git@h.example/me/a.git#semver:^1.0.0', undefined],
])('%s holds no secret in a document', async (resolved, kept) => {
  const { text, purls, notes } = await create({
    'package-lock.json': JSON.stringify({
      name: 'app',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { a: '1', b: '1' } },
        'node_modules/a': { version: '1.0.0', resolved },
        'node_modules/b': { version: resolved },
      },
    }),
  });
  expect(text + notes.join()).not.toContain('sesame');
  const from = PackageURL.fromString(purls.find((purl) => purl.startsWith('pkg:npm/a@'))!).qualifiers;
  expect(Object.values(from ?? {})).toEqual([kept ?? resolved]);
});

describe('package-lock.json', () => {
  const lockfile = (packages: object) =>
    create({ 'package-lock.json': JSON.stringify({ name: 'app', version: '1.0.0', lockfileVersion: 3, packages }) });

  test('what is known to need nothing has an empty list, and nothing is unknown', async () => {
    const { needs, compositions } = await lockfile({
      '': { dependencies: { a: '1' } },
      'node_modules/a': { version: '1.0.0', optionalDependencies: { gone: '1' } },
    });
    expect([needs('pkg:npm/a@1.0.0'), compositions]).toEqual([[], []]);
  });

  test('logins and secrets in addresses are nowhere', async () => {
    const resolved = 'git+https://me:sesame@h.example/a.git?sas=sesame#0123';
    const integrity = (byte: number) => `sha512-${Buffer.alloc(64, byte).toString('base64')}`;
    const { text, notes } = await lockfile({
      '': { dependencies: { a: '1' } },
      'node_modules/a': { version: '1.0.0', resolved, integrity: integrity(1) },
      'node_modules/c/node_modules/a': { version: '1.0.0', resolved, integrity: integrity(2) },
      'node_modules/node_modules': { version: '1.0.0', resolved },
    });
    expect(notes).toContainEqual(expect.stringContaining('different hashes'));
    expect(text + notes.join()).not.toContain('sesame');
    expect(text).toContain('h.example');
  });

  test('what is needed and not in it is said, and by whom', async () => {
    const { needs, root, notes, compositions } = await lockfile({
      '': { dependencies: { a: '1', gone: '1' } },
      'node_modules/a': {
        version: '1.0.0',
        peerDependencies: { lost: '1', may: '1' },
        peerDependenciesMeta: { may: { optional: true } },
      },
    });
    expect(needs(root)).toEqual(['pkg:npm/a@1.0.0']);
    expect(needs('pkg:npm/a@1.0.0')).toBeUndefined();
    expect(compositions).toEqual([{ aggregate: 'incomplete', dependencies: [root, 'pkg:npm/a@1.0.0'].sort() }]);
    expect(notes.find((note) => note.endsWith('not in the lockfile'))).toMatch(
      /lost \(by a\), gone \(by the project\)/,
    );
  });

  test('a link to what is not in it is a component, and said', async () => {
    const { names, notes, needs, root } = await lockfile({
      '': { dependencies: { b: 'file:../b' } },
      'node_modules/b': { resolved: '../b', link: true },
    });
    expect([names, needs(root)]).toEqual([['b'], ['pkg:npm/b']]);
    expect(notes).toContainEqual('node_modules/b: a link to what the lockfile does not have');
  });

  test('one name and version with two contents is two components, and said', async () => {
    const { names, notes } = await lockfile({
      '': { dependencies: { a: '1', b: '1' } },
      'node_modules/a': { version: '1.0.0', integrity: integrity(1) },
      'node_modules/b': { version: '1.0.0', integrity: integrity(2), dependencies: { a: '1' } },
      'node_modules/b/node_modules/a': { version: '1.0.0', integrity: integrity(3) },
    });
    expect(names).toEqual(['a@1.0.0', 'a@1.0.0', 'b@1.0.0']);
    expect(notes).toContainEqual(expect.stringContaining('with different hashes in different places'));
  });

  test('an alias from elsewhere does not vanish in the package that it is called after', async () => {
    const archive = (host: string) => `https://${host}/a/-/a-1.0.0.tgz`;
    const entry = { version: '1.0.0', resolved: archive('registry.example'), integrity: integrity(1) };
    const packages = { '': { dependencies: { a: '1', b: 'npm:a@1' } }, 'node_modules/a': entry };
    const other = { name: 'a', version: '1.0.0', resolved: archive('evil.example') };
    const evil = await lockfile({ ...packages, 'node_modules/b': other });
    expect(evil.names).toEqual(['a@1.0.0', 'a@1.0.0']);
    expect(evil.text).toContain(other.resolved);
    expect(evil.notes).toContainEqual(expect.stringContaining('from different addresses'));
    const mirror = await lockfile({ ...packages, 'node_modules/b': { ...other, integrity: integrity(1) } });
    expect(mirror.names).toEqual(['a@1.0.0']);
  });

  test.each(['a\nb', 'a\u202eb', '', 'a b'])('%j is the name of nothing', async (name) => {
    const packages = {
      'node_modules/x': { name: name || undefined, version: '1.0.0' },
      [`node_modules/${name}`]: { version: '1' },
    };
    const content = JSON.stringify({ lockfileVersion: 3, packages });
    expect(await refusal('package-lock.json', content)).toBe('feeds.lockfile_invalid');
  });

  test('logins in addresses are nowhere, however they are written', async () => {
    const resolved = [
      'git+https://me:sesame@h.example/a.git#abc',
      'https:me:sesame@h.example/a.tgz',
      'https:\\\\me:sesame@h.example/a.tgz',
      'https://h.example/a.tgz?token=sesame#x',
    ];
    const packages = Object.fromEntries(
      resolved.map((from, i) => [`node_modules/p${i}`, { version: '1.0.0', resolved: from }]),
    );
    const { text, names } = await lockfile(packages);
    expect([text.includes('sesame'), names.length]).toEqual([false, 4]);
  });
});

describe('other lockfiles', () => {
  test('Cargo.lock: what is needed and missing, unused patches and checksums of old are not lost', async () => {
    const { needs, text, notes } = await create({
      'Cargo.lock': [
        '[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = ["old", "gone 1.0.0"]',
        '[[package]]\nname = "old"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"',
        '[[patch.unused]]\nname = "spare"\nversion = "1.0.0"',
        `[metadata]\n"checksum old 1.0.0 (registry+https://github.com/rust-lang/crates.io-index)" = "${SHA256}"`,
      ].join('\n'),
    });
    expect([needs('pkg:cargo/app@0.1.0'), needs('pkg:cargo/old@1.0.0')]).toEqual([['pkg:cargo/old@1.0.0'], []]);
    expect(text).toContain(SHA256);
    expect(notes).toContainEqual(expect.stringMatching(/^gone 1\.0\.0 \(by app\): is needed/));
    expect(notes).toContainEqual(expect.stringMatching(/^spare: a patch that no package needs/));
  });

  test('poetry.lock: every version of a package is needed, and one from git is not that of the index', async () => {
    const { needs, purls, root } = await create({
      'poetry.lock': [
        '[[package]]\nname = "a"\nversion = "1.0"\n[package.dependencies]\nb = "*"',
        '[[package]]\nname = "b"\nversion = "1.0"',
        '[[package]]\nname = "b"\nversion = "2.0"',
        '[[package]]\nname = "c"\nversion = "3.0"\n[package.source]\ntype = "git"\nurl = "https://me:sesame@h.example/c.git"\nreference = "main"\nresolved_reference = "abc"',
      ].join('\n'),
      'pyproject.toml': '[project]\nname = "app"\nversion = "1"\ndependencies = ["a"]\n',
    });
    expect(needs('pkg:pypi/a@1.0')).toEqual(['pkg:pypi/b@1.0', 'pkg:pypi/b@2.0']);
    expect(needs(root)).toEqual(['pkg:pypi/a@1.0']);
    expect(purls).toContain('pkg:pypi/c@3.0?vcs_url=git%2Bhttps%3A%2F%2Fh.example%2Fc.git%40abc');
  });

  test('poetry.lock without a manifest: what the project needs is unknown', async () => {
    const { needs, root, compositions } = await create({ 'poetry.lock': '[[package]]\nname = "a"\nversion = "1.0"\n' });
    expect([needs(root), needs('pkg:pypi/a@1.0')]).toEqual([undefined, []]);
    expect(compositions).toEqual([{ aggregate: 'unknown', dependencies: [root] }]);
  });

  test('uv.lock: the version that is needed is the one that is meant, and what is missing is said', async () => {
    const entry = (name: string, version: string, more = '') =>
      `[[package]]\nname = "${name}"\nversion = "${version}"\n${more}\n`;
    const { needs, notes } = await create({
      'uv.lock':
        entry(
          'app',
          '1',
          'source = { editable = "." }\ndependencies = [{ name = "a", version = "2" }, { name = "gone" }]',
        ) +
        entry('a', '1') +
        entry('a', '2', 'source = { git = "https://h.example/a.git?rev=main#abc" }'),
    });
    expect(needs('pkg:pypi/app@1')).toEqual(['pkg:pypi/a@2?vcs_url=git%2Bhttps%3A%2F%2Fh.example%2Fa.git%40abc']);
    expect(notes).toContainEqual('gone (by app): is needed, and not in the lockfile');
  });

  test('pnpm-lock.yaml: what pnpm itself consists of stands before the project, and hides nothing of it', async () => {
    const { names, notes } = await create({
      'pnpm-lock.yaml': `---
lockfileVersion: '9.0'
importers:
  .:
    configDependencies: {}
    packageManagerDependencies: {pnpm: {specifier: 12.0.0, version: 12.0.0}}
packages: {pnpm@12.0.0: {}}
snapshots: {pnpm@12.0.0: {}}
---
lockfileVersion: '9.0'
importers: {.: {dependencies: {minimist: {specifier: 1.2.0, version: 1.2.0}}}}
packages: {minimist@1.2.0: {}}
snapshots: {minimist@1.2.0: {}}
`,
    });
    expect([names, notes]).toEqual([
      ['minimist@1.2.0'],
      expect.arrayContaining(['pnpm@12.0.0: what pnpm itself consists of or is configured with, and left out']),
    ]);
  });

  test('pnpm-lock.yaml: what is needed and missing, and what is described and not resolved, is not lost', async () => {
    const { names, needs, notes, compositions } = await create({
      'pnpm-lock.yaml': `lockfileVersion: '9.0'
importers:
  .: {dependencies: {a: {specifier: ^1, version: 1.0.0}, gone: {specifier: ^1, version: 1.0.0}}}
packages:
  a@1.0.0: {resolution: {integrity: ${integrity(1)}}}
  odd@2.0.0: {resolution: {integrity: ${integrity(2)}}}
snapshots:
  a@1.0.0: {}
patchedDependencies:
  a: {hash: x, path: patches/a.patch}
`,
    });
    expect(names).toEqual(['a@1.0.0', 'odd@2.0.0']);
    expect([needs('pkg:npm/a@1.0.0'), needs('pkg:npm/odd@2.0.0')]).toEqual([[], undefined]);
    expect(compositions.map(({ aggregate }) => aggregate)).toEqual(['incomplete', 'unknown']);
    expect(notes).toContainEqual('gone (by the project): is needed, and not in the lockfile');
    expect(notes).toContainEqual(expect.stringMatching(/^a: patched by the project/));
  });

  test.each([
    ['Cargo.lock', '[[package]]\nname = "a"\n'],
    ['Cargo.lock', 'package = [1]\n'],
    ['Cargo.lock', '[[package]]\nname = "a"\nversion = "1"\n[[package]]\nname = "a"\nversion = "1"\n'],
    ['poetry.lock', '[[package]]\nversion = "1"\n'],
    ['uv.lock', '[package]\nname = "a"\n'],
    ['pnpm-lock.yaml', "lockfileVersion: '9.0'\npackages: {a: {}}\nsnapshots: {a: {}}\n"],
    ['pnpm-lock.yaml', "lockfileVersion: '9.0'\nsnapshots: {a@1: {}}\nsnapshots: {}\n"],
    ['pnpm-lock.yaml', "lockfileVersion: '9.0'\nsnapshots: {a@1: {}}\n---\nlockfileVersion: '9.0'\n"],
  ])('an entry that is none is refused: %s %j', async (name, content) => {
    expect(await refusal(name, content)).toBe('feeds.lockfile_invalid');
  });
});

describe('a folder', () => {
  /** A generator that says one of three packages. */
  const syft = () => {
    const components = [{ type: 'library', name: 'requests', version: '1.0', purl: 'pkg:pypi/requests@1.0' }];
    const bom = { bomFormat: 'CycloneDX', specVersion: '1.7', components };
    const file = put('bin/syft', `#!${process.execPath}\nconsole.log(${JSON.stringify(JSON.stringify(bom))});\n`);
    chmodSync(file, 0o755);
    return dirname(file);
  };
  const createFolder = async (...flags: string[]) => {
    put(
      'app/requirements.txt',
      'requests==1.0\n-e git+https://h.example/click.git#egg=click\n-r requirements-web.txt\n',
    );
    put('app/requirements-web.txt', 'idna==3.6\n');
    put('app/requirements-dev.txt', 'pytest==8.0\n');
    put('app/go.work', 'go 1.22\n');
    const out = at('made.cdx.json');
    const ran = await runLine(['sbom', 'create', at('app'), '--out', out, '-o', 'json', ...flags], { PATH: syft() });
    expect(ran.exitCode, ran.stdout).toBe(0);
    const notes: readonly string[] = notesOf(documentOf(ran));
    return { notes, document: JSON.parse(readFileSync(out, 'utf8')) };
  };

  test('what a generator passes over in a lockfile that we can read is said', async () => {
    const { notes } = await createFolder();
    expect(notes).toContainEqual(
      expect.stringMatching(/^requirements\.txt has what syft does not say: click, idna@3\.6;/),
    );
  });

  test('what a generator does not say is not made up, not for the artifact either', async () => {
    const { document, notes } = await createFolder();
    const root = document.metadata.component['bom-ref'];
    expect([document.dependencies, document.compositions]).toEqual([
      [],
      [{ aggregate: 'unknown', dependencies: [root, 'pkg:pypi/requests@1.0'] }],
    ]);
    expect(notes).toContainEqual(
      expect.stringMatching(/^the dependencies of these are not known.*the artifact itself and one component$/),
    );
    const valid = await runLine(['sbom', 'validate', '--fail-on', 'warning', at('made.cdx.json')]);
    expect(valid.stdout).not.toContain('dependencies_missing');
  });

  test('lockfiles beside the one that is read are named, those that it leads to are not', async () => {
    const { notes } = await createFolder('--generator', 'lockfile');
    expect(notes).toContainEqual('not covered, and in the same folder: go.work, requirements-dev.txt');
  });
});
