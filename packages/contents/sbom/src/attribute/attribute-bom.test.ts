import { type AgentRun, type CertificateIdentity, CLAIM_SOURCES, type ClaimSource } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readOfficialSchema } from '../../test/official-schemas.ts';
import { readAttribution } from '../attribution/read-attribution.ts';
import type { Bom, Component } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';
import { compileOfficialSchema } from '../schema/official-check.ts';
import { createBomValidator } from '../validate/validator.ts';
import { attributeBom, type RunEvidence } from './attribute-bom.ts';

const validator = createBomValidator(readOfficialSchema);
const DIGEST = (digit: string) => `sha256:${digit.repeat(64)}`;

/** A certificate with a claim of everything, the reviewer too, each from this source. */
function identityOf(agent: string, source: ClaimSource = 'declared'): CertificateIdentity {
  const claims = {
    agent_name: agent,
    model_id: 'model-1',
    prompt_hash: DIGEST('5'),
    commit_sha: 'a'.repeat(40),
    human_reviewer: 'claimed@example.com',
    review_timestamp: '2026-11-21T08:00:00Z',
  };
  const sources = Object.fromEntries(Object.keys(claims).map((claim) => [claim, source]));
  return { issuer: 'https://issuer.example', subject: `agent:${agent}`, claims, sources };
}

function evidence(
  files: readonly string[],
  more: Omit<Partial<RunEvidence>, 'review'> & { agent?: string; isReviewed?: false } = {},
): RunEvidence {
  const { agent = 'code-writer', isReviewed = true, ...rest } = more;
  const review = {
    reviewer: { address: 'dana@example.com' },
    reviewedAt: '2026-11-21T09:00:00Z',
    basis: { source: 'review', signer: 'reviewer:dana@example.com' },
  } as const;
  const run: AgentRun = {
    agent: { name: agent, version: '1' },
    model: { id: 'model-1', provider: 'acme' },
    input: { prompt_hash: DIGEST('5') },
    policy: { pack_hash: DIGEST('c') },
    human_review: { reviewer: 'orchestrator-says@example.com', approved: true },
    git: { commit_sha: 'a'.repeat(40), files_changed: [...files] },
  };
  const version = { commit: run.git.commit_sha, object: 'blob', hashes: { 'SHA-256': 'd'.repeat(64) } };
  const written = { versions: [version], current: 'blob', isEdited: false };
  return {
    run,
    identity: identityOf(agent),
    written: new Map(files.map((file) => [file, written])),
    ...(isReviewed && { review }),
    loggedAt: '2026-11-21T10:00:00.000Z',
    bundle: DIGEST('b'),
    url: 'http://localhost:7080/evidence/b',
    ...rest,
  };
}

const VENDORED: Component = {
  type: 'library',
  'bom-ref': 'vendored:lib/pad',
  name: 'left-pad-vendored',
  version: '0.0.0-vendored',
  scope: 'required',
  licenses: [{ license: { id: 'MIT', acknowledgement: 'declared' } }],
  properties: [
    { name: 'vendor:source-package', value: 'left-pad@1.3.0' },
    { name: 'vendor:source-similarity', value: '0.91' },
    { name: 'vendor:vendoring-method', value: 'inline-rewrite' },
  ],
  evidence: {
    identity: [{ field: 'name', confidence: 0.9, methods: [{ technique: 'ast-similarity', confidence: 0.9 }] }],
  },
};
const FILE: Component = { type: 'file', 'bom-ref': 'f', name: 'src/a.ts' };
const OTHER: Component = { type: 'library', 'bom-ref': 'o', name: 'other', purl: 'pkg:npm/other@1' };
const bomOf = (...components: Component[]): Bom => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.7',
  version: 3,
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  components,
});
const refused = (bom: Bom) => validator.validateBom(bom).issues.filter(({ severity }) => severity === 'error');
const attributionAt = (bom: Bom, index: number) => readAttribution((bom.components as Component[])[index] as Component);

describe('marks', () => {
  test('what a run changed, with what the run, its certificate and the log say', () => {
    const { bom, supported, changed } = attributeBom(bomOf(FILE, OTHER), [evidence(['src/a.ts'])], {
      profile: 'standard',
    });
    expect(attributionAt(bom, 0)).toEqual({
      agent: 'code-writer',
      model: 'model-1',
      prompt: DIGEST('5'),
      generated_at: '2026-11-21T10:00:00Z',
      reviewed_by: 'dana@example.com',
      reviewed_at: '2026-11-21T09:00:00Z',
      basis: 'declared',
      field_basis: {
        agent: { source: 'declared', signer: 'agent:code-writer' },
        model: { source: 'declared', signer: 'agent:code-writer' },
        prompt: { source: 'declared', signer: 'agent:code-writer' },
        generated_at: { source: 'log' },
        content: { source: 'declared', signer: 'agent:code-writer' },
        reviewed_by: { source: 'review', signer: 'reviewer:dana@example.com' },
        reviewed_at: { source: 'review', signer: 'reviewer:dana@example.com' },
      },
      bundle: DIGEST('b'),
    });
    expect(attributionAt(bom, 1)).toBeUndefined();
    expect((bom.components as Component[])[0]?.externalReferences).toMatchObject([
      {
        type: 'attestation',
        url: 'http://localhost:7080/evidence/b',
        hashes: [{ alg: 'SHA-256', content: 'b'.repeat(64) }],
      },
    ]);
    expect(supported).toMatchObject([{ path: '/components/0', component: 'f', files: ['src/a.ts'], earlier: [] }]);
    expect({ changed, version: bom.version, serialNumber: bom.serialNumber }).toEqual({
      changed: true,
      version: 4,
      serialNumber: bomOf().serialNumber,
    });
    expect(refused(bom)).toEqual([]);
  });

  test('vendored code in both variants, and what stands of its source stays', () => {
    const run = evidence(['lib/pad/index.js']);
    const { bom } = attributeBom(bomOf(VENDORED), [run], { profile: 'standard' });
    expect(attributionAt(bom, 0)).toMatchObject({
      agent: 'code-writer',
      authored_by: 'autonomous_agent',
      source_package: 'left-pad@1.3.0',
      source_similarity: '0.91',
    });
    expect(refused(bom)).toEqual([]);
    const spec = attributeBom(bomOf(VENDORED), [run], { profile: 'spec' }).bom;
    expect((spec.components as Component[])[0]).toMatchObject({ 'x-ai-generated': { agent: 'code-writer' } });
    expect(JSON.stringify(spec)).toContain('"ast-similarity"');
    expect(validator.validateBom(spec, { profile: 'spec' }).valid).toBe(true);
  });

  test('nobody is named as the reviewer of content that only a weak hash tells', () => {
    const weak = { ...FILE, hashes: [{ alg: 'SHA-1', content: 'e'.repeat(40) }] } as Component;
    const { bom } = attributeBom(bomOf(weak), [evidence(['src/a.ts'])], { profile: 'standard' });
    expect(attributionAt(bom, 0)).toMatchObject({ basis: 'declared' });
    expect(attributionAt(bom, 0)).not.toHaveProperty('reviewed_by');
  });

  test('nobody is named as the reviewer of a patch on another base: what stands around it was not reviewed', () => {
    const run = evidence(['src/a.ts'], { identity: identityOf('code-writer', 'registry') });
    const versions = ['a', 'c'].map((digit) => ({
      commit: digit.repeat(40),
      object: digit,
      hashes: { 'SHA-256': digit.repeat(64) },
    }));
    const written = new Map([['src/a.ts', { versions, current: 'c', isEdited: false }]]);
    const mark = attributionAt(attributeBom(bomOf(FILE), [{ ...run, written }], { profile: 'standard' }).bom, 0);
    expect(mark).toMatchObject({ basis: 'verified', agent: 'code-writer' });
    expect(mark).not.toHaveProperty('reviewed_by');
  });

  test('without a review that counts none, whatever run and certificate claim, and the document is still valid', () => {
    const { bom } = attributeBom(bomOf(FILE), [evidence(['src/a.ts'], { isReviewed: false })], { profile: 'standard' });
    expect(attributionAt(bom, 0)).not.toHaveProperty('reviewed_by');
    expect(JSON.stringify(bom)).not.toContain('@example.com');
    expect(refused(bom)).toEqual([]);
    expect(validator.validateBom(bom).issues.map(({ code }) => code)).toContain('sbom.ai_not_reviewed');
  });

  test.each(CLAIM_SOURCES)('with claims from %s, each field and the mark are worth what that is', (source) => {
    const run = evidence(['src/a.ts'], { identity: identityOf('code-writer', source) });
    const mark = attributionAt(attributeBom(bomOf(FILE), [run], { profile: 'standard' }).bom, 0);
    const basis = { source, signer: 'agent:code-writer' };
    expect(mark?.field_basis).toMatchObject({ agent: basis, model: basis, prompt: basis });
    // A same-host witness is a diary: its word is that of the agent's user.
    expect(mark?.basis).toBe(/^(?:declared|witness-same-host)$/.test(source) ? 'declared' : 'verified');
    expect(mark?.reviewed_by).toBe('dana@example.com');
  });

  test('one field that is declared makes the mark declared', () => {
    const confirmed = identityOf('code-writer', 'registry');
    for (const claim of ['agent_name', 'model_id', 'prompt_hash'] as const) {
      const { [claim]: _, ...sources } = confirmed.sources;
      const run = evidence(['src/a.ts'], { identity: { ...confirmed, sources } });
      expect(attributionAt(attributeBom(bomOf(FILE), [run], { profile: 'standard' }).bom, 0)?.basis).toBe('declared');
    }
  });

  test('a field in which the run says another thing than its certificate is declared', () => {
    const confirmed = identityOf('code-writer', 'witness-isolated');
    const identity = { ...confirmed, claims: { ...confirmed.claims, model_id: 'another' } };
    const { bom } = attributeBom(bomOf(FILE), [evidence(['src/a.ts'], { identity })], { profile: 'standard' });
    expect(attributionAt(bom, 0)).toMatchObject({ basis: 'declared', field_basis: { model: { source: 'declared' } } });
  });

  test('the version of a model that a witness saw', () => {
    const run = evidence(['src/a.ts'], { modelVersion: '2026-01-02' });
    expect(attributionAt(attributeBom(bomOf(FILE), [run], { profile: 'standard' }).bom, 0)?.model_version).toBe(
      '2026-01-02',
    );
  });

  test('the latest of several runs, whatever order they come in', () => {
    const first = evidence(['src/a.ts', 'src/b.ts'], { bundle: DIGEST('1'), agent: 'first' });
    const second = evidence(['src/a.ts'], { bundle: DIGEST('2'), agent: 'second', loggedAt: '2026-11-21T10:00:00.5Z' });
    for (const runs of [
      [first, second],
      [second, first],
    ]) {
      const { bom, supported, unmatched } = attributeBom(bomOf(FILE), runs, { profile: 'standard' });
      expect(attributionAt(bom, 0)).toMatchObject({ agent: 'second', bundle: DIGEST('2') });
      expect(supported).toMatchObject([{ bundle: DIGEST('2'), earlier: [DIGEST('1')] }]);
      expect(unmatched).toEqual(['src/b.ts']);
    }
  });

  test('the innermost component around a file', () => {
    const outer: Component = {
      ...OTHER,
      properties: [{ name: 'cdx:npm:package:path', value: 'lib' }],
      components: [VENDORED],
    };
    const { supported } = attributeBom(bomOf(outer), [evidence(['lib/pad/a.js', 'lib/padding.js'])], {
      profile: 'standard',
    });
    expect(supported.map(({ path, files }) => [path, files])).toEqual([
      ['/components/0/components/0', ['lib/pad/a.js']],
      ['/components/0', ['lib/padding.js']],
    ]);
  });

  test('nothing for a file that a scanner saw in several components', () => {
    const at = (ref: string): Component => ({
      type: 'library',
      'bom-ref': ref,
      name: ref,
      evidence: { occurrences: [{ location: 'third/party.js' }] },
    });
    const run = evidence(['third/party.js']);
    expect(attributeBom(bomOf(at('a'), at('b')), [run], { profile: 'standard' })).toMatchObject({
      supported: [],
      unmatched: ['third/party.js'],
      changed: false,
    });
    expect(attributeBom(bomOf(at('a')), [run], { profile: 'standard' }).supported).toHaveLength(1);
  });

  test('files of no component become components where that is wanted, and paths that lead out never', () => {
    const run = evidence(['src/new.ts', 'gone.ts', '../../etc/passwd']);
    const addFiles = new Map([['src/new.ts', 'e'.repeat(64)]]);
    const taken: Component = { ...OTHER, 'bom-ref': 'file:src/new.ts' };
    const { bom, unmatched, refusedPaths } = attributeBom(bomOf(taken), [run, run], { profile: 'standard', addFiles });
    expect((bom.components as Component[])[1]).toMatchObject({
      type: 'file',
      'bom-ref': 'file:src/new.ts#2',
      name: 'src/new.ts',
      hashes: [{ alg: 'SHA-256', content: 'e'.repeat(64) }],
    });
    expect(unmatched).toEqual(['gone.ts']);
    expect(refusedPaths).toEqual(['../../etc/passwd']);
    expect(refused(bom)).toEqual([]);
  });
});

describe('the same evidence a second time', () => {
  test.each(['standard', 'spec'] as const)('changes nothing in the %s profile', (profile) => {
    const runs = [evidence(['src/a.ts', 'lib/pad/x.js'])];
    const once = attributeBom(bomOf(VENDORED, FILE), runs, { profile }).bom;
    const twice = attributeBom(once, [{ ...(runs[0] as RunEvidence), url: 'run.sigstore.json' }], { profile });
    expect(twice.changed).toBe(false);
    expect(twice.bom).toBe(once);
  });

  test('newer evidence replaces the mark, its bundle and its reference', () => {
    const once = attributeBom(bomOf(FILE), [evidence(['src/a.ts'])], { profile: 'standard' }).bom;
    const newer = evidence(['src/a.ts'], { bundle: DIGEST('d'), isReviewed: false, loggedAt: '2026-11-22T10:00:00Z' });
    const { bom } = attributeBom(once, [newer], { profile: 'standard' });
    expect(attributionAt(bom, 0)).not.toHaveProperty('reviewed_by');
    expect((bom.components as Component[])[0]?.externalReferences).toMatchObject([
      { hashes: [{ content: 'd'.repeat(64) }] },
    ]);
    expect(bom.version).toBe(5);
  });
});

describe('a mark that no evidence supports', () => {
  const LIE: Component = {
    ...OTHER,
    'x-ai-generated': { agent: 'trusted-agent', reviewed_by: 'dana@example.com' },
    properties: [
      { name: 'colophon:ai:basis', value: 'verified' },
      { name: 'colophon:ai:bundle', value: DIGEST('b') },
    ],
  };

  test('is declared, even if it names a bundle that is there', () => {
    const { bom, declared, supported } = attributeBom(bomOf(LIE, FILE), [evidence(['src/a.ts'])], {
      profile: 'standard',
    });
    expect(attributionAt(bom, 0)).toEqual({
      agent: 'trusted-agent',
      reviewed_by: 'dana@example.com',
      basis: 'declared',
    });
    expect(declared).toMatchObject([{ component: 'o', was: 'unsupported' }]);
    expect(supported).toHaveLength(1);
  });

  test('is labelled where it was not', () => {
    const { bom, declared } = attributeBom(bomOf({ ...OTHER, 'x-ai-generated': { agent: 'a' } }), [], {
      profile: 'spec',
    });
    expect(declared).toMatchObject([{ was: 'unlabelled' }]);
    expect((bom.components as Component[])[0]).toMatchObject({
      'x-ai-generated': { agent: 'a' },
      properties: [{ name: 'colophon:ai:basis', value: 'declared' }],
    });
  });

  test('can be made by word alone, and evidence goes before it', () => {
    const declare = { refs: ['o', 'f', 'nobody'], attribution: { agent: 'other-agent', model: 'm' } };
    const { bom, declared, supported, unknownRefs } = attributeBom(bomOf(OTHER, FILE), [evidence(['src/a.ts'])], {
      profile: 'standard',
      declared: declare,
    });
    expect(attributionAt(bom, 0)).toEqual({ agent: 'other-agent', model: 'm', basis: 'declared' });
    expect(attributionAt(bom, 1)).toMatchObject({ agent: 'code-writer', bundle: DIGEST('b') });
    expect([declared.length, supported.length, unknownRefs]).toEqual([1, 1, ['nobody']]);
  });

  const names = [
    'colophon:ai:basis',
    'colophon:ai:basis:agent',
    'colophon:ai:bundle',
    'colophon:ai:agent',
    'vendor:agent-id',
    'x',
  ];
  const anyComponent = fc
    .record(
      {
        'bom-ref': fc.constantFrom('vendored:lib/a', 'vendored:../b', 'c', 'file:src/a.ts'),
        type: fc.constantFrom('file', 'library'),
        name: fc.constantFrom('src/a.ts', '/etc/passwd', 'x'),
        properties: fc.array(
          fc.record({
            name: fc.constantFrom(...names),
            value: fc.constantFrom('verified', 'declared', 'registry, signed by agent:a', DIGEST('b'), 'a'),
          }),
        ),
        'x-ai-generated': fc.jsonValue({ maxDepth: 1 }),
      },
      { requiredKeys: ['type', 'name'] },
    )
    .map((component) => component as Component);

  test('never says that it is verified, whatever it says', () => {
    const files = fc.subarray(['src/a.ts', 'lib/a/x.js', 'lib/ab', '../b']);
    fc.assert(
      fc.property(
        fc.array(anyComponent),
        files,
        fc.constantFrom('standard', 'spec'),
        (components, changed, profile) => {
          const run = evidence(changed, { identity: identityOf('code-writer', 'registry') });
          const { bom, supported } = attributeBom(bomOf(...components), [run], { profile });
          const marked = new Set(supported.map(({ path }) => path));
          for (const { component, path } of walkComponents(bom)) {
            const says = readAttribution(component) ?? {};
            expect(says.basis === 'verified').toBe(marked.has(path));
            expect(says.bundle !== undefined).toBe(marked.has(path));
            expect(says.field_basis !== undefined).toBe(marked.has(path));
          }
        },
      ),
    );
  });
});

test('a mark in a namespace of one’s own is replaced there', () => {
  const renamed = VENDORED.properties?.map(({ name, value }) => ({ name: name?.replace('vendor', 'acme'), value }));
  const stale = {
    ...VENDORED,
    properties: [...(renamed ?? []), { name: 'acme:agent-id', value: 'other' }],
  } as Component;
  const { bom } = attributeBom(bomOf(stale), [evidence(['lib/pad/x.js'])], { profile: 'standard' });
  expect((bom.components as Component[])[0]?.properties).toContainEqual({
    name: 'acme:agent-id',
    value: 'code-writer',
  });
  expect(JSON.stringify(bom)).not.toMatch(/"other"|vendor:agent/);
});

test('files that are added are parts of the artifact', () => {
  const artifact = { type: 'application', 'bom-ref': 'shop', name: 'shop' };
  const dependencies = [{ ref: 'shop', dependsOn: ['o'] }, { ref: 'o' }];
  const addFiles = new Map([['src/a.ts', 'e'.repeat(64)]]);
  const whole: Bom = { ...bomOf(OTHER), metadata: { component: artifact }, dependencies };
  const { bom } = attributeBom(whole, [evidence(['src/a.ts'])], { profile: 'standard', addFiles });
  expect(bom.dependencies).toEqual([
    { ref: 'shop', dependsOn: ['o', 'file:src/a.ts'] },
    { ref: 'o' },
    { ref: 'file:src/a.ts' },
  ]);
});

test('files that are added are parts of an artifact of which nothing else is said', () => {
  const artifact = { type: 'application', 'bom-ref': 'shop', name: 'shop' };
  const addFiles = new Map([['src/a.ts', 'e'.repeat(64)]]);
  const unsaid: Bom = { ...bomOf(OTHER), metadata: { component: artifact }, dependencies: [] };
  const { bom } = attributeBom(unsaid, [evidence(['src/a.ts'])], { profile: 'standard', addFiles });
  expect(bom.dependencies).toContainEqual({ ref: 'shop', dependsOn: ['file:src/a.ts'] });
});

test('a document that is too old is upgraded, and says so', () => {
  const version = { specVersion: '1.7', schema: compileOfficialSchema(readOfficialSchema, '1.7') } as const;
  const old: Bom = { ...bomOf({ ...FILE, version: '1' }), specVersion: '1.2' };
  const { bom, notes } = attributeBom(old, [evidence(['src/a.ts'])], { profile: 'standard', version });
  expect([bom.specVersion, bom.version, notes.length]).toEqual(['1.7', 4, 1]);
  expect(refused(bom)).toEqual([]);
});

test('a signature inside the document is reported once, and only when it goes', () => {
  const signed = { ...bomOf(VENDORED, FILE), signature: { algorithm: 'ES256', value: 'x' } };
  const { bom, losses } = attributeBom(signed, [evidence(['src/a.ts'])], { profile: 'standard' });
  expect(bom).not.toHaveProperty('signature');
  expect(losses.filter(({ path }) => path === '/signature')).toHaveLength(1);
  const part: Component = { ...FILE, signature: { algorithm: 'ES256', value: 'x' } };
  const around: Component = { ...OTHER, signature: { algorithm: 'ES256', value: 'x' }, components: [part] };
  const inside = attributeBom(bomOf(around), [evidence(['src/a.ts'])], { profile: 'standard' });
  expect(JSON.stringify(inside.bom)).not.toContain('"signature"');
  expect(inside.losses.map(({ path }) => path)).toEqual([
    '/components/0/components/0/signature',
    '/components/0/signature',
  ]);
  const still = { ...bomOf(FILE), signature: { algorithm: 'ES256', value: 'x' } };
  expect(attributeBom(still, [], { profile: 'standard' }).bom).toBe(still);
});
