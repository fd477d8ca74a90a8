import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readOfficialSchema } from '../../test/official-schemas.ts';
import { AI_FIELDS } from '../attribution/attribution-names.ts';
import type { Bom, Component } from '../document/bom.ts';
import { createBomValidator } from '../validate/validator.ts';
import { convertBom } from './convert-bom.ts';

const validator = createBomValidator(readOfficialSchema);
const schemaErrors = (bom: Bom, profile: 'standard' | 'spec') =>
  validator.validateBom(bom, { profile }).issues.filter(({ code }) => code.startsWith('sbom.schema_'));

const PROMPT = `sha256:${'5a'.repeat(32)}`;
const EXTENSION = {
  agent: 'code-writer',
  model: 'model-1',
  model_version: '2026-01',
  prompt: PROMPT,
  generated_at: '2026-11-21T10:00:00Z',
  reviewed_by: 'dana@example.com',
  reviewed_at: '2026-11-21T11:00:00Z',
};
const VENDORED = [
  { name: 'vendor:authored-by', value: 'autonomous_agent' },
  { name: 'vendor:agent-id', value: 'code-writer' },
  { name: 'vendor:agent-model', value: 'model-1' },
  { name: 'vendor:source-package', value: 'left-pad@1.3.0' },
  { name: 'vendor:source-similarity', value: '0.91' },
  { name: 'vendor:vendoring-method', value: 'inline-rewrite' },
];
const method = (technique: string) => ({ technique, confidence: 0.91, value: 'left-pad@1.3.0' });

const bomOf = (...components: Component[]): Bom => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.7',
  version: 1,
  components,
});
const component = (more: object = {}): Component => ({ type: 'library', name: 'left-pad-vendored', ...more });
const only = (bom: Bom) => (bom.components as Component[])[0] as Component;

const SPEC = bomOf(
  component({
    'x-ai-generated': EXTENSION,
    properties: VENDORED,
    evidence: { identity: [{ field: 'name', confidence: 0.91, methods: [method('ast-similarity')] }] },
  }),
);

describe('the two profiles', () => {
  test('what the contract writes becomes what the official schema takes', () => {
    expect(schemaErrors(SPEC, 'standard')).not.toEqual([]);
    const { bom, losses } = convertBom(SPEC, { profile: 'standard' });
    expect(losses).toEqual([]);
    expect(schemaErrors(bom, 'standard')).toEqual([]);
    expect(only(bom).properties).toEqual([
      ...VENDORED,
      ...AI_FIELDS.map((field) => ({ name: `colophon:ai:${field}`, value: EXTENSION[field] })),
      { name: 'colophon:evidence-technique', value: 'ast-similarity' },
    ]);
    expect(JSON.stringify(bom)).toContain('"ast-fingerprint"');
  });

  test('and back is the same document', () => {
    const { bom } = convertBom(SPEC, { profile: 'standard' });
    expect(convertBom(bom, { profile: 'spec' }).bom).toEqual(SPEC);
  });

  test('what says nothing of attribution is the very same document', () => {
    const plain = bomOf(component({ components: [component()], pedigree: { ancestors: [component()] } }));
    expect(convertBom(plain, { profile: 'standard' }).bom).toBe(plain);
    expect(convertBom(plain, { profile: 'spec' }).bom).toBe(plain);
  });

  test('a component is one wherever it stands', () => {
    const marked = component({ 'x-ai-generated': EXTENSION });
    const bom: Bom = {
      ...bomOf(component({ components: [marked], pedigree: { ancestors: [marked], variants: [marked] } })),
      metadata: { component: marked, tools: { components: [marked] } },
      annotations: [{ annotator: { component: marked } }],
      formulation: [{ components: [marked] }],
      declarations: { targets: { components: [marked] } },
      vulnerabilities: [{ tools: { components: [marked] } }],
    };
    const standard = convertBom(bom, { profile: 'standard' }).bom;
    expect(JSON.stringify(standard)).not.toContain('x-ai-generated');
    expect(convertBom(standard, { profile: 'spec' }).bom).toEqual(bom);
  });

  test('what a mark rests on stays a property, and is said to', () => {
    const standard = bomOf(
      component({
        properties: [
          { name: 'colophon:ai:agent', value: 'code-writer' },
          { name: 'colophon:ai:basis', value: 'declared' },
        ],
      }),
    );
    const { bom, losses, notes } = convertBom(standard, { profile: 'spec' });
    expect(only(bom)).toEqual(
      component({
        'x-ai-generated': { agent: 'code-writer' },
        properties: [{ name: 'colophon:ai:basis', value: 'declared' }],
      }),
    );
    expect(losses).toEqual([]);
    expect(notes).toHaveLength(1);
    const again = convertBom(bom, { profile: 'standard' }).bom;
    expect(new Set(only(again).properties)).toEqual(new Set(only(standard).properties));
  });

  test('of two statements the contract’s shape goes first, and the other one is reported', () => {
    const both = bomOf(
      component({ 'x-ai-generated': { agent: 'a' }, properties: [{ name: 'colophon:ai:agent', value: 'b' }] }),
    );
    const { bom, losses } = convertBom(both, { profile: 'standard' });
    expect(only(bom).properties).toEqual([{ name: 'colophon:ai:agent', value: 'a' }]);
    expect(losses).toMatchObject([{ path: '/components/0/properties', what: 'colophon:ai:agent=b' }]);
  });

  test('a technique of its own beside the contract’s stays one', () => {
    const methods = [method('ast-fingerprint'), method('ast-similarity'), method('other')];
    const mixed = bomOf(component({ evidence: { identity: { field: 'name', methods } } }));
    const standard = convertBom(mixed, { profile: 'standard' }).bom;
    expect(schemaErrors(standard, 'standard')).toEqual([]);
    expect(convertBom(standard, { profile: 'spec' }).bom).toEqual(mixed);
  });

  const json = fc.jsonValue({ maxDepth: 2 });
  const extension = fc.oneof(
    fc.record({ agent: fc.string(), model: fc.string(), prompt: json }, { requiredKeys: [] }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom(...AI_FIELDS, '__proto__', 'constructor')), json),
    json,
  );
  const technique = fc.constantFrom('ast-similarity', 'ast-fingerprint', 'other').map(method);
  const identity = fc.record({ field: fc.constant('name'), methods: fc.array(technique) }, { requiredKeys: ['field'] });
  const property = fc.record({ name: fc.string(), value: fc.string() });
  const anyComponent = fc
    .record(
      {
        'x-ai-generated': extension,
        properties: fc.array(fc.oneof(property, fc.constantFrom(...VENDORED)), { minLength: 1 }),
        evidence: fc.record({ identity: fc.oneof(identity, fc.array(identity)) }),
      },
      { requiredKeys: [] },
    )
    .map(component);

  test('spec to standard to spec loses nothing, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.array(anyComponent), (components) => {
        const text = JSON.stringify(bomOf(...components));
        const spec = JSON.parse(text) as Bom;
        const standard = convertBom(spec, { profile: 'standard' });
        expect(standard.losses).toEqual([]);
        expect(JSON.stringify(standard.bom)).not.toMatch(/"x-ai-generated":|"technique":"ast-similarity"/);
        const back = convertBom(JSON.parse(JSON.stringify(standard.bom)), { profile: 'spec' });
        expect(back.bom).toEqual(spec);
        expect(back.losses).toEqual([]);
        expect(JSON.stringify(spec)).toBe(text);
      }),
    );
  });
});

describe('variants', () => {
  const a = bomOf(component({ 'x-ai-generated': EXTENSION }));

  test('A to both loses nothing, A to B what B has no place for', () => {
    const both = convertBom(a, { profile: 'standard', variant: 'both' });
    expect(both.losses).toEqual([]);
    expect(only(both.bom).properties).toContainEqual({ name: 'vendor:agent-id', value: 'code-writer' });
    const b = convertBom(a, { profile: 'standard', variant: 'B' });
    expect(only(b.bom).properties).toEqual(VENDORED.slice(0, 3));
    expect(b.losses.map(({ what }) => what)).toEqual(
      AI_FIELDS.filter((field) => field !== 'agent' && field !== 'model'),
    );
  });

  test('B to A keeps what B says of the source package', () => {
    const { bom, losses } = convertBom(bomOf(component({ properties: VENDORED })), { profile: 'spec', variant: 'A' });
    expect(losses).toEqual([]);
    expect(only(bom)).toEqual(
      component({
        'x-ai-generated': { agent: 'code-writer', model: 'model-1' },
        properties: VENDORED.slice(3),
      }),
    );
  });

  test('variants that name two agents are reported', () => {
    const two = component({ 'x-ai-generated': { agent: 'other' }, properties: VENDORED });
    const { bom, losses } = convertBom(bomOf(two), { profile: 'spec', variant: 'both' });
    expect(losses).toMatchObject([{ what: 'agent code-writer of variant B' }]);
    expect(only(bom).properties).toContainEqual({ name: 'vendor:agent-id', value: 'other' });
  });

  test('the namespace changes there and back', () => {
    const there = convertBom(SPEC, { profile: 'spec', namespace: 'acme' }).bom;
    expect(only(there).properties?.every(({ name }) => name?.startsWith('acme:'))).toBe(true);
    expect(convertBom(there, { profile: 'spec', fromNamespace: 'acme', namespace: 'vendor' }).bom).toEqual(SPEC);
  });

  test('a name that is taken in the new namespace is not written over silently', () => {
    const taken = component({ properties: [...VENDORED, { name: 'acme:agent-id', value: 'x' }] });
    const { losses } = convertBom(bomOf(taken), { profile: 'spec', namespace: 'acme' });
    expect(losses).toMatchObject([{ what: 'vendor:agent-id=code-writer' }]);
  });
});

test('a signature inside the document does not outlive a change, and does outlive none', () => {
  const signature = { algorithm: 'ES256', value: 'x' };
  expect(convertBom({ ...SPEC, signature }, { profile: 'standard' })).toMatchObject({
    losses: [{ path: '/signature' }],
  });
  expect(convertBom({ ...bomOf(), signature }, { profile: 'standard' }).bom).toHaveProperty('signature');
});
