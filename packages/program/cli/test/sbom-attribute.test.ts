import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt, startPeer } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let bundle: string;
let sbom: string;

const PROPERTIES = [
  { name: 'vendor:source-package', value: 'left-pad@1.3.0' },
  { name: 'vendor:source-similarity', value: '0.91' },
  { name: 'vendor:vendoring-method', value: 'inline-rewrite' },
];
const BOM = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 1,
  metadata: {
    timestamp: '2026-11-21T10:00:00Z',
    lifecycles: [{ phase: 'build' }],
    tools: [{ name: 'maker', version: '1' }],
    component: { type: 'application', 'bom-ref': 'shop', name: 'shop', version: '1', supplier: { name: 'Acme' } },
  },
  components: [
    {
      type: 'library',
      'bom-ref': 'vendored:lib/pad',
      name: 'left-pad-vendored',
      version: '0.0.0-vendored',
      scope: 'required',
      licenses: [{ license: { id: 'MIT' } }],
      properties: PROPERTIES,
    },
    { type: 'file', 'bom-ref': 'f', name: 'src/shop.ts' },
    { type: 'library', 'bom-ref': 'o', name: 'other', version: '1', purl: 'pkg:npm/other@1' },
  ],
  dependencies: [{ ref: 'shop', dependsOn: ['vendored:lib/pad', 'f', 'o'] }],
};
const FILES = ['lib/pad/index.js', 'src/new.ts', 'src/link.ts', 'gone.ts'];

beforeAll(async () => {
  here = await install(cleanup);
  const report = here.file('report.txt', 'built');
  bundle = join(here.folder, 'run.sigstore.json');
  const run = here.file('run.json', { ...AGENT_RUN, git: { ...AGENT_RUN.git, files_changed: FILES } });
  sbom = here.file('bom.cdx.json', BOM);
  const type = ['--type', 'agent-run', '--predicate', run];
  await here.document('attest-blob', ...type, '--bundle', bundle, ...CONTEXT, report);
  // Another agent's run over the same file, which is in the store too.
  const fixer = CONTEXT.map((word) => (word === 'code-writer' ? 'code-fixer' : word));
  const other = { ...AGENT_RUN, agent: { name: 'code-fixer', version: '2.4.1' } };
  const predicate = here.file('fixer.json', { ...other, git: { ...other.git, files_changed: ['src/shop.ts'] } });
  await here.document('attest-blob', '--type', 'agent-run', '--predicate', predicate, ...fixer, report);
});
const attribute = (...flags: string[]) => here.run('sbom', 'attribute', ...here.pinned, ...flags);
const propertiesOf = (component: { properties: Array<{ name: string; value: string }> }) =>
  Object.fromEntries(component.properties.map(({ name, value }) => [name, value]));

describe('sbom attribute', () => {
  test('marks by the evidence store, upgrades an older document, and the result is valid', async () => {
    const out = join(here.folder, 'attributed.cdx.json');
    const record = await here.document('sbom', 'attribute', sbom, '--commit', COMMIT, ...here.pinned, '--out', out);
    const bom = JSON.parse(readFileSync(out, 'utf8'));
    expect(bom).toMatchObject({ specVersion: '1.7', version: 2, serialNumber: BOM.serialNumber });
    const [vendored, file, other] = bom.components;
    const [{ bundle_digest: digest }] = record.runs;
    expect(propertiesOf(vendored)).toMatchObject({
      'colophon:ai:agent': 'code-writer',
      'colophon:ai:model': 'large-model-2026-05-14',
      'colophon:ai:prompt': AGENT_RUN.input.prompt_hash,
      'colophon:ai:basis': 'declared',
      'colophon:ai:basis:agent': 'declared, signed by agent:code-writer',
      'colophon:ai:basis:generated_at': 'log',
      'colophon:ai:bundle': digest,
      'vendor:agent-id': 'code-writer',
      'vendor:authored-by': 'autonomous_agent',
      'vendor:source-package': 'left-pad@1.3.0',
    });
    expect(propertiesOf(vendored)).not.toHaveProperty('colophon:ai:reviewed_by');
    expect(record.runs).toMatchObject([{ claimed_reviewer: 'alice@example.com' }]);
    const [reference] = vendored.externalReferences;
    expect(reference).toMatchObject({ type: 'attestation', url: `${here.url}/evidence/${digest.slice(7)}` });
    expect(await (await fetch(reference.url)).text()).toBe(readFileSync(bundle, 'utf8'));
    expect([file.properties, other.properties]).toEqual([undefined, undefined]);
    expect(record).toMatchObject({
      changed: true,
      previous_version: 1,
      version: 2,
      unmatched: ['src/new.ts', 'src/link.ts', 'gone.ts'],
      refused: [{ code: 'identity.subject_mismatch' }],
      notes: [
        expect.stringMatching('1.5 became 1.7'),
        expect.stringMatching('tools'),
        `no repository shows what commit ${COMMIT} wrote, so its marks are declared`,
      ],
      losses: [],
    });
    expect((await here.run('sbom', 'validate', out)).exitCode).toBe(0);
  });

  test('a second time it changes nothing, from the store or from the bundle', async () => {
    const once = here.file('once.json', (await attribute(sbom, '--bundle', bundle)).stdout);
    const twice = await attribute(once, '--bundle', bundle);
    expect(twice.stdout).toBe(readFileSync(once, 'utf8'));
    expect((await attribute(once, '--commit', COMMIT)).stdout).toBe(twice.stdout);
    expect(twice.stderr).toMatch('nothing changed');
  });

  test('several agents where both are trusted, and what any of the selectors finds', async () => {
    const pinned = ['--certificate-identity-regexp', '^agent:code-.*$', '--certificate-oidc-issuer', here.url];
    const where = ['--where', 'agent = code-fixer or agent = nobody', '--commit', COMMIT];
    const { stdout } = await here.run('sbom', 'attribute', sbom, ...where, ...pinned);
    expect(propertiesOf(JSON.parse(stdout).components[1])).toMatchObject({ 'colophon:ai:agent': 'code-fixer' });
    expect(propertiesOf(JSON.parse(stdout).components[0])).toMatchObject({ 'colophon:ai:agent': 'code-writer' });
  });

  test('adds the changed files that are there and belong to nothing; never what a link leads to', async () => {
    const repository = join(here.folder, 'repository');
    mkdirSync(join(repository, 'src'), { recursive: true });
    writeFileSync(join(repository, 'src/new.ts'), 'new');
    symlinkSync('/etc/hostname', join(repository, 'src/link.ts'));
    const ran = await attribute(sbom, '--bundle', bundle, '--add-files', repository);
    const added = JSON.parse(ran.stdout).components.slice(3);
    expect(added).toMatchObject([{ type: 'file', 'bom-ref': 'file:src/new.ts', hashes: [{ alg: 'SHA-256' }] }]);
    expect(ran.stderr).toMatch('of no component: gone.ts');
  });

  test('a mark of one’s own is declared, and a lie is relabelled', async () => {
    const lie = {
      ...BOM,
      components: [
        {
          ...BOM.components[2],
          properties: [
            { name: 'colophon:ai:agent', value: 'trusted' },
            { name: 'colophon:ai:basis', value: 'verified' },
            { name: 'colophon:ai:bundle', value: `sha256:${'0'.repeat(64)}` },
          ],
        },
      ],
      dependencies: [],
    };
    const ran = await attribute(here.file('lie.json', lie), '--bundle', bundle, '--wide');
    expect(propertiesOf(JSON.parse(ran.stdout).components[0])).toEqual({
      'colophon:ai:agent': 'trusted',
      'colophon:ai:basis': 'declared',
    });
    expect(ran.stderr).toMatch('names evidence that no given bundle supports');
    const fields = {
      agent: 'a',
      model: 'm',
      prompt: `sha256:${'0'.repeat(64)}`,
      generated_at: '2026-11-20T10:00:00Z',
      reviewed_by: 'dana@example.com',
      reviewed_at: '2026-11-20T11:00:00Z',
    };
    const words = Object.entries(fields).flatMap(([name, value]) => ['--declare', `${name}=${value}`]);
    const declared = await here.run('sbom', 'attribute', sbom, ...words, '--component', 'pkg:npm/other@1');
    expect(propertiesOf(JSON.parse(declared.stdout).components[2])).toEqual({
      ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [`colophon:ai:${name}`, value])),
      'colophon:ai:basis': 'declared',
    });
  });

  test('writes over its input whole', async () => {
    const same = here.file('same.json', BOM);
    expect((await attribute(same, '--bundle', bundle, '--out', same)).exitCode).toBe(0);
    expect(JSON.parse(readFileSync(same, 'utf8')).version).toBe(2);
  });

  const commit = ['--commit', COMMIT];
  test.each([
    ['nothing to mark by', [], 1, 'cli.usage'],
    ['nobody pinned', ['--bundle', 'x', '--certificate-identity-regexp', '.*'], 1, 'identity.ambiguous'],
    ['no commit', ['--commit', 'main'], 1, 'cli.usage'],
    ['a commit without runs', ['--commit', 'f'.repeat(40)], 10, 'evidence.no_run'],
    ['a question that is none', ['--where', 'agnet = a'], 1, 'query.unknown_field'],
    ['a declaration of nothing', ['--declare', 'agnet=a', '--component', 'o'], 1, 'cli.usage'],
    ['a declaration without an agent', ['--declare', 'model=a', '--component', 'o'], 1, 'cli.usage'],
    ['a declaration of a part', ['--declare', 'agent=a', '--component', 'o'], 1, 'cli.usage'],
    ['a declaration about nobody', ['--declare', 'agent=a', '--component', 'nobody'], 11, 'cli.component_unknown'],
    ['a bundle that is none', ['--bundle', 'SBOM'], 13, 'bundle.malformed'],
    ['no such bundle', ['--bundle', '/nowhere'], 1, 'cli.file_unreadable'],
    ['no such server', ['--evidence-url', 'http://localhost:9', ...commit], 3, 'evidence.unreachable'],
    ['no such repository', ['--bundle', 'BUNDLE', '--add-files', '/nowhere'], 1, 'cli.file_unreadable'],
    ['nowhere to write', ['--bundle', 'BUNDLE', '--out', '/nowhere/x'], 2, 'cli.file_unwritable'],
    ['a bad namespace', ['--namespace', 'a b', ...commit], 1, 'cli.usage'],
  ])('%s: exit code and code', async (_title, flags, exitCode, code) => {
    const line = flags.map((flag) => (flag === 'SBOM' ? sbom : flag === 'BUNDLE' ? bundle : flag));
    expect(await here.refusal('sbom', 'attribute', sbom, ...here.pinned, ...line)).toMatchObject({ exitCode, code });
  });

  test('a verified run about another commit, from a server that says it is about this one', async () => {
    const bytes = readFileSync(bundle);
    const id = createHash('sha256').update(bytes).digest('hex');
    const { url } = await startPeer(onTestFinished, (request, response) => {
      response.end(request.url?.startsWith('/query') ? JSON.stringify({ rows: [{ id }], more: false }) : bytes);
    });
    const from = ['--evidence-url', url, ...here.pinned];
    const refusal = await here.refusal('sbom', 'attribute', sbom, '--commit', 'f'.repeat(40), ...from);
    expect(refusal).toMatchObject({
      exitCode: 20,
      code: 'evidence.no_run',
      issues: [{ code: 'evidence.refused' }],
    });
    const artifact = `sha256:${createHash('sha256').update('built').digest('hex')}`;
    for (const about of [
      ['--commit', COMMIT],
      ['--artifact', artifact.toUpperCase().replace('SHA', 'sha')],
    ]) {
      expect((await here.run('sbom', 'attribute', sbom, ...about, ...from)).exitCode).toBe(0);
    }
  });

  test('runs of which none is by whom is trusted', async () => {
    const pinned = ['--certificate-identity', 'agent:nobody', '--certificate-oidc-issuer', here.url];
    const refusal = await here.refusal('sbom', 'attribute', sbom, '--commit', COMMIT, ...pinned);
    expect(refusal).toMatchObject({ exitCode: 12, code: 'evidence.no_run' });
    expect(refusal.issues).toHaveLength(2);
  });

  test('a bundle of something else than a run', async () => {
    const report = here.file('other.txt', 'x');
    await here.document('sign-blob', ...CONTEXT, report);
    const refusal = await here.refusal(
      'sbom',
      'attribute',
      sbom,
      ...here.pinned,
      '--bundle',
      `${report}.sigstore.json`,
    );
    expect(refusal).toMatchObject({
      exitCode: 12,
      code: 'artifact.missing',
      expected: expect.stringMatching('agent-run'),
    });
  });
});

describe('sbom convert', () => {
  test('there and back is the same file', async () => {
    const standard = here.file('standard.json', (await attribute(sbom, '--bundle', bundle)).stdout);
    const spec = await here.run('sbom', 'convert', standard, '--profile', 'spec');
    expect(spec.exitCode).toBe(0);
    expect(spec.stdout).toMatch('"x-ai-generated"');
    const specFile = here.file('spec.json', spec.stdout);
    expect((await here.run('sbom', 'validate', '--profile', 'spec', specFile)).exitCode).toBe(0);
    expect((await here.run('sbom', 'validate', specFile)).exitCode).toBe(20);
    const back = await here.run('sbom', 'convert', specFile);
    const again = await here.run('sbom', 'convert', here.file('back.json', back.stdout), '--profile', 'spec');
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(spec.stdout));
    expect((await here.run('sbom', 'validate', here.file('back.json', back.stdout))).exitCode).toBe(0);
  });

  test('what is lost is said, in words beside the document and in the report', async () => {
    const bom = here.file('isExternal.json', {
      bomFormat: 'CycloneDX',
      specVersion: '1.7',
      components: [{ type: 'library', name: 'x', isExternal: true }],
    });
    const line = ['sbom', 'convert', bom, '--spec-version', '1.6'];
    const ran = await here.run(...line);
    expect(documentOf(ran)).toMatchObject({ specVersion: '1.6', components: [{ type: 'library', name: 'x' }] });
    expect(ran.stderr).toMatch('lost /components/0/isExternal: true');
    const out = join(here.folder, 'converted.json');
    expect(await here.document(...line, '--out', out)).toMatchObject({
      out,
      spec_version: '1.6',
      losses: [{ path: '/components/0/isExternal', what: 'true' }],
    });
    expect(await here.refusal(...line, '--fail-on-loss')).toMatchObject({ exitCode: 20, code: 'cli.sbom_lossy' });
  });

  test.each([
    ['/nowhere', 1, 'cli.file_unreadable'],
    ['/', 1, 'cli.file_unreadable'],
    ['{}', 20, 'cli.sbom_invalid'],
    ['', 20, 'cli.sbom_invalid'],
    ['{"bomFormat":"CycloneDX","specVersion":"1.7","components":7}', 20, 'cli.sbom_invalid'],
  ])('%j ends with %i', async (content, exitCode, code) => {
    const file = content.startsWith('/') ? content : here.file('bad.json', content);
    expect(await here.refusal('sbom', 'convert', file)).toMatchObject({ exitCode, code });
  });
});
