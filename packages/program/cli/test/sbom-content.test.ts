import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GitRepository, gitRepository, temporaryFolder } from '@colophon/testkit';
import { ARTIFACT, draftStatement, STATEMENT, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { CLAIMS, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { AGENT_RUN } from './installation.ts';

// `verified` is said of content: what the run's commit wrote, and nothing that came under its name since.
const local = new LocalSigstore();
const FILE = 'src/shop.ts';
const WRITTEN = 'export const total = 1;\n';
const CLAIMED = ['agent_name', 'model_id', 'prompt_hash', 'commit_sha'];
let folder: string;
let repository: GitRepository;

beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  file('artifact', ARTIFACT);
  file('root.json', Buffer.from(JSON.stringify(local.trustedRootJson())));
  repository = gitRepository(onTestFinished);
  repository.commit('base', { 'README.md': '# shop\n' });
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
function file(name: string, bytes: Uint8Array): string {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
}

/** A run whose every claim somebody else than the agent confirms. */
function runOf(commit: string, files: readonly string[] = [FILE]): string {
  const run = {
    ...AGENT_RUN,
    agent: { name: CLAIMS.agent_name, version: CLAIMS.agent_version },
    model: { id: CLAIMS.model_id, provider: CLAIMS.model_provider },
    input: { prompt_hash: CLAIMS.prompt_hash },
    policy: { pack_hash: CLAIMS.policy_pack_hash },
    human_review: undefined,
    git: { commit_sha: commit, files_changed: files },
  };
  const claim_sources = CLAIMED.map((claim) => `${claim}=caller-token`).join(';');
  const claims = { ...CLAIMS, commit_sha: commit, claim_sources };
  return file('run.sigstore.json', toBytes(draftStatement(local, { ...STATEMENT, predicate: run }, { claims })));
}

type Marked = { readonly says: Record<string, string>; readonly notes: readonly string[]; readonly validates: number };

/** Marks a document with one component; answers with its properties and what the command noted. */
async function markIn(component: object, bundle: string, ...flags: readonly string[]): Promise<Marked> {
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.7', version: 1, components: [component] };
  const [before, after] = [file('bom.json', Buffer.from(JSON.stringify(bom))), join(folder, 'marked.json')];
  const pinned = ['--certificate-identity', `agent:${CLAIMS.agent_name}`, '--certificate-oidc-issuer', ISSUER];
  const trusted = ['--trusted-root', join(folder, 'root.json')];
  const line = ['sbom', 'attribute', before, '--bundle', bundle, ...pinned, ...trusted, '--out', after, ...flags];
  const ran = await runLine([...line, '--output', 'json'], { HOME: folder });
  const record = documentOf(ran);
  expect(ran.exitCode, JSON.stringify(record)).toBe(0);
  const { properties } = JSON.parse(readFileSync(after, 'utf8')).components[0];
  return {
    says: Object.fromEntries(properties.map(({ name, value }: { name: string; value: string }) => [name, value])),
    notes: record.notes,
    validates: (await runLine(['sbom', 'validate', after], { HOME: folder })).exitCode,
  };
}

const component = (hash?: string) => ({
  type: 'file',
  'bom-ref': 'f',
  name: FILE,
  ...(hash !== undefined && { hashes: [{ alg: 'SHA-256', content: hash }] }),
});
const here = () => ['--repository', repository.folder];

test.each([
  ['by its hash in the document', sha256(WRITTEN)],
  ['by what the repository has', undefined],
])('what the commit wrote is verified, %s', async (_title, hash) => {
  const bundle = runOf(repository.commit('agent', { [FILE]: WRITTEN }));
  repository.commit('other', { 'other.ts': 'other\n' });
  const { says, notes, validates } = await markIn(component(hash), bundle, ...here());
  expect(says).toMatchObject({
    'colophon:ai:basis': 'verified',
    'colophon:ai:basis:content': `caller-token, signed by agent:${CLAIMS.agent_name}`,
  });
  expect(notes).toEqual([]);
  expect(validates).toBe(0);
});

test.each([
  ['with its new hash', true],
  ['without one', false],
])(
  'a file that was rewritten after the attested commit is declared, and its commit named, %s',
  async (_title, hashed) => {
    const bundle = runOf(repository.commit('agent', { [FILE]: WRITTEN }));
    const rewritten = 'export const total = steal();\n';
    const by = repository.commit('somebody', { [FILE]: rewritten });
    const { says, notes } = await markIn(component(hashed ? sha256(rewritten) : undefined), bundle, ...here());
    expect(says).toMatchObject({ 'colophon:ai:basis': 'declared', 'colophon:ai:changed_by': by });
    expect(says).not.toHaveProperty('colophon:ai:basis:content');
    expect(notes).toEqual([expect.stringContaining(`changed by ${by}`)]);
  },
);

test('nor is an edit that nobody committed, a file that --add-files hashes, or a hash of something else', async () => {
  const bundle = runOf(repository.commit('agent', { [FILE]: WRITTEN }));
  const other = await markIn(component(sha256('something else')), bundle, ...here());
  expect(other.says['colophon:ai:basis']).toBe('declared');
  expect(other.notes).toEqual([expect.stringContaining('its hash in the document is of another content')]);
  repository.write(FILE, 'edited\n');
  const edited = await markIn(component(), bundle, ...here());
  expect(edited.says).toMatchObject({ 'colophon:ai:basis': 'declared', 'colophon:ai:changed_by': 'working tree' });
  // The folder of --add-files is the repository where no other is named.
  const library = { type: 'library', 'bom-ref': 'l', name: 'other' };
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.7', version: 1, components: [library] };
  const path = file('added.json', Buffer.from(JSON.stringify(bom)));
  const pinned = ['--certificate-identity', `agent:${CLAIMS.agent_name}`, '--certificate-oidc-issuer', ISSUER];
  const line = ['sbom', 'attribute', path, '--bundle', bundle, ...pinned, '--trusted-root', join(folder, 'root.json')];
  const added = documentOf(await runLine([...line, '--add-files', repository.folder], { HOME: folder }));
  expect(added.components[1]).toMatchObject({ hashes: [{ content: sha256('edited\n') }] });
  expect(added.components[1].properties).toContainEqual({ name: 'colophon:ai:basis', value: 'declared' });
});

test('a rebased commit is the run’s where its patch is, and a look-alike is not', async () => {
  const body = Array.from({ length: 9 }, (_, index) => `line(${index});\n`);
  repository.commit('shop', { [FILE]: body.join('') });
  repository.git('checkout', '--quiet', '-b', 'agent');
  const agent = repository.commit('agent', { [FILE]: [...body.slice(0, 6), 'pay();\n', ...body.slice(6)].join('') });
  repository.git('checkout', '--quiet', 'main');
  repository.commit('other', { [FILE]: ['first();\n', ...body].join('') });
  const bundle = runOf(agent);
  expect((await markIn(component(), bundle, ...here())).says['colophon:ai:basis']).toBe('declared');
  repository.git('cherry-pick', agent);
  expect((await markIn(component(), bundle, ...here())).says['colophon:ai:basis']).toBe('verified');
  repository.commit('later', { [FILE]: ['first();\n', ...body, 'pay();\n'].join('') });
  expect((await markIn(component(), bundle, ...here())).says['colophon:ai:basis']).toBe('declared');
});

test('without the commit nothing is verified; a folder that is no repository is refused where it is named', async () => {
  const bundle = runOf('f'.repeat(40));
  for (const flags of [here(), []]) {
    const { says, notes } = await markIn(component(sha256(WRITTEN)), bundle, ...flags);
    expect(says['colophon:ai:basis']).toBe('declared');
    expect(notes).toEqual([expect.stringContaining('no repository shows what commit ffff')]);
  }
  const pinned = ['--certificate-identity', `agent:${CLAIMS.agent_name}`, '--certificate-oidc-issuer', ISSUER];
  const line = ['sbom', 'attribute', join(folder, 'bom.json'), '--bundle', bundle, ...pinned];
  const trusted = ['--trusted-root', join(folder, 'root.json'), '--repository', folder, '--output', 'json'];
  expect(documentOf(await runLine([...line, ...trusted], { HOME: folder }))).toMatchObject({
    error: { code: 'forge.no_repository' },
  });
});

test('code of several files is verified where each is what the commit wrote', async () => {
  const vendored = { type: 'library', 'bom-ref': 'vendored:lib/pad', name: 'pad-vendored', version: '0.0.0-vendored' };
  const files = ['lib/pad/a.js', 'lib/pad/b.js', 'lib/pad/gone.js'];
  repository.commit('before', { 'lib/pad/gone.js': 'gone\n' });
  repository.git('rm', '--quiet', 'lib/pad/gone.js');
  const bundle = runOf(repository.commit('agent', { 'lib/pad/a.js': 'a\n', 'lib/pad/b.js': 'b\n' }), files);
  expect((await markIn(vendored, bundle, ...here())).says['colophon:ai:basis']).toBe('verified');
  const by = repository.commit('somebody', { 'lib/pad/b.js': 'other\n' });
  const changed = await markIn(vendored, bundle, ...here());
  expect(changed.says).toMatchObject({ 'colophon:ai:basis': 'declared', 'colophon:ai:changed_by': by });
  repository.commit('restored', { 'lib/pad/b.js': 'b\n', 'lib/pad/gone.js': 'again\n' });
  expect((await markIn(vendored, bundle, ...here())).notes).toEqual([expect.stringContaining('lib/pad/gone.js')]);
});

test('lines that look like the output of git make no content the run’s', async () => {
  const bundle = runOf(repository.commit('agent', { [FILE]: WRITTEN }));
  repository.commit('evil', { [FILE]: 'steal();\n' });
  // Behind a carriage return a line of a patch begins as one of git's own would.
  repository.commit('crafted', { [FILE]: `x\r\u0001HEAD\n\r@@ \n${WRITTEN}` });
  repository.commit('evil again', { [FILE]: 'steal();\n' });
  expect((await markIn(component(), bundle, ...here())).says['colophon:ai:basis']).toBe('declared');
  expect((await markIn(component(sha256('steal();\n')), bundle, ...here())).says['colophon:ai:basis']).toBe('declared');
});

test('lines that end in carriage returns alone are part of the change', async () => {
  const body = Array.from({ length: 6 }, (_, index) => `line(${index});\n`).join('');
  repository.commit('shop', { [FILE]: body });
  repository.git('checkout', '--quiet', '-b', 'agent');
  const agent = repository.commit('agent', { [FILE]: `${body}one();\r@@ pay();\n` });
  repository.git('checkout', '--quiet', 'main');
  repository.commit('other', { [FILE]: `first();\n${body}` });
  repository.commit('evil', { [FILE]: `first();\n${body}one();\r@@ steal();\n` });
  expect((await markIn(component(), runOf(agent), ...here())).says['colophon:ai:basis']).toBe('declared');
});

test('a link that leads elsewhere now is not gone', async () => {
  const files = ['lib/pad/a.js', 'lib/pad/b.js'];
  const bundle = (() => {
    repository.write('lib/pad/a.js', 'a\n');
    symlinkSync('a.js', join(repository.folder, 'lib/pad/b.js'));
    return runOf(repository.commit('agent'), files);
  })();
  const folder = { type: 'library', 'bom-ref': 'vendored:lib/pad', name: 'pad' };
  expect((await markIn(folder, bundle, ...here())).says['colophon:ai:basis']).toBe('verified');
  rmSync(join(repository.folder, 'lib/pad/b.js'));
  symlinkSync('../../evil.js', join(repository.folder, 'lib/pad/b.js'));
  const by = repository.commit('somebody');
  const { says } = await markIn(folder, bundle, ...here());
  expect(says).toMatchObject({ 'colophon:ai:basis': 'declared', 'colophon:ai:changed_by': by });
});

test.each(['--assume-unchanged', '--skip-worktree'])(
  'an edit that git was told to overlook by %s is one',
  async (flag) => {
    const bundle = runOf(repository.commit('agent', { [FILE]: WRITTEN }));
    repository.git('update-index', flag, FILE);
    repository.write(FILE, 'steal();\n');
    expect((await markIn(component(), bundle, ...here())).says['colophon:ai:basis']).toBe('declared');
  },
);

test('the hash of a component that a scanner saw as one file is held against the file', async () => {
  const bundle = runOf(repository.commit('agent', { [FILE]: WRITTEN }));
  const hashes = [{ alg: 'SHA-256', content: sha256('steal();\n') }];
  const seen = { type: 'library', 'bom-ref': 's', name: 'shop', evidence: { occurrences: [{ location: FILE }] } };
  expect((await markIn({ ...seen, hashes }, bundle, ...here())).says['colophon:ai:basis']).toBe('declared');
});

test('a history that is cut where the run’s commit stands makes the mark declared, and no error', async () => {
  repository.commit('before', { [FILE]: 'before\n' });
  const bundle = runOf(repository.commit('agent', { [FILE]: WRITTEN }));
  repository.commit('later', { [FILE]: 'later\n' });
  const clone = join(folder, 'clone');
  repository.git('clone', '--quiet', '--depth', '2', `file://${repository.folder}`, clone);
  expect((await markIn(component(), bundle, '--repository', clone)).says['colophon:ai:basis']).toBe('declared');
});

test('contents that a partial clone lacks make the mark declared, and no error', async () => {
  const bundle = runOf(repository.commit('agent', { [FILE]: WRITTEN }));
  repository.commit('later', { [FILE]: 'later\n' });
  const clone = join(folder, 'clone');
  repository.git('config', 'uploadpack.allowFilter', 'true');
  repository.git('clone', '--quiet', '--filter=blob:none', `file://${repository.folder}`, clone);
  expect((await markIn(component(), bundle, '--repository', clone)).says['colophon:ai:basis']).toBe('declared');
});

test.each([
  ['blob', `:${FILE}`],
  ['tree', ':src'],
  ['tree', '^{tree}'],
])('a %s that another was put in the place of proves nothing (%s)', async (_kind, at) => {
  const rewritten = 'export const total = steal();\n';
  const agent = repository.commit('agent', { [FILE]: WRITTEN });
  const bundle = runOf(agent);
  const other = repository.commit('somebody', { [FILE]: rewritten });
  repository.forge(repository.git('rev-parse', `${agent}${at}`), repository.git('rev-parse', `${other}${at}`));
  expect(repository.git('show', `${agent}:${FILE}`)).toBe(rewritten.trim());

  const bom = { bomFormat: 'CycloneDX', specVersion: '1.7', version: 1, components: [component(sha256(rewritten))] };
  const before = file('bom.json', Buffer.from(JSON.stringify(bom)));
  const pinned = ['--certificate-identity', `agent:${CLAIMS.agent_name}`, '--certificate-oidc-issuer', ISSUER];
  const line = [
    'sbom',
    'attribute',
    before,
    '--bundle',
    bundle,
    ...pinned,
    ...here(),
    '--out',
    join(folder, 'marked.json'),
  ];
  const ran = await runLine([...line, '--trusted-root', join(folder, 'root.json'), '--output', 'json'], {
    HOME: folder,
  });
  expect(documentOf(ran)).toMatchObject({ error: { code: 'forge.object_corrupt' } });
  expect(ran.exitCode).toBe(12);
  expect(existsSync(join(folder, 'marked.json'))).toBe(false);
});

test('no program of a submodule’s configuration runs', async () => {
  const bundle = runOf(repository.commit('agent', { [FILE]: WRITTEN }));
  const inner = gitRepository(onTestFinished);
  inner.commit('inner', { a: 'a\n', '.gitattributes': 'a filter=evil\n' });
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.folder, 'sub');
  repository.commit('submodule');
  const sub = join(repository.folder, 'sub');
  repository.git('-C', sub, 'config', 'filter.evil.clean', `touch ${join(folder, 'ran')}; cat`);
  repository.write('sub/a', 'b\n');
  await markIn(component(), bundle, ...here());
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});
